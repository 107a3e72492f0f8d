import pytest

from jitstudio.analysis.sass.model import Instruction
from jitstudio.gui.listing.columns.sass_columns import BY_KEY, COLUMNS, Row
from tests.gui.sass_code import sass


@pytest.fixture
def row():
    (histogram, _) = sass()[1].functions
    return lambda index: Row(histogram[index])


def texts(row):
    return {column.key: column.text(row) for column in COLUMNS}


def test_an_instruction_fills_the_columns(row):
    assert texts(row(2)) == {
        "opcode": "ISETP.GE.AND",
        "operands": "P0, PT, R7, 0x100, PT",
        "source": "k.cu:10",
        "ptx": "35",
        "gpr": "2",
        "pred": "1",
        "ugpr": "0",
        "upred": "0",
        "stall": "13",
        "yield": "Y",
        "write": "",
        "read": "",
        "wait": "0·····",
        "reuse": "",
        "encoding": "001fda0003f06270000001000700780c",
    }


@pytest.mark.parametrize(
    ("index", "key", "text"),
    [
        (3, "opcode", "@P0 EXIT"),
        (3, "operands", ""),
        # The inlined line, not the call.
        (4, "source", "h.cuh:3"),
        (1, "write", "0"),
        (10, "read", "0"),
        (8, "wait", "01····"),
        (8, "stall", "7"),
        (6, "ugpr", "2"),
        # It rather goes on with the same warp.
        (0, "yield", ""),
        (11, "ptx", "50"),
    ],
)
def test_a_column_says_what_the_instruction_tells(row, index, key, text):
    assert BY_KEY[key].text(row(index)) == text


def test_what_nvdisasm_does_not_tell_is_left_empty():
    bare = Row(Instruction(16, "", "NOP", "", 0, (), 0, None))
    assert {key for key, text in texts(bare).items() if text} == {"opcode"}


def test_reuse_names_the_operand_slots():
    bits = 0b0101 << (105 + 17)
    assert BY_KEY["reuse"].text(Row(Instruction(0, "", "IMAD", "", bits, (), 0, None))) == "1·3·"


def test_every_column_is_explained():
    assert len(BY_KEY) == len(COLUMNS) == 15
    for column in COLUMNS:
        assert len(column.tip) > 20
        assert len(column.title) <= column.cells + 2


def test_a_short_title_says_what_it_is_about_where_there_is_room():
    assert BY_KEY["ugpr"].name == "Unif: live uniform registers"
    assert BY_KEY["ptx"].name == "PTX"
