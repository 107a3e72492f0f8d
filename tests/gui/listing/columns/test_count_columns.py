"""The counts of a simulated launch next to the PTX that was executed."""

import pytest

from jitstudio.core.code import CodeKind
from jitstudio.core.launch.simulation import LineCounts
from jitstudio.gui.listing.columns.columns import Columns
from jitstudio.gui.listing.columns.count_columns import COUNT_COLUMNS, PtxCells
from jitstudio.gui.listing.columns.sass_columns import ColumnChoice
from jitstudio.gui.listing.listing_view import ListingView
from jitstudio.listing.lexers.ptx import PtxLexer

PTX = ("mov.u32 %r1, %tid.x;", "ld.global.f32 %f1, [%rd1];", "ret;")
LOAD = LineCounts(
    "k.cu", 3, 2, 64, 1024, requests=64, sector_requests=64, sectors=2048, lines_touched=512
)


@pytest.fixture
def columns(qtbot):
    view = ListingView()
    qtbot.addWidget(view)
    view.resize(900, 300)
    view.show()
    made = Columns(view, CodeKind.PTX)
    view.set_lines(PTX, PtxLexer())
    made.show_choice(ColumnChoice.read(["-executed:8", "lines:6"], COUNT_COLUMNS))
    return made


def test_they_are_there_while_something_was_counted(columns):
    assert not columns.header.isVisible()
    columns.show_cells(PtxCells([LOAD]))
    assert columns.header.isVisible()
    assert columns.cells.words(1, columns.choice.shown) == "Line 8"
    assert columns.cells.text(0, columns.choice) == ""
    columns.show_cells(None)
    assert not columns.header.isVisible()


def test_each_figure_is_told_with_what_it_means(columns):
    usual = ColumnChoice.usual(COUNT_COLUMNS)
    cells = PtxCells([LOAD])
    assert cells.words(1, usual.shown) == "Exec 64, Lanes 16, Sect 32"
    assert [one.key for one in usual.shown] == ["executed", "lanes", "sectors", "conflicts"]
    columns.show_cells(cells)
    assert "128 bytes" in cells.tip(1, usual.of("lines"))
    # Those of SASS are others: neither addresses nor a dialog that arranges them.
    assert len(columns.menu().actions()) == len(COUNT_COLUMNS)
