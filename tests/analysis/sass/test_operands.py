import pytest

from jitstudio.analysis.sass.operands import access


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
        ("LEPC", "R20, `(.L_x_1)", (), (20, 21)),
        ("ISETP.GE.S64.AND", "P1, PT, R6, R10, PT", (6, 7, 10, 11), ()),
        ("ISETP.GE.AND.EX", "P1, PT, R7, R11, PT, P0", (7, 11), ()),
        ("IMNMX.U64", "PT, PT, R12, R10, R14, !PT, !PT", (10, 11, 14, 15), (12, 13)),
        ("MATCH.ANY.U64", "R5, R8", (8, 9), (5,)),
        ("MATCH.ANY", "R5, R8", (8,), (5,)),
        ("IMAD.HI.U32", "R13, R3, R0, R10", (0, 3, 10, 11), (13,)),
        ("SHF.R.U64", "R5, R2, 0x3, R3", (2, 3), (5,)),
        ("SULD.D.BA.2D.128.STRONG.CTA.TRAP", "R8, [R4], R20", (4, 5, 20), (8, 9, 10, 11)),
        ("SUST.D.BA.3D.64.STRONG.SM.TRAP", "[R12], R4, R10", (4, 5, 10, 12, 13, 14), ()),
        ("SUST.D.BA.1D.STRONG.SM.TRAP", "[R15], R0, UR6, 0x0", (0, 15), ()),
        ("SURED.D.BA.2D.MIN.S64.STRONG.SYS.TRAP", "[R6], R2, UR6", (2, 3, 6, 7), ()),
    ],
)
def test_an_instruction_reads_and_writes_what_its_operands_name(opcode, operands, reads, writes):
    assert access(opcode, operands) == (registers(*reads), registers(*writes))


@pytest.mark.parametrize(
    ("opcode", "operands", "reads", "writes"),
    [
        ("TEX", "R18, R16, R8, UR4, 2D", (8, 9), (16, 17, 18, 19)),
        ("TEX", "RZ, R2, R24, UR4, 3D, 0x3", (24, 25, 26), (2, 3)),
        ("TEX", "RZ, R10, R6, UR4, 2D, 0x8", (6, 7), (10,)),
        ("TEX.LL.AOFFI", "R7, R8, R20, R22, UR4, 2D, 0xb", (20, 21, 22, 23), (7, 8, 9)),
        ("TEX.LL", "R6, R4, R16, R25, 0x0, 0x5a, ARRAY_CUBE", (16, 17, 18, 19, 25), (4, 5, 6, 7)),
        ("TEX.SCR.LL", "R6, R4, R2, R24, 0x0, 0x58, 3D", (2, 3, 24, 25), (4, 5, 6, 7)),
        ("TEX.SCR.B.LL", "R6, R4, R26, R10, 2D", (10, 11, 26, 27), (4, 5, 6, 7)),
        ("TEX.SCR.LZ", "R6, R4, R2, R57, 0x0, 0x58, 2D", (2, 57), (4, 5, 6, 7)),
        ("TEX.SCR.F16.RN.LL", "R14, R15, R12, R20, 0x0, 0x58, 2D", (12, 13, 20), (14, 15)),
        ("TLD.SCR.LZ", "RZ, R0, R38, 0x0, 0x58, 1D, 0x1", (38,), (0,)),
        ("TLD4.SCR.R", "R22, R20, R29, R33, 0x0, 0x58, 2D", (29, 33), (20, 21, 22, 23)),
        ("TXD", "R6, R4, R10, R12, UR4, 2D", (10, 11, 12, 13, 14, 15), (4, 5, 6, 7)),
        ("TXD", "R6, R4, R8, R12, UR4, ARRAY_2D", (8, 9, 10, 12, 13, 14, 15), (4, 5, 6, 7)),
    ],
)
def test_textures_are_read_in_vectors(opcode, operands, reads, writes):
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
        ("TEX", ""),
        ("TXD.SCR", "R4, 2D, 0xyz"),
        ("SUST.2D", "R4"),
    ],
)
def test_odd_texts_are_no_error(opcode, operands):
    reads, writes = access(opcode, operands)
    assert reads.bit_length() <= 1004 >= writes.bit_length()
