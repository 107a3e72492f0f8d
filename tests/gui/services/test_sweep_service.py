"""Sweeps in the background, with real compilers; with no driver the launches are missing."""

import time
from dataclasses import replace

import pytest

from jitstudio.core.sweep.result import SweepResult
from jitstudio.gui.services.queue import close_all
from jitstudio.gui.services.sweep_service import SweepService
from tests.gui.processes import children, sweeping_threads
from tests.support import SLOW
from tests.sweep.plans import power_plan

PATIENCE = 60_000
SOON = 30.0
SLOW_PLAN = replace(power_plan("-DPOWER=1,2,3,4", kernel="slow"), build=SLOW)


@pytest.fixture
def service(qapp):
    service = SweepService()
    yield service
    close_all((service,))


def finished(qtbot, service, act):
    with qtbot.waitSignal(service.finished, timeout=PATIENCE) as came:
        act()
    return came.args[0]


def test_nothing_runs_before_the_first_sweep(service):
    assert not service.is_running
    assert sweeping_threads() == []


def test_rows_come_one_by_one(service, qtbot):
    counts, rows = [], []
    service.started.connect(counts.append)
    service.row_done.connect(rows.append)
    plan = power_plan("-DPOWER=1,2,3", "T=float,double")
    result = finished(qtbot, service, lambda: service.start(plan))
    assert counts == [6]
    assert sorted(row.variant.index for row in rows) == list(range(6))
    assert isinstance(result, SweepResult)
    assert all(row.registers for row in result.rows)
    assert not service.is_running


def test_a_sweep_leaves_nothing_behind(service, qtbot):
    before = children()
    finished(qtbot, service, lambda: service.start(power_plan("-DPOWER=1", "T=int")))
    assert children() == before
    assert sweeping_threads() == []


def test_a_sweep_is_cancelled_and_the_next_runs(service, qtbot):
    with qtbot.waitSignal(service.started, timeout=PATIENCE):
        service.start(SLOW_PLAN)
    start = time.monotonic()
    result = finished(qtbot, service, service.cancel)
    assert time.monotonic() - start < SOON
    assert {row.outcome for row in result.rows} == {"build-cancelled"}
    plan = power_plan("-DPOWER=1", "T=int")
    assert finished(qtbot, service, lambda: service.start(plan)).rows[0].registers


def test_one_that_has_not_begun_is_cancelled_too(service, qtbot):
    def start_and_cancel():
        service.start(SLOW_PLAN)
        service.cancel()

    result = finished(qtbot, service, start_and_cancel)
    assert {row.outcome for row in result.rows} == {"build-cancelled"}


def test_a_second_sweep_waits_for_nobody_and_is_not_begun(service, qtbot):
    counts = []
    service.started.connect(counts.append)
    service.start(power_plan("-DPOWER=1", "T=int"))
    result = finished(qtbot, service, lambda: service.start(power_plan("-DPOWER=1,2,3", "T=int")))
    assert counts == [1]
    assert len(result.rows) == 1


def test_a_senseless_plan_is_told_in_words(service, qtbot):
    with qtbot.waitSignal(service.failed, timeout=PATIENCE) as told:
        service.start(power_plan("-DPOWER=1"))
    assert told.args[0].startswith("No axis gives values for {T}.")
    assert not service.is_running


def test_closing_ends_everything_within_seconds(service, qtbot):
    before = children()
    with qtbot.waitSignal(service.started, timeout=PATIENCE):
        service.start(SLOW_PLAN)
    qtbot.waitUntil(lambda: children() != before, timeout=PATIENCE)
    start = time.monotonic()
    close_all((service,))
    assert time.monotonic() - start < SOON
    assert children() == before
    assert sweeping_threads() == []
