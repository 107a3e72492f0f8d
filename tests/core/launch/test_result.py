import pytest

from jitstudio.core.launch.result import LaunchOutcome, LaunchResult, Timing


def test_times_are_summed_up():
    timing = Timing((4.0, 1.0, 3.0, 2.0, 5.0))
    assert (timing.minimum, timing.median, timing.maximum) == (1.0, 3.0, 5.0)
    assert timing.quartiles == (2.0, 4.0)


def test_a_single_time_is_its_own_quartiles():
    assert Timing((2.0,)).quartiles == (2.0, 2.0)


def test_bandwidth_counts_the_bytes_moved_over_the_median():
    result = LaunchResult(LaunchOutcome.RAN, "k", timing=Timing((2.0,)), moved_bytes=4_000_000)
    assert result.bandwidth == pytest.approx(2e9)


def test_without_times_there_is_no_bandwidth():
    assert LaunchResult(LaunchOutcome.RAN, "k", moved_bytes=1).bandwidth is None
    assert LaunchResult(LaunchOutcome.RAN, "k", timing=Timing((0.0,))).bandwidth is None
