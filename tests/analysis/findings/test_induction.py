import pytest

from jitstudio.analysis.findings.induction import Induction
from jitstudio.analysis.findings.lanes import ANY, SAME, step
from jitstudio.analysis.sass.operands import operand
from tests.analysis.findings.listings import facts_of

LOOP = """
MOV R9, c[0x0][0x160]
.L_1:
{body}
ISETP.NE.AND P0, PT, R0, RZ, PT
@P0 BRA `(.L_1)
EXIT
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("IADD3 R0, R0, 0x4, RZ", step(4)),
        ("IADD3 R0, P1, R0, -0x10, RZ", step(-16)),
        ("VIADD R0, R0, 0xfffffffc", step(-4)),
        ("IADD R0, R0, -0x1", step(-1)),
        ("IMAD.IADD R0, R0, 0x1, R9", ANY),
        ("IADD.64 R0, R0, 0x1", step(1)),
        ("MOV R5, R0\nIADD3 R0, R5, 0x2, RZ", step(2)),
        ("IADD3 R5, R5, 0x1, RZ\nIADD3 R0, -R5, R9, RZ", step(-1)),
        ("UIADD3 UR4, UR4, 0x1, URZ\nIMAD.U32 R0, RZ, RZ, UR4", step(1)),
        ("IADD3 R5, R5, 0x1, RZ\nIMAD R0, R5, 0x3, R9", step(3)),
        ("MOV R0, R9", SAME),
        ("NOP", SAME),
        ("SHF.R.U32.HI R0, RZ, 0x1, R0", ANY),
        ("IADD3 R0, R0, R0, RZ", ANY),
        ("LDG.E R0, [R2]", ANY),
        ("S2R R0, SR_TID.X", ANY),
        ("@P1 IADD3 R0, R0, 0x1, RZ", ANY),
        ("IADD3 R0, R0, 0x1, RZ\nIADD3 R0, R0, 0x1, RZ", ANY),
        ("@P1 BRA `(.L_2)\nIADD3 R0, R0, 0x1, RZ\n.L_2:", ANY),
        ("NOP\n.L_2:\nIADD3 R0, R0, 0x1, RZ\n@P1 BRA `(.L_2)", ANY),
        ("IADD3 R5, R5, 0x1, RZ\nLDC R0, c[0x0][0x164]\nIMAD R0, R5, 0x4, R0", step(4)),
        ("IADD3 R5, R5, 0x1, RZ\nMOV R0, R5\nLDG.E R0, [R0]", ANY),
        ("@P1 BRA `(.L_2)\nNOP\n.L_2:\nIADD3 R0, R0, 0x1, RZ", step(1)),
    ],
)
def test_what_a_pass_adds(body, expected):
    facts = facts_of(LOOP.format(body=body))
    induction, end = Induction(facts, 0), facts.function.code_length - 3
    found = induction.change(operand("R0"), end)
    assert (found.shape, found.step) == (expected.shape, expected.step)
    assert induction.change(operand("-R0"), end).step == -expected.step


def test_a_register_is_what_was_written_last_to_it():
    body = "IADD3 R5, R5, 0x1, RZ\nIMAD R0, R5, 0x4, R9\nLDG.E R0, [R0]"
    facts = facts_of(LOOP.format(body=body))
    induction, load = Induction(facts, 0), facts.function.opcodes.index("LDG.E")
    assert induction.change(operand("R0"), load).step == 4
    assert induction.change(operand("R0"), load + 1) == ANY


def test_what_no_pass_writes_stays_the_same():
    induction = Induction(facts_of(LOOP.format(body="IADD3 R0, R0, 0x4, RZ")), 0)
    assert all(
        induction.change(operand(text), 2).is_same for text in ("R9", "RZ", "0x7", "c[0x0][0x4]")
    )
