import pytest

from jitstudio.analysis.registers import access


def registers(*numbers):
    return sum(1 << number for number in numbers)


@pytest.mark.parametrize(
    ("opcode", "operands", "reads", "writes"),
    [
        ("NOP", "", (), ()),
        ("EXIT", "", (1,), ()),
        ("IADD3", "R0, R2, -R3, RZ", (2, 3), (0,)),
        ("IADD3", "R6, P1, R2, UR10, RZ", (2,), (6,)),
        ("ISETP.GT.U32.AND", "P0, PT, R7, 0x100, PT", (7,), ()),
        ("LOP3.LUT", "P0, R7, R4, 0x3, RZ, 0xc0, !PT", (4,), (7,)),
        ("LOP3.LUT", "P0, RZ, R4, 0x3, RZ, 0xc0, !PT", (4,), ()),
        ("SHFL.IDX", "PT, R5, R4, R3, 0x1f", (3, 4), (5,)),
        ("R2UR", "UR4, R5", (5,), ()),
        ("P2R", "R6, PR, RZ, 0x2", (), (6,)),
        ("FADD", "R9, |R2|.reuse, -R5", (2, 5), (9,)),
        ("DFMA", "R10, R14, -R10, R12", (10, 11, 12, 13, 14, 15), (10, 11)),
        ("IMAD.WIDE.U32", "R4, R2, R3, R6", (2, 3, 6, 7), (4, 5)),
        ("F2F.F64.F32", "R2, R4", (4,), (2, 3)),
        ("F2F.F32.F64", "R2, R4", (4, 5), (2,)),
        ("I2F.F64.S64", "R2, R4", (4, 5), (2, 3)),
        ("F2I.S64.F64.TRUNC", "R2, R4", (4, 5), (2, 3)),
        ("CS2R", "R2, SRZ", (), (2, 3)),
        ("MOV.64", "R2, UR4", (), (2, 3)),
        ("LDG.E.128", "R4, desc[UR4][R2.64+0x10]", (2, 3), (4, 5, 6, 7)),
        ("LDG.E.SYS", "R4, [R2]", (2, 3), (4,)),
        ("LDS", "R4, [R2+UR4]", (2,), (4,)),
        ("STG.E.64", "desc[UR4][R6.64], R8", (6, 7, 8, 9), ()),
        ("STS", "[R2.X4], RZ", (2,), ()),
        ("ATOMG.E.ADD.F64.RN.STRONG.GPU", "PT, R4, desc[UR6][R2.64], R8", (2, 3, 8, 9), (4, 5)),
        ("LDSM.16.M88.4", "R4, [R0]", (0,), (4, 5, 6, 7)),
        ("LDGSTS.E.BYPASS.128", "[R5], desc[UR6][R2.64]", (2, 3, 5), ()),
        (
            "HMMA.16816.F32",
            "R8, R4, R2, R12",
            (2, 3, 4, 5, 6, 7, 12, 13, 14, 15),
            (8, 9, 10, 11),
        ),
        ("HMMA.1688.F32.TF32", "R8, R4, R2, RZ", (2, 3, 4, 5, 6, 7), (8, 9, 10, 11)),
        ("DMMA.8x8x4", "R12, R6, R8, RZ", (6, 7, 8, 9), (12, 13, 14, 15)),
        ("QGMMA.64x8x32.F32.E4M3.E4M3", "R28, gdesc[UR4], RZ", (), (28, 29, 30, 31)),
        ("RET.REL.NODEC", "R4 `(k)", (1, 4, 5), ()),
    ],
)
def test_an_instruction_reads_and_writes_what_its_operands_name(opcode, operands, reads, writes):
    assert access(opcode, operands) == (registers(*reads), registers(*writes))


def test_what_is_no_register_is_none():
    assert access("FFMA", "RZ, UR4, c[0x0][0x160], 0x1R2") == (0, 0)
    assert access("WHAT.EVER", "R3, R4.H0_H0, SR_R5, `(R6)") == (registers(4), registers(3))


@pytest.mark.parametrize(
    ("opcode", "operands"),
    [
        ("", ""),
        (".", ","),
        ("F2F.", "R1,"),
        ("HMMA", "R4, R2, R0, R8"),
        ("HMMA.0816", "R4, R2, R0, R8"),
        ("HGMMA.64x0x0", "R4"),
        ("LDG.E.128", "R999, [R999.64"),
        ("IADD3", "R99999999999999999999, R1"),
        ("DFMA", "]R2[, R4]"),
    ],
)
def test_odd_texts_are_no_error(opcode, operands):
    reads, writes = access(opcode, operands)
    assert reads.bit_length() <= 1004 >= writes.bit_length()
