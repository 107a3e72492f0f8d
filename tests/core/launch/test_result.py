import pytest

from jitstudio.core.launch.cuda_errors import cuda_error, name_in
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


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access", "CUDA_ERROR_ILLEGAL_ADDRESS"),
        ("cuLaunchKernelEx answered CUDA_ERROR_INVALID_VALUE", "CUDA_ERROR_INVALID_VALUE"),
        ("something else", ""),
    ],
)
def test_the_name_is_found_in_any_text(text, name):
    assert name_in(text) == name


@pytest.mark.parametrize(
    ("name", "fatal"),
    [
        ("CUDA_ERROR_ILLEGAL_ADDRESS", True),
        ("CUDA_ERROR_ASSERT", True),
        ("CUDA_ERROR_OUT_OF_MEMORY", False),
        ("CUDA_ERROR_UNSUPPORTED_PTX_VERSION", False),
        ("CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", False),
    ],
)
def test_it_is_known_which_errors_poison_the_process(name, fatal):
    error = cuda_error(name)
    assert (error.name, error.fatal) == (name, fatal)
    assert error.meaning
    assert error.remedy.endswith(".")


def test_an_error_that_nobody_knows_is_taken_for_the_worst():
    error = cuda_error("CUDA_ERROR_FROM_THE_FUTURE")
    assert error.fatal
    assert "CUDA_ERROR_FROM_THE_FUTURE" in error.remedy
