"""The sets of opcodes say what the forms in the reference say."""

import re
import tomllib

import pytest

from jitstudio.ptx import opcodes
from tests.support import ROOT

_ROWS = tomllib.loads((ROOT / "resources" / "reference" / "ptx.toml").read_text())["instruction"]
# What forms call a register that is written, and a number that is no register.
_RESULTS = {"d", "p", "f", "r", "state", "policy", "count"}
# No register: nothing, an address, the number of a group; rows that stand for several forms.
_NO_REGISTER = {"", "[", "n", "..."}


def operands(form):
    """The opcode of a form, and the name of its first operand; empty for none."""
    words, _, rest = form.partition(" ")
    return re.split(r"[.{]", words)[0], re.match(r"\[|\(?\w*|\.\.\.", rest)[0]


@pytest.mark.parametrize("row", _ROWS)
def test_a_first_operand_is_written_or_read_as_its_form_says(row):
    form = _ROWS[row][0]
    opcode, first = operands(form)
    # tcgen05.dealloc is of memory that the simulator does not have.
    if first not in _NO_REGISTER and opcode != "tcgen05":
        is_reduction = opcode in opcodes.BARRIERS and ".red." in form
        is_written = is_reduction or opcode not in opcodes.WITHOUT_RESULT
        assert (first in _RESULTS) == is_written, form


def test_accesses_take_an_address():
    with_address = {operands(row[0])[0] for row in _ROWS.values() if "[" in row[0]}
    assert with_address >= opcodes.ACCESSES | opcodes.MATRIX_ACCESSES | opcodes.LOADS


def test_control_and_barriers_have_rows():
    known = {operands(row[0])[0] for row in _ROWS.values()}
    assert known >= opcodes.LEAVING | opcodes.BARRIERS


def forms_of(names):
    return {row: form for row, (form, *_) in _ROWS.items() if operands(form)[0] in names}


def test_calculations_write_a_register_and_access_no_memory():
    reached = opcodes.CALCULATIONS | opcodes.EXCHANGES
    known = forms_of(reached)
    assert {operands(form)[0] for form in known.values()} == reached
    for form in known.values():
        assert "[" not in form
        assert operands(form)[1] in _RESULTS, form
    assert reached.isdisjoint(opcodes.WITHOUT_RESULT | opcodes.LOADS | opcodes.WAITING)


def test_comparisons_are_those_with_a_comparison_in_their_form():
    compared = {operands(f[0])[0] for f in _ROWS.values() if ".cmp" in f[0]}
    assert {opcode for opcode in compared if not opcode.startswith("v")} == opcodes.COMPARISONS


def test_choices_have_a_last_operand_that_decides():
    for _form, _what, named, *_ in (_ROWS[name] for name in opcodes.CHOICES):
        assert re.search(r"(if|what) .*(holds|decides)", named), named


def test_atomics_are_those_that_do_it_in_one_step():
    one_step = re.compile(r"in one (indivisible )?step|indivisible step")
    atomic = {operands(f)[0] for f, what, *_ in _ROWS.values() if one_step.search(what)}
    assert atomic >= opcodes.ATOMICS - {"red"}
    assert {operands(f[0])[0] for f in _ROWS.values() if f[0].startswith("red")} >= {"red"}


@pytest.mark.parametrize(
    "name",
    [name for name, value in vars(opcodes).items() if isinstance(value, frozenset)],
)
def test_every_opcode_of_a_set_is_in_the_reference(name):
    known = {operands(row[0])[0] for row in _ROWS.values()}
    assert getattr(opcodes, name) - known == set()


def test_no_set_of_opcodes_stands_in_a_file_of_the_simulator():
    """Facts about several opcodes stand in `ptx.opcodes`, but for those of a single reader."""
    known = {operands(row[0])[0] for row in _ROWS.values()}
    literal = re.compile(r"(?:frozenset\(|in )[\[({]+((?:\"[a-z0-9]+\",? ?)+)[\])}]")
    sets = set()
    for path in sorted((ROOT / "jitstudio/simulator").rglob("*.py")):
        if not {"instructions", "arithmetic"}.intersection(path.parts):
            for match in literal.finditer(path.read_text("utf-8")):
                words = frozenset(re.findall(r"\w+", match[1]))
                if len(words) > 1 and words <= known:
                    sets.add((path.stem, words))
    assert sets == {
        ("flow", frozenset({"bra", "mov"})),  # which compilers put where ways join
        ("serving", frozenset({"mbarrier", "wgmma"})),  # units of their own in shared memory
        ("products", frozenset({"wgmma", "mov"})),  # which may stand between two products
        ("undefined", frozenset({"and", "or"})),  # an operand of which may decide alone
    }
