import pytest

from jitstudio.analysis.sass.model import Instruction
from jitstudio.core.launch.simulation import LineCounts
from jitstudio.gui.listing.columns.sass_columns import (
    BY_KEY,
    COLUMNS,
    LEAST_CELLS,
    MOST_CELLS,
    ColumnChoice,
    InstructionRow,
)
from tests.gui.sass_code import sass


@pytest.fixture
def row():
    (histogram, _) = sass()[1].functions
    return lambda index: InstructionRow(histogram[index])


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
        "names": "",
        "encoding": "001fda0003f06270000001000700780c",
        "executed": "",
        "sectors": "",
        "conflicts": "",
    }


def test_a_simulated_launch_fills_columns_of_its_own(row):
    counts = LineCounts(
        "k.cu", 10, 35, 1500, 48000, requests=8, sector_requests=8, sectors=30, bank_conflicts=7
    )
    counted = texts(InstructionRow(row(2).instruction, counts))
    assert [counted[key] for key in ("executed", "sectors", "conflicts")] == ["1,500", "3.75", "7"]


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
    bare = InstructionRow(Instruction(16, "", "NOP", "", 0, (), 0, None))
    assert {key for key, text in texts(bare).items() if text} == {"opcode"}


def test_reuse_names_the_operand_slots():
    bits = 0b0101 << (105 + 17)
    assert (
        BY_KEY["reuse"].text(InstructionRow(Instruction(0, "", "IMAD", "", bits, (), 0, None)))
        == "1·3·"
    )


def test_every_column_is_explained():
    assert len(BY_KEY) == len(COLUMNS) == 19
    for column in COLUMNS:
        assert len(column.tip) > 20
        assert len(column.title) <= column.cells + 2


def test_a_short_title_says_what_it_is_about_where_there_is_room():
    assert BY_KEY["ugpr"].name == "Unif: live uniform registers"
    assert BY_KEY["ptx"].name == "PTX"


ALL = [column.key for column in COLUMNS]


@pytest.fixture
def usual():
    return ColumnChoice.usual()


def keys(choice):
    return [one.key for one in choice.columns]


def shown(choice):
    return [one.key for one in choice.shown]


def test_some_columns_are_there_from_the_start(usual):
    assert keys(usual) == ALL
    assert shown(usual) == ["gpr", "stall", "wait"]


def test_a_column_comes_and_goes(usual):
    with_source = usual.show("source", True)
    assert shown(with_source) == ["source", "gpr", "stall", "wait"]
    assert with_source.show("source", False) == usual


def test_a_column_moves_past_those_that_are_not_shown(usual):
    moved = usual.step("wait", -1)
    assert shown(moved) == ["gpr", "wait", "stall"]
    assert shown(moved.step("wait", -1)) == ["wait", "gpr", "stall"]
    assert moved.step("wait", -1).step("wait", -1) == moved.step("wait", -1)
    assert usual.step("wait", 1) == usual
    assert sorted(keys(moved)) == sorted(ALL)


def test_widths_stay_within_reason(usual):
    assert usual.resize("gpr", 20).of("gpr").cells == 20
    assert usual.resize("gpr", 0).of("gpr").cells == LEAST_CELLS
    assert usual.resize("gpr", 9999).of("gpr").cells == MOST_CELLS


def test_a_choice_is_remembered(usual):
    choice = usual.show("source", True).move("source", 9).resize("gpr", 30).show("wait", False)
    assert ColumnChoice.read(choice.kept) == choice


@pytest.mark.parametrize("kept", [[], ["nonsense"], ["gpr"], ["bogus:5", ":", "-:3"]])
def test_without_anything_remembered_it_is_the_usual(kept, usual):
    assert ColumnChoice.read(kept) == usual


def test_what_is_remembered_is_put_right(usual):
    read = ColumnChoice.read(["wait:1", "-gone:4", "wait:20", "-gpr:999"])
    assert keys(read)[:2] == ["wait", "gpr"]
    assert sorted(keys(read)) == sorted(ALL)
    assert read.of("wait").cells == LEAST_CELLS
    assert read.of("gpr").cells == MOST_CELLS
    # A column that came with a newer version waits to be chosen.
    assert shown(read) == ["wait"]


def test_no_column_at_all_is_a_choice(usual):
    none = ColumnChoice.read([one.kept for one in usual.columns if not one.is_shown])
    assert none.shown == ()
