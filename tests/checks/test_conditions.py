"""The language of conditions and the files of budgets, as far as no tool is needed."""

import pytest

from jitstudio.checks.budgets import BudgetError, read_budgets
from jitstudio.checks.conditions import LONGEST, ConditionError, Quantity, parse
from jitstudio.checks.forms import OpcodeGlob


@pytest.mark.parametrize(
    ("text", "subject", "sign", "bound"),
    [
        ("registers <= 64", "registers", "<=", 64),
        ("64 > registers", "registers", "<", 64),
        ("shared_bytes <= 48 KiB", "shared_bytes", "<=", 49152),
        ("no double", "double", "==", 0),
        ("no finding:uncoalesced", "finding:uncoalesced", "==", 0),
        ("independent:FADD.* >= 4", "independent:FADD.*", ">=", 4),
        ("no remark:C75*", "remark:C75*", "==", 0),
        ("remark:177-D <= 2", "remark:177-D", "<=", 2),
        ("remark:#177-D <= 2", "remark:#177-D", "<=", 2),
        ("LDG.128 >= 1", "LDG.128", ">=", 1),
        ("no LD?.*", "LD?.*", "==", 0),
        ("occupancy(256, 1024)>=50%", "occupancy(256, 1024)", ">=", 0.5),
        ("FFMA >= 0.5 * instructions", "FFMA", ">=", "0.5 * instructions"),
        ("equal_to('a.cubin')", "equal_to('a.cubin')", "==", 1),
        ('equal_to("a", normalised=true)', 'equal_to("a", normalised = true)', "==", 1),
    ],
)
def test_a_condition_says_what_is_compared_with_what(text, subject, sign, bound):
    found = parse(text)
    limit = found.bound.text if isinstance(found.bound, Quantity) else found.bound
    assert (found.subject.text, found.sign, limit) == (subject, sign, bound)


def test_no_figure_is_offered_in_the_place_of_an_opcode():
    with pytest.raises(ConditionError, match=r"there is no opcode 'registers'\.$"):
        parse("independent:registers >= 4")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("regsters <= 64", "there is no figure 'regsters'. Did you mean 'registers'?"),
        ("no duoble", "Did you mean 'double'?"),
        ("no finding:spils", "Did you mean 'finding:spills'? The rules are spills, local,"),
        ("independent:FAD >= 4", "there is no opcode 'FAD'. Did you mean 'FADD'?"),
        ("independent: >= 4", "'independent:' lacks an opcode"),
        ("no remark:", "'remark:' lacks the number of a warning"),
        ("no remark:spills", "lacks the number of a warning, as in remark:C7510"),
        ("LDGG >= 1", "there is no opcode 'LDGG'. Did you mean 'LDG'?"),
        ("LDG.127 >= 1", "no opcode is followed by '.127'. Did you mean '128'?"),
        ("registers = 64", "Write '==' for 'equal'."),
        ("registers", "after 'registers' comes one of == != <= >= < >"),
        ("registers <= ", "was expected at the end"),
        ("registers <= 64 65", "nothing was expected at '65'"),
        ("registers(3) <= 64", "takes nothing between parentheses"),
        ("occupancy >= 0.5", "is written occupancy(BLOCK, SHARED)"),
        ("occupancy(0) >= 0.5", "is 1 or more"),
        ("occupancy(1.5) >= 0.5", "takes whole numbers"),
        ("equal_to('a', normalized=true)", "Did you mean 'normalised'?"),
        ("equal_to('a') >= 1", "nothing was expected at '>='"),
        ("1 < 2", "is about no figure"),
        ("registers <= 1e999", "'1e999' is too large"),
        ("registers \x1b <= 1", "'registers ? <= 1'"),
        ("", "there is nothing in it"),
        ("r" * (LONGEST + 1), "longer than the 400 characters"),
    ],
)
def test_a_mistake_is_told_with_what_to_write(text, part):
    with pytest.raises(ConditionError) as caught:
        parse(text)
    assert part in str(caught.value)


def test_modifiers_of_an_opcode_may_have_others_between_them():
    assert OpcodeGlob("LDG.128").matches("LDG.E.128.CONSTANT")
    assert all(map(OpcodeGlob("LDG.*").matches, ("LDG", "LDG.E")))
    assert OpcodeGlob("*MMA").matches("HMMA.16816.F32")
    assert not OpcodeGlob("LDG.64").matches("LDG.E.128")
    assert not OpcodeGlob("LD").matches("LDG")


GOOD = 'source = "a.cu"\nrequire = ["spills == 0"]\n'


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("[[kernel]]\nname = 'k'", "no key 'kernel'. Budgets are tables [[budget]]; [build] is"),
        ("[[budgets]]\n" + GOOD, "there is no key 'budgets'. Did you mean 'budget'?"),
        (
            "[[budget]]\nsorce = 'a.cu'\n",
            "budget 1: there is no key 'sorce'. Did you mean 'source'?",
        ),
        (f"[[budget]]\n{GOOD}name = 'b'\nlink = 'lot'\n", "budget 1 ('b'): link = \"lot\""),
        ("[[budget]]\nsource = 'a.cu'\nrequire = 'spills = 0'\n", "Write '==' for 'equal'."),
        ("[[budget]]\nsource = 'a.cu'\n", "it asks for nothing"),
        ("[[budget]]\nrequire = 'no double'\n", "needs 'source', 'sources' or 'project'"),
        (f"[[budget]]\n{GOOD}project = 'p.jitproj'\n", "only one of them"),
        (f"[[budget]]\n{GOOD}target = 90\n", "'target' is a text between quotation marks"),
        (f"[[budget]]\n{GOOD}libdevice = 1\n", "'libdevice' is true or false"),
        (f"[[budget]]\n{GOOD}launch = {{ gird = 1 }}\n", "Did you mean 'grid'?"),
        ("[[budget]]\nsource = 'a.cu'\nrequire = 'strays == 0'\n", "is about a launch"),
        (f"[budget]\n{GOOD}", "double brackets"),
        ("a = " + "[" * 5000, "'BUDGETS.toml'"),
        ("a = ", "is not TOML"),
        ("", "there is no budget in it"),
    ],
)
def test_a_mistake_in_a_file_is_told_with_its_budget(text, part, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "BUDGETS.toml").write_text(text)
    with pytest.raises(BudgetError) as caught:
        read_budgets((tmp_path / "BUDGETS.toml").relative_to(tmp_path))
    assert part in str(caught.value)
