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
