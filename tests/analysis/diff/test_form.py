import pytest

from jitstudio.analysis.diff.form import form_of
from tests.analysis.registers import register_name


def names(numbers):
    return [register_name(number) for number in numbers]


@pytest.mark.parametrize(
    ("instruction", "skeleton", "uses"),
    [
        (
            ("@!P0", "LDG.E.64", "R2, desc[UR4][R6.64+0x10]"),
            "@!%P LDG.E.64 %R, desc[%UR][%R.64+0x10]",
            ["P0", "R2", "R3", "UR4", "UR5", "R6", "R7"],
        ),
        (
            ("", "IMAD.WIDE.U32", "R2, P0, R4.reuse, R5, R6"),
            " IMAD.WIDE.U32 %R, %P, %R, %R, %R",
            ["R2", "R3", "P0", "R4", "R5", "R6", "R7"],
        ),
        (
            ("", "ISETP.GE.AND", "P0, PT, -R9, c[0x0][0x178], !P2"),
            " ISETP.GE.AND %P, PT, -%R, c[0x0][0x178], !%P",
            ["P0", "R9", "P2"],
        ),
        (("", "S2R", "R0, SR_TID.X"), " S2R %R, SR_TID.X", ["R0"]),
        (("", "STS", "[R3.X4], RZ"), " STS [%R.X4], RZ", ["R3"]),
        # A variable may be called as a register is.
        (("", "MOV", "R2, 32@lo(R4)"), " MOV %R, 32@lo(R4)", ["R2"]),
        # No such registers; and a line that breaks off.
        (("@P9", "IADD3", "R300, UR255, R"), "@P9 IADD3 R300, UR255, R", []),
    ],
)
def test_names_stand_apart_from_the_rest(instruction, skeleton, uses):
    form = form_of(*instruction)
    assert form.skeleton == skeleton
    assert names(form.uses) == uses
    assert form.targets == ()


@pytest.mark.parametrize(
    ("opcode", "operands", "targets"),
    [
        ("BRA", "`(.L_x_3)", (".L_x_3",)),
        ("BSSY", "B0, `(.L_x_1)", (".L_x_1",)),
        (
            "CALL.REL.NOINC",
            "`($__internal_0_$__cuda_sm20_div_u64)",
            ("$__internal_0_$__cuda_sm20_div_u64",),
        ),
        ("RET.REL.NODEC", "R8 `(_Z6halvesP7__half2)", ("_Z6halvesP7__half2",)),
        ("MOV", "R20, 32@lo((k + .L_x_5@srel))", (".L_x_5",)),
        ("BRX", 'R4 -0x1350 (*"BRANCH_TARGETS .L_x_38,.L_x_39"*)', (".L_x_38", ".L_x_39")),
    ],
)
def test_targets_are_found(opcode, operands, targets):
    assert form_of("", opcode, operands).targets == targets


def test_an_unknown_instruction_keeps_its_registers():
    form = form_of("@P1", "NEWOP.LL", "R4, R8, 0x0, 2D")
    assert form.skeleton == "@%P NEWOP.LL R4, R8, 0x0, 2D"
    # It may write any number of them.
    assert {"R4", "R5", "R20", "R131"} <= {*names(form.uses)}


def test_all_predicates_at_once_are_all_predicates():
    form = form_of("", "P2R", "R0, PR, RZ, 0x7f")
    assert form.skeleton == " P2R %R, PR, RZ, 0x7f"
    assert names(form.uses) == ["R0", *(f"P{n}" for n in range(7))]
