"""How the GPUs share the launches. The builds are real; the GPUs only exist on paper."""

import threading
import time
from collections import Counter
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import pytest

from jitstudio.core.launch.device import DeviceList
from jitstudio.core.launch.result import CheckResult, LaunchOutcome, LaunchResult, Timing
from jitstudio.variants import sites
from jitstudio.variants.engine import VariantRun, gpus_of
from tests.devices import H200
from tests.variants.plans import power_plan

pytestmark = pytest.mark.tools


def gpu(ordinal, capability="9.0", uuid=""):
    known = uuid or f"uuid-{ordinal}"
    return replace(H200, ordinal=ordinal, name=f"GPU {ordinal}", capability=capability, uuid=known)


class PaperGpus(Executor):
    """Takes launches and answers for the GPUs; remembers how many each had at the same time."""

    def __init__(self):
        self.count = Counter()
        self.most = Counter()
        self.pace = partial(time.sleep, 0.02)
        self._now = Counter()
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(8)

    def submit(self, _task, _session, request):
        return self._pool.submit(self._launch, request)

    def _launch(self, request):
        device = request.device
        with self._lock:
            self.count[device] += 1
            self._now[device] += 1
            self.most[device] = max(self.most[device], self._now[device])
        self.pace()
        with self._lock:
            self._now[device] -= 1
        # The smaller the block, the faster; the smallest is wrong.
        threads = request.config.block[0]
        ok = threads > 32
        return LaunchResult(
            LaunchOutcome.RAN if ok else LaunchOutcome.WRONG,
            request.title,
            device=f"GPU {device}",
            timing=Timing((threads / 1000, threads / 500)),
            checks=(CheckResult("p", "p", ok, 1024, 0 if ok else 7),),
            moved_bytes=1 << 20,
        )


@pytest.fixture
def gpus():
    return PaperGpus()


@pytest.fixture
def place(gpus):
    """This machine with two GPUs of one kind and one of another."""
    with sites.local(2) as (site,):
        found = DeviceList("13.0", (gpu(0), gpu(1), gpu(2, "8.0")))
        yield replace(site, launching=gpus, devices=found)


def test_gpus_share_the_launches_each_one_at_a_time(place, gpus):
    # Both keep step: each launch waits for one on the other GPU.
    gpus.pace = threading.Barrier(2, timeout=60).wait
    plan = power_plan("T=float", "-DPOWER=3", "block=32,64,96,128,160,192,224,256")
    result = VariantRun(plan, [place]).run()
    assert gpus.count == {0: 4, 1: 4}
    assert gpus.most == {0: 1, 1: 1}
    assert [row.outcome for row in result.rows] == ["wrong", *["ran"] * 7]
    assert [row.check for row in result.rows] == [False, *[True] * 7]
    assert result.rows[1].median_ms == pytest.approx(0.096)
    assert result.rows[1].minimum_ms == 0.064
    assert result.rows[1].bandwidth == pytest.approx((1 << 20) / 0.096e-3)
    assert result.best == 1


def test_a_launch_goes_to_a_gpu_that_can_take_its_code(place, gpus):
    plan = power_plan("T=float", "-DPOWER=3", "target=sm_90,sm_80,sm_100", "block=64,128")
    result = VariantRun(plan, [place]).run()
    assert {row.device for row in result.rows[:2]} <= {"GPU 0", "GPU 1"}
    assert {row.device for row in result.rows[2:4]} == {"GPU 2"}
    assert [row.outcome for row in result.rows] == [*["ran"] * 4, "refused", "refused"]
    assert "sm_100" in result.rows[4].message


def test_only_the_chosen_gpus_are_used(place, gpus):
    plan = power_plan("T=float", "-DPOWER=3", "block=64,128,256")
    VariantRun(plan, [place], devices={1}).run()
    assert gpus.count == {1: 3}


def test_a_launch_that_makes_no_sense_is_a_row_among_others(place, gpus):
    plan = power_plan("T=float", "-DPOWER=3", "block=64,2048")
    good, bad = VariantRun(plan, [place]).run().rows
    assert (good.outcome, bad.outcome) == ("ran", "refused")
    assert "1,024" in bad.message or "1024" in bad.message
    assert bad.registers == good.registers


def test_a_gpu_that_two_workers_see_is_one(place):
    again = replace(place, name="again")
    other = replace(place, name="other", devices=DeviceList("13.0", (gpu(0, uuid="far"),)))
    found = gpus_of([place, again, other], None)
    assert [(one.site.name, one.ordinal) for one in found] == [
        ("here", 0),
        ("here", 1),
        ("here", 2),
        ("other", 0),
    ]
