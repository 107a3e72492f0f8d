import pytest

from jitstudio.analysis.occupancy.calculate import RegisterCost, limits_of
from jitstudio.analysis.sass.liveness import Definition, register_definitions
from jitstudio.analysis.sass.model import SourceLocation
from jitstudio.core.arch import Arch
from jitstudio.gui.features.ptx_sass.columns import PeakText
from jitstudio.gui.listing.columns.sass_cells import LiveBar, SassCells, peak_line
from jitstudio.gui.listing.columns.sass_columns import ColumnChoice
from tests.gui.sass_code import PEAKS, line_of, rows, sass


@pytest.fixture
def cells():
    return SassCells(rows(), RegisterCost(limits_of(Arch(90)), {"empty": 1}))


@pytest.fixture
def choice():
    return ColumnChoice.read(["ptx:7", "source:9", "gpr:13", "wait:8"])


def test_a_line_has_all_columns_at_their_width(cells, choice):
    text = cells.text(line_of(8), choice)
    assert text == "    43  k.cu:11   4           01···· "
    assert len(text) == sum(one.cells for one in choice.shown)
    assert cells.header(choice) == "   PTX  Source   Live         Wait   "


def test_what_is_too_long_is_cut(cells):
    choice = ColumnChoice.read(["operands:8"])
    assert cells.text(line_of(2), choice) == " P0, P… "


def test_a_line_without_an_instruction_is_empty(cells, choice):
    assert cells.text(0, choice) == ""
    assert cells.bar(0) is None
    assert cells.words(0, choice.shown) == ""


def test_the_bars_are_shares_of_the_highest_of_their_function(cells):
    # Six of the 32 registers that all 64 warps of sm_90 have room for cost nothing.
    assert cells.bar(line_of(7)) == LiveBar(1.0, 0.5 * 6 / 33, is_peak=True, is_top=True)
    assert cells.bar(line_of(10)) == LiveBar(5 / 6, 0.5 * 5 / 33, is_peak=True, is_top=False)
    assert cells.bar(line_of(8)) == LiveBar(4 / 6, 0.5 * 4 / 33, is_peak=False, is_top=False)
    # A kernel that spills costs most.
    assert cells.bar(line_of(0, kernel=1)) == LiveBar(1.0, 1.0, is_peak=True, is_top=True)


def test_a_peak_has_a_triangle(cells, choice):
    assert "6▲" in cells.text(line_of(7), choice)
    assert "▲" not in cells.text(line_of(8), choice)


@pytest.mark.parametrize(
    ("line", "step", "peak", "number"),
    [
        (line_of(0), 1, PEAKS[0], 1),
        (line_of(7), 1, PEAKS[1], 2),
        # Over the end, and back.
        (line_of(11), 1, PEAKS[0], 1),
        (line_of(0), -1, PEAKS[1], 2),
        (line_of(10), -1, PEAKS[0], 1),
    ],
)
def test_the_way_leads_from_peak_to_peak(cells, line, step, peak, number):
    found = peak_line(cells, line, step)
    assert found is not None
    assert found[:2] == (line_of(peak), number)


def test_outside_of_instructions_there_is_no_way(cells):
    assert peak_line(cells, 0, 1) is None


def test_a_row_is_told_in_words(cells, choice):
    words = cells.words(line_of(8), choice.shown)
    assert words == "PTX 43, Source k.cu:11, Live 4, Wait 01····"


def test_a_tip_tells_the_chain_of_calls(cells, choice):
    tip = cells.tip(line_of(4), choice.of("source")).splitlines()
    assert tip[:2] == ["h.cuh:3", "inlined at k.cu:10"]
    assert cells.tip(line_of(8), choice.of("gpr")).startswith("Live: 4\n")


def test_a_peak_in_words():
    function = sass()[1].functions[0]
    top, other = (PeakText(function, at, n, 2) for n, at in enumerate(PEAKS, 1))
    assert top.plain == "Peak 1 of 2: 6 registers, the highest"
    assert other.plain == "Peak 2 of 2: 5 registers"
    held = top.with_definitions(register_definitions(function, PEAKS[0]))
    assert held == f"{top.plain}; most held by k.cu:11 (2), h.cuh:3 (1), k.cu:10 (1), k.cu:7 (1)"
    named = (Definition((SourceLocation("k.cu", 3),), (1, 2)), Definition((), (5, 6, 7)))
    assert other.with_definitions(named) == f"{other.plain}; most held by lines 3 (2)"
    assert other.with_definitions(named[1:]) == other.plain
