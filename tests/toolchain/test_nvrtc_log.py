from jitstudio.core.result import Phase
from jitstudio.toolchain.nvrtc import split_phases, tidy

TIMES = """\
ptxas info    : Used 8 registers

File name, phase name, metric, unit
a, b.cu, CUDA C++ Frontend, 11, ms
a, b.cu, NVVM Optimizer, 6.5, ms
"""
WARNED = """\
/nv/cub/util.cuh(349): warning #1444-D: class "long4" was declared deprecated
  __CUB_ALIGN_BYTES(long4, 16)
  ^

Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"

/nv/cuda_fp8.hpp(20): warning #1444-D: class "double4" was declared deprecated
      f(const double4 f) {
                      ^

k.cu(3): warning #177-D: variable "x" was declared but never referenced
  int x;
      ^
"""


def test_the_table_of_times_becomes_phases():
    log, phases = split_phases(TIMES)
    assert log == "ptxas info    : Used 8 registers"
    assert phases == (Phase("CUDA C++ Frontend", 11.0), Phase("NVVM Optimizer", 6.5))
    assert split_phases("k.cu(1): error") == ("k.cu(1): error", ())


def test_warnings_inside_nvidia_s_headers_are_counted_rather_than_shown():
    log = tidy(WARNED, ("/nv",))
    assert log.startswith("k.cu(3): warning #177-D")
    assert log.endswith("Warnings inside NVIDIA's own headers left out: 2.")
    assert "deprecated" not in log


def test_other_logs_stay_as_they_are():
    assert tidy(WARNED, ()) == WARNED
    assert tidy("k.cu(1): error: x\n", ("/nv",)) == "k.cu(1): error: x\n"
