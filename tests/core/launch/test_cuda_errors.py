import pytest

from jitstudio.core.launch.cuda_errors import cuda_error, name_in


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
