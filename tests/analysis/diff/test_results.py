import pytest

from jitstudio.analysis.diff.results import written_registers


@pytest.mark.parametrize(
    ("opcode", "operands", "count"),
    [
        ("FADD", "R2, R3, -R4", 1),
        ("DFMA.RM", "R2, R4, R6, R8", 2),
        ("LDG.E.128", "R4, desc[UR4][R2.64]", 4),
        ("IMAD.WIDE.U32", "R2, P0, R4, R5, R6", 3),
        ("IADD3", "R2, P0, P1, R4, R5, R6", 3),
        ("IADD", "R2, P0, RZ, -R4", 2),
        ("IADD3.X", "R2, R4, R5, RZ, P0, !PT", 1),
        ("IADD3", "RZ, P0, R4, R5, RZ", 1),
        ("LEA.HI.X", "R3, R4, R5, R6, 0x2, P0", 1),
        ("ISETP.GE.AND", "P0, PT, R9, R3, P2", 1),
        ("PLOP3.LUT", "P0, P1, P2, P3, PT, 0x80, 0x0", 2),
        ("LOP3.LUT", "P0, R2, R3, R4, RZ, 0xc0, !PT", 2),
        ("SHFL.BFLY", "PT, R2, R3, 0x1, 0x1f", 1),
        ("ATOMG.E.CAS.64", "PT, R2, [R4], R6, R8", 2),
        ("HMMA.16816.F32", "R4, R8, R12, R4", 4),
        ("UMOV", "UR4, 0x1", 1),
        ("EXIT", "", 0),
    ],
)
def test_results_come_first(opcode, operands, count):
    assert written_registers(opcode, operands) == count


@pytest.mark.parametrize(
    ("opcode", "operands"),
    [
        ("STG.E", "desc[UR4][R2.64], R5"),
        ("NANOSLEEP", "R2"),
        ("RET.REL.NODEC", "R20 `(k)"),
        ("R2P", "PR, R0, 0x7f"),
        ("NEWOP", "R2, R3"),
        ("LDG.E", "R4, [R2.64], P0"),
        ("HADD2", "R2.H0_H0, R3, R4"),
        ("TEX.LL", "R4, R8, 0x0, 2D"),
        ("BSSY", "B0, `(.L_x_1)"),
    ],
)
def test_what_is_not_certain_is_no_result(opcode, operands):
    assert written_registers(opcode, operands) == 0


def test_of_a_wide_result_only_what_is_certain():
    assert written_registers("IADD.64", "R2, R4, R6") == 2
    assert written_registers("POPC.64", "R2, R4") == 1
