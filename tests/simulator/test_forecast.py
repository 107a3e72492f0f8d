"""What a long simulation tells of itself on the way."""

import re
import time
from dataclasses import replace

import pytest

from jitstudio.core.launch.device import SIMULATOR, DeviceList
from jitstudio.core.launch.result import LaunchOutcome, LaunchProgress
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.simulator.running import launching
from tests.launching import Bench

COUNT = """\
extern "C" __global__ void count(int *out, int n) {
    int sum = 0, at = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < n; i++) sum += i ^ out[at];
    out[at] = sum;
}
"""


@pytest.fixture
def launched(builder, tmp_path):
    """Launches the kernel with a number of rounds and a time limit: events and result."""

    def launch(rounds, timeout):
        arguments = (("out", "512000:zeros:inout"), ("n", str(rounds)))
        spec = LaunchSpec("count", arguments, grid="2000", block="256")
        request = Bench(builder, None, DeviceList()).request(COUNT, spec, device=SIMULATOR)
        events = []
        request = replace(request, timeout=timeout)
        return events, launching.launch(request, {}, tmp_path, time.monotonic(), events.append)

    return launch


def test_the_time_left_is_told_until_nothing_is_left(launched, monkeypatch):
    monkeypatch.setattr(launching, "_MEASURED", 0)
    events, result = launched(1, 300.0)
    assert result.outcome is LaunchOutcome.RAN
    told = [event.doing for event in events if isinstance(event, LaunchProgress)]
    shares = [(words, int(match[1])) for words in told if (match := re.search(r"(\d+)%", words))]
    assert [share for _, share in shares] == sorted(share for _, share in shares)
    assert shares[-1][1] == 100
    assert all(("left" in words) == (share < 100) for words, share in shares)
    assert len(shares) > 1


@pytest.mark.parametrize("timeout", [0.777, 1.2345])
def test_a_time_limit_is_told_to_a_tenth_of_a_second(launched, timeout):
    _, result = launched(1 << 30, timeout)
    (seconds,) = re.findall(r"stopped after (\S+) s", result.reason)
    assert re.fullmatch(r"\d+(\.\d)?", seconds)
    # A part of the time is left for what the simulation found.
    assert timeout / 2 < float(seconds) < timeout
