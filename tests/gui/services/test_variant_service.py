"""Runs of variants in the background, with real compilers; without a driver none is launched."""

import time
from dataclasses import replace

import pytest

from jitstudio.gui.services.request_queue import close_all
from jitstudio.gui.services.variant_service import VariantService
from jitstudio.variants.plan import expand
from jitstudio.variants.rows import VariantTable
from tests.gui.processes import children, running_threads
from tests.support import SLOW, refusal
from tests.variants.plans import power_plan

PATIENCE = 60_000
SOON = 30.0
SLOW_PLAN = replace(power_plan("-DPOWER=1,2,3,4", kernel="slow"), build=SLOW)


@pytest.fixture
def service(qapp):
    service = VariantService()
    yield service
    close_all((service,))


def finished(qtbot, service, act):
    with qtbot.waitSignal(service.finished, timeout=PATIENCE) as came:
        act()
    return came.args[0]


def test_nothing_runs_before_the_first_run(service):
    assert not service.is_running
    assert running_threads() == []


def test_rows_come_one_by_one(service, qtbot):
    rows = []
    service.row_changed.connect(rows.append)
    plan = power_plan("-DPOWER=1,2,3", "T=float,double")
    result = finished(qtbot, service, lambda: service.start(plan))
    assert [row.variant.index for row in rows[:6]] == list(range(6))
    assert all(row.is_waiting for row in rows[:6])
    assert {row.variant.index for row in rows if row.reports} == set(range(6))
    assert isinstance(result, VariantTable)
    assert all(row.registers and row.reports for row in result.rows)
    assert not service.is_running


def test_a_run_leaves_nothing_behind(service, qtbot):
    before = children()
    finished(qtbot, service, lambda: service.start(power_plan("-DPOWER=1", "T=int")))
    assert children() == before
    assert running_threads() == []


def test_a_run_is_cancelled_and_the_next_runs(service, qtbot):
    with qtbot.waitSignal(service.row_changed, timeout=PATIENCE):
        service.start(SLOW_PLAN)
    start = time.monotonic()
    result = finished(qtbot, service, service.cancel)
    assert time.monotonic() - start < SOON
    assert {row.outcome for row in result.rows} == {"build-cancelled"}
    plan = power_plan("-DPOWER=1", "T=int")
    assert finished(qtbot, service, lambda: service.start(plan)).rows[0].registers


def test_builds_that_are_timed_are_built_anew(service, qtbot):
    plan = replace(power_plan("-DPOWER=1,2", "T=int"), launches=False)
    plan = replace(plan, build=replace(plan.build, use_cache=False))
    result = finished(qtbot, service, lambda: service.start(plan, timed=True))
    assert {row.outcome for row in result.rows} == {"built"}
    assert not any(stage.cached for row in result.rows for stage in row.result.stages)


def test_one_that_has_not_begun_is_cancelled_too(service, qtbot):
    def start_and_cancel():
        service.start(SLOW_PLAN)
        service.cancel()

    result = finished(qtbot, service, start_and_cancel)
    assert {row.outcome for row in result.rows} == {"build-cancelled"}


def test_a_second_run_waits_for_nobody_and_is_not_begun(service, qtbot):
    service.start(power_plan("-DPOWER=1", "T=int"))
    result = finished(qtbot, service, lambda: service.start(power_plan("-DPOWER=1,2,3", "T=int")))
    assert len(result.rows) == 1


def test_a_senseless_plan_is_told_in_words(service, qtbot):
    with qtbot.waitSignal(service.failed, timeout=PATIENCE) as told:
        service.start(power_plan("-DPOWER=1"))
    assert told.args[0] == refusal(expand, power_plan("-DPOWER=1"))
    assert not service.is_running


def test_closing_ends_everything_within_seconds(service, qtbot):
    before = children()
    with qtbot.waitSignal(service.row_changed, timeout=PATIENCE):
        service.start(SLOW_PLAN)
    qtbot.waitUntil(lambda: children() != before, timeout=PATIENCE)
    start = time.monotonic()
    close_all((service,))
    assert time.monotonic() - start < SOON
    assert children() == before
    assert running_threads() == []
