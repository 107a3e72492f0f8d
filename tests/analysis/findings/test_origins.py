import pytest

from jitstudio.analysis.findings.origins import is_narrowing
from tests.analysis.findings.listings import facts_of


def made_of(body):
    facts = facts_of(f"{body}\nF2F.F32.F64 R9, R8\nSTG.E [R2], R9\nEXIT")
    opcodes = facts.function.opcodes
    (end,) = (index for index, opcode in enumerate(opcodes) if is_narrowing(opcode))
    origins = facts.origins
    names = [opcodes[index] for index in sorted(origins.ancestors((end,)))]
    return names, end in origins.singles((end,))


WIDENED = "LDG.E R4, [R2]\nF2F.F64.F32 R4, R4\n"


@pytest.mark.parametrize(
    "body",
    [
        WIDENED + "DMUL R8, R4, 2.5",
        WIDENED + "UMOV UR4, 0x9999999a\nUMOV UR5, 0x3fb99999\nDMUL R8, R4, UR4",
        WIDENED + "CS2R R8, SRZ\n@P0 DADD R8, R4, 1",
        WIDENED + "@P0 DADD R6, R4, 1\n@P0 DMUL R8, R6, R6\n@!P0 DMUL R8, R4, R4",
        WIDENED + "DMUL R8, R4, c[0x2][0x0]",
        "LDG.E.64 R8, [R2]\n"
        + WIDENED
        + "@!P0 DADD R8, R4, 1\n@!P0 BRA `(.L_1)\nDMUL R8, R4, R4\n.L_1:",
        "I2F.F64 R4, R0\nDMUL R8, R4, R4",
    ],
)
def test_single_precision_and_literals(body):
    names, is_single = made_of(body)
    assert is_single
    assert "LDG.E" not in names
    assert names[-1] == "F2F.F32.F64"


@pytest.mark.parametrize(
    "body",
    [
        "LDG.E.64 R4, [R2]\nDMUL R8, R4, 2.5",
        "LDS.64 R6, [R0]\n" + WIDENED + "DADD R8, R4, R6",
        WIDENED + "DMUL R8, R4, c[0x0][0x160]",
        "ULDC.64 UR4, c[0x0][0x160]\n" + WIDENED + "DMUL R8, R4, UR4",
        "I2F.F64.S64 R8, R4",
        WIDENED + "SHFL.BFLY PT, R8, R4, 0x1, 0x1f\nMOV R9, R5",
        WIDENED + "CALL.REL.NOINC `(other)",
        WIDENED + "CS2R R8, SRZ\n.L_1:\nDADD R8, R8, R4\n@P0 BRA `(.L_1)",
    ],
)
def test_more_than_single_precision(body):
    assert not made_of(body)[1]


def test_what_is_written_over_has_no_part():
    names, is_single = made_of("LDG.E.64 R8, [R2]\n" + WIDENED + "DADD R8, R4, 1")
    assert (names, is_single) == (["F2F.F64.F32", "DADD", "F2F.F32.F64"], True)


def test_what_some_threads_keep_has_a_part():
    names, is_single = made_of("LDG.E.64 R8, [R2]\n" + WIDENED + "@P0 DADD R8, R4, 1")
    assert ("LDG.E.64" in names, is_single) == (True, False)
