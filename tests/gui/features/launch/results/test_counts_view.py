from dataclasses import replace

import pytest

from jitstudio.core.launch.simulation import (
    ASSUMED,
    AccessKind,
    AccessSample,
    LineCounts,
    Simulation,
    StateSpace,
    ThreadPlace,
)
from jitstudio.gui.features.launch.results.counts_view import CountsView
from jitstudio.gui.kit.access_picture import access_text
from tests.gui.launches import RAN

PLACE = ThreadPlace("k.cu", 9, 44, (0, 0, 0), (0, 1, 0))
COLUMN = AccessSample(
    *(44, StateSpace.SHARED, AccessKind.READ, 4, PLACE),
    *(tuple((lane, lane * 128) for lane in range(32)), 32, 32.0, "Pad it."),
)
ROW = AccessSample(
    *(40, StateSpace.GLOBAL, AccessKind.WRITE, 8, replace(PLACE, line=6, ptx_line=40)),
    *(tuple((lane, 0x7F0000000000 + lane * 8) for lane in range(31)), 8, 7.5),
)
LINES = (
    LineCounts(
        "k.cu",
        6,
        40,
        512,
        16000,
        3,
        requests=512,
        sector_requests=512,
        sectors=4096,
        bytes_used=131072,
    ),
    LineCounts("k.cu", 9, 43, 512, 16384),
    LineCounts("k.cu", 9, 44, 512, 16384, requests=512, wavefronts=16384, bank_conflicts=15872),
)
SIMULATED = replace(
    RAN, simulation=Simulation(10**6, 0.5, 16, 16, lines=LINES, samples=(ROW, COLUMN))
)


@pytest.fixture
def view(qtbot):
    view = CountsView()
    qtbot.addWidget(view)
    view.resize(1000, 400)
    view.show()
    return view


def test_lines_of_source_have_what_their_lines_of_ptx_did(view):
    view.show_result(SIMULATED)
    assert [(row.line, row.executions, row.bank_conflicts) for row in view.rows] == [
        (6, 512, 0),
        (9, 512, 15872),
    ]
    texts = [view.table.model().index(0, n).data() for n in range(7)]
    assert texts == ["k.cu:6", "512", "31.25", "4,096", "8", "100%", ""]
    view.show_result(RAN)
    assert view.rows == ()


def test_the_costliest_access_is_drawn_and_that_of_the_chosen_line(view):
    view.show_result(SIMULATED)
    assert view.words.startswith("Load from shared memory: 32 passes at most, 32 on average")
    assert view.words.endswith(f"Pad it. {ASSUMED}")
    assert access_text(replace(COLUMN, is_read=True)).endswith("Pad it.")
    merged = replace(COLUMN, is_read=True, otherwise="It is one LDS.128.")
    assert access_text(merged).endswith("1 is the least. It is one LDS.128.")
    assert view.table.currentIndex().data() == "k.cu:9"
    rows = view.picture.rows
    assert [row.lanes for row in rows] == [{0: (lane,)} for lane in range(32)]
    view.table.choose(0)
    assert view.words.startswith("Store to global memory: 8 sectors of 32 bytes ")
    assert " 7.5 on average" in view.words
    cheap = replace(COLUMN, cost=1, mean=1.0)
    assert access_text(cheap).startswith("Load from shared memory: one pass, the")
    first, second = view.picture.rows
    assert (first.lanes[0], first.lanes[31], second.lanes[29]) == ((0,), (15,), (30,))
    assert 31 not in second.lanes


def test_what_an_access_costs_is_told_by_its_width_and_kind():
    wide = replace(
        COLUMN, size=16, lanes=tuple((lane, lane * 16) for lane in range(32)), cost=4, mean=4.0
    )
    assert "memory: 4 passes, the least for its width." in access_text(wide)
    assert "where 4 is the least" in access_text(replace(wide, cost=8))
    assert "no pass, as the memory is that of other blocks" in access_text(replace(wide, cost=0))
    atomic = replace(COLUMN, kind=AccessKind.ATOMIC)
    assert "where" not in access_text(atomic).partition(".")[0]
    at_one = replace(atomic, space=StateSpace.GLOBAL)
    assert "32 sectors of 32 bytes at most, 32 on average, where lanes at" in access_text(at_one)


def test_code_without_a_line_table_is_told_by_its_ptx(view, qtbot):
    bare = tuple(replace(line, file="", line=0) for line in LINES)
    simulation = Simulation(1, 0.5, 1, 1, lines=bare, samples=(ROW,))
    view.show_result(replace(RAN, simulation=simulation))
    assert [view.table.model().index(n, 0).data() for n in range(3)] == [
        "PTX:40",
        "PTX:43",
        "PTX:44",
    ]
    view.table.choose(0)
    with qtbot.waitSignal(view.ptx_line_activated) as activated:
        view.table.doubleClicked.emit(view.table.currentIndex())
    assert activated.args == [40]
