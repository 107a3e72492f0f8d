"""Whole sweeps on this machine, with real compilers; with no driver the launches are missing."""

import threading
import time
from dataclasses import replace

import pytest

from jitstudio.core.axes import VariantError
from jitstudio.variants import sites, tasks
from jitstudio.variants.engine import VariantRun
from tests.support import GOOD, SLOW, cuda, request
from tests.variants.plans import power_plan

pytestmark = pytest.mark.tools

QUICK = 30.0
"""Seconds within which a cancelled sweep must be over; far less than the slow code takes."""


@pytest.fixture
def here():
    with sites.local(jobs=2) as places:
        yield places


def compiled_only(places):
    """The same places without their GPUs."""
    return tuple(replace(site, devices=replace(site.devices, devices=())) for site in places)


def test_eight_variants_are_built_by_processes_of_this_machine(here):
    heard = []
    plan = power_plan("-DPOWER=1,2,3,4", "T=float,double")
    result = VariantRun(plan, compiled_only(here), on_row=heard.append).run()
    assert len(result.rows) == 8
    assert [row.variant.index for row in result.rows] == list(range(8))
    assert sorted(row.variant.index for row in heard) == list(range(8))
    assert {row.outcome for row in result.rows} == {"missing"}
    assert all(row.registers and row.compile_ms for row in result.rows)
    assert result.best is None


def test_variants_with_the_same_build_share_it(here):
    plan = power_plan("block=64,128,256,512", "T=float", "-DPOWER=2")
    result = VariantRun(plan, compiled_only(here)).run()
    # Equal to the last digit: it was timed once.
    assert len({row.compile_ms for row in result.rows}) == 1


def test_a_variant_that_cannot_be_built_is_a_row_among_others(here):
    plan = power_plan("-DPOWER=3,oops", "T=float")
    good, bad = VariantRun(plan, compiled_only(here)).run().rows
    assert good.outcome == "missing"
    assert bad.outcome == "build-failed"
    assert "oops" in bad.message
    assert bad.registers is None


def test_a_kernel_that_is_not_there_is_refused(here):
    plan = power_plan("-DPOWER=3", "T=float", kernel="strength<{T}>")
    plan = replace(plan, build=GOOD)
    (row,) = VariantRun(plan, compiled_only(here)).run().rows
    assert row.outcome == "build-failed"
    assert "strength" in row.message
    plan = replace(power_plan("block=64", kernel="strength"), build=GOOD)
    (row,) = VariantRun(plan, compiled_only(here)).run().rows
    assert row.outcome == "refused"
    assert "no kernel 'strength'. " in row.message


def test_a_senseless_plan_is_refused_before_anything_is_built(here):
    with pytest.raises(VariantError, match=r"values for \{T\}"):
        VariantRun(power_plan("-DPOWER=3"), here)


def test_gpus_that_are_not_there_are_told(here):
    plan = power_plan("-DPOWER=3", "T=int")
    (row,) = VariantRun(plan, here, devices={4711}).run().rows
    assert row.outcome == "missing"
    assert row.message == (
        here[0].devices.problem or "None of the chosen GPUs is there. Look at 'jitstudio devices'."
    )


def test_a_sweep_is_cancelled_in_the_middle_of_its_builds(here):
    plan = replace(power_plan("-DPOWER=1,2,3,4", kernel="slow"), build=SLOW)
    sweep = VariantRun(plan, compiled_only(here))
    rows = []
    thread = threading.Thread(target=lambda: rows.extend(sweep.run().rows))
    thread.start()
    time.sleep(1)
    sweep.cancel()
    thread.join(QUICK)
    assert not thread.is_alive()
    assert [row.outcome for row in rows] == ["build-cancelled"] * 4
    # The place is as good as before.
    (row,) = VariantRun(power_plan("-DPOWER=1", "T=int"), compiled_only(here)).run().rows
    assert row.outcome == "missing"


def test_work_at_a_site_that_is_lost_is_given_up(here):
    (site,) = compiled_only(here)
    lost = threading.Event()
    place = replace(site, alive=lambda: not lost.is_set())
    plan = replace(power_plan("-DPOWER=1,2,3", kernel="slow"), build=SLOW)
    threading.Timer(0.5, lost.set).start()
    rows = VariantRun(plan, [place]).run().rows
    assert [row.outcome for row in rows] == ["build-crashed", "build-crashed", "build-cancelled"]
    assert {row.message for row in rows} == {
        "The machine that worked on it can no longer be reached."
    }


def test_what_breaks_in_a_task_is_a_row(here, monkeypatch):
    def breaks(*_):
        raise RuntimeError("no more processes")

    monkeypatch.setattr(tasks, "build_variant", breaks)
    (row,) = VariantRun(power_plan("-DPOWER=1", "T=int"), compiled_only(here)).run().rows
    assert (row.outcome, row.message) == ("build-crashed", "no more processes")


def test_several_modules_are_linked_for_each_variant(here):
    caller = cuda(
        'extern __device__ int f(int);\nextern "C" __global__ void k(int* p) { *p = f(N); }\n',
        "caller.cu",
    )
    called = cuda("__device__ int f(int x) { return x + N; }\n", "called.cu")
    build = request(caller, called, link="lto")
    plan = replace(power_plan("-DN=1,2", kernel="k"), build=build)
    rows = VariantRun(plan, compiled_only(here)).run().rows
    assert [row.outcome for row in rows] == ["missing", "missing"]
    assert all(row.registers for row in rows)
