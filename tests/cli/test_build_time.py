"""`jitstudio build --time`."""

import pytest

from jitstudio.commands import build_time
from tests.schemas import violations
from tests.support import SAMPLES

pytestmark = [pytest.mark.tools, pytest.mark.slow]
TEXT = """#include "slow.h"
template <int N> struct F { static __device__ int f(int x) { return F<N - 1>::f(x) + N; } };
template <> struct F<0> { static __device__ int f(int x) { return x; } };
extern "C" __global__ void k(int *p) { p[0] = F<30>::f(p[1]); }
"""


def test_headers_templates_and_kernels_have_their_time(run, tmp_path):
    (tmp_path / "k.cu").write_text(TEXT)
    functions = (f"__device__ int f{n}(int x) {{ return x * {n}; }}\n" for n in range(3000))
    (tmp_path / "slow.h").write_text("#pragma once\n" + "".join(functions))
    ran = run("build", "k.cu", "--time", "--emit", "sass", "--json")
    assert ran.code == 0
    assert violations("build", ran.json) == []
    (module,) = ran.json["time"]
    assert module["problem"] is None
    slowest = module["includes"][0]
    assert slowest["name"].endswith("slow.h")
    assert 0 < slowest["ms"] < module["trace_ms"] <= module["tool_ms"]
    assert {part["name"] for part in module["templates"]} >= {"F"}
    assert [part["name"] for part in module["kernels"]] == ["k"]
    assert {"CUDA C++ Front-End", "LibNVVM"} <= {part["name"] for part in module["phases"]}
    shown = run("build", "k.cu", "--time").out
    assert "include, with all below it" in shown
    assert any(line.startswith("slow.h ") and line.endswith("%") for line in shown.splitlines())


def test_a_trace_that_is_too_large_is_said(run, tmp_path, monkeypatch):
    (tmp_path / "k.cu").write_text(TEXT.replace('#include "slow.h"\n', ""))
    monkeypatch.setattr("jitstudio.analysis.time_trace.LARGEST_TRACE", 1000)
    monkeypatch.setattr(build_time, "LARGEST_TRACE", 1000)
    ran = run("build", "k.cu", "--time")
    assert ran.code == 0
    assert "k.cu: The trace has" in ran.err


def test_what_writes_no_trace(run):
    ran = run("build", SAMPLES / "broken.cu", "--time")
    assert ran.code == 1
    assert "NVRTC has written no trace" in ran.err
    ptx = run("build", SAMPLES / "multiply.ptx", "--time", "--emit", "cubin", "--json").json
    (module,) = ptx["time"]
    assert (module["trace_ms"], module["problem"]) == (None, None)
    assert [part["ms"] > 0 for part in module["kernels"]] == [True]
    both = run("build", SAMPLES / "saxpy.cu", "--time", "--compare-targets", "sm_80")
    assert (both.code, "--time is not for --compare-targets" in both.err) == (2, True)
