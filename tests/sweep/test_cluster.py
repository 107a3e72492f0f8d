"""Whole sweeps on a Dask cluster of two processes, as real as one on two machines."""

import os
import sys
import threading
import time
from dataclasses import replace

import pytest

from jitstudio.sweep import sites
from jitstudio.sweep.engine import Sweep
from jitstudio.sweep.sites import SiteError
from tests.support import ROOT, SLOW
from tests.sweep.plans import power_plan

distributed = pytest.importorskip("distributed")

QUICK = 30.0
"""Seconds within which a cancelled sweep must be over; far less than the slow code takes."""


@pytest.fixture(scope="module")
def scheduler():
    # The processes find a checkout that is not installed.
    paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", ""))))
    with (
        pytest.MonkeyPatch.context() as patch,
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            protocol="tcp",
            host="127.0.0.1",
            dashboard_address=None,
            env={"PYTHONPATH": paths},
        ) as cluster,
    ):
        patch.setenv("PYTHONPATH", paths)
        yield cluster.scheduler_address


@pytest.fixture
def places(scheduler):
    with sites.cluster(scheduler) as found:
        yield found


def compiled_only(places):
    """The same places without their GPUs."""
    return tuple(replace(site, devices=replace(site.devices, devices=())) for site in places)


def test_each_worker_is_a_site_with_its_own_threads(places):
    assert len({site.name for site in places}) == 2
    assert {site.jobs for site in places} == {1}
    assert all(site.alive() for site in places)


def test_variants_are_built_by_all_workers(places):
    plan = power_plan("-DPOWER=1,2,3,4", "T=float,double")
    result = Sweep(plan, compiled_only(places)).run()
    assert [row.outcome for row in result.rows] == ["missing"] * 8
    assert all(row.registers and row.compile_ms for row in result.rows)


def test_a_variant_that_cannot_be_built_there_is_a_row(places):
    good, bad = Sweep(power_plan("-DPOWER=3,oops", "T=float"), compiled_only(places)).run().rows
    assert (good.outcome, bad.outcome) == ("missing", "build-failed")
    assert "oops" in bad.message


def test_builds_on_other_machines_are_cancelled_too(places):
    plan = replace(power_plan("-DPOWER=1,2,3,4", kernel="slow"), build=SLOW)
    sweep = Sweep(plan, compiled_only(places))
    rows = []
    thread = threading.Thread(target=lambda: rows.extend(sweep.run().rows))
    thread.start()
    time.sleep(2)
    sweep.cancel()
    thread.join(QUICK)
    assert not thread.is_alive()
    assert [row.outcome for row in rows] == ["build-cancelled"] * 4


def test_the_command_line_gives_its_work_to_the_cluster(scheduler, run, tmp_path):
    source = tmp_path / "k.cu"
    source.write_text('extern "C" __global__ void k(int* p) { *p = N; }')
    ran = run(
        *("sweep", source, "--kernel", "k", "--axis", "-DN=1,2", "--grid", "1", "--arg", "p=1"),
        *("--dask", scheduler, "--devices", "4711", "--json"),
    )
    assert ran.code == 3
    assert [row["outcome"] for row in ran.json["variants"]] == ["missing", "missing"]
    assert all(row["registers"] for row in ran.json["variants"])


def test_a_scheduler_that_does_not_answer_is_told(monkeypatch):
    monkeypatch.setattr(sites, "_CONNECTING", "200ms")
    with pytest.raises(SiteError, match="does not answer"), sites.cluster("tcp://127.0.0.1:9"):
        pass


def test_without_the_package_the_command_that_brings_it_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(SiteError, match=r"pip install 'jitstudio\[cluster\]'"),
        sites.cluster("tcp://127.0.0.1:9"),
    ):
        pass
