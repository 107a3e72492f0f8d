from jitstudio.analysis.diff.program import FigureDelta, changed, report_deltas
from jitstudio.core.result import Resources
from tests.analysis.diff.functions import program, section

LEFT = program(section("k", ("MOV R2, 0x1", "FADD R4, R2, R2", "EXIT")))
RIGHT = program(section("k", ("FADD R4, R2, R2", "EXIT")), section("more", ("EXIT",)))


def told(needs_left=None, needs_right=None):
    found = report_deltas(LEFT, RIGHT, needs_left or {}, needs_right or {})
    return {(delta.name, delta.figure): delta for delta in found}


def test_figures_stand_side_by_side():
    needs = {"k": Resources(registers=24)}, {"k": Resources(registers=10)}
    found = told(*needs)
    assert found["k", "registers"] == FigureDelta("k", "registers", 24, 10)
    assert found["k", "registers"].difference == -14
    assert found["k", "instructions"] == FigureDelta("k", "instructions", 3, 2)


def test_what_is_known_of_one_only_is_left_out():
    assert ("k", "registers") not in told({"k": Resources(registers=24)})


def test_a_function_that_only_one_has_has_figures_of_one():
    assert told()["more", "instructions"] == FigureDelta("more", "instructions", None, 1)
    assert told()["more", "instructions"].difference is None


def test_what_is_the_same_can_be_left_out():
    figures = {(delta.name, delta.figure) for delta in changed(told().values())}
    assert ("k", "move_instructions") in figures
    assert ("k", "float_instructions") not in figures
