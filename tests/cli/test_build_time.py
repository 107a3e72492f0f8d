"""`jitstudio build --time`."""

import json
import os
from pathlib import Path

import pytest

from jitstudio.commands import build_time
from jitstudio.core.code import CodeKind, Source
from jitstudio.core.request import BuildRequest
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
    fat = run("build", SAMPLES / "saxpy.cu", "--time", "--fat", "sm_80,sm_90")
    assert (fat.code, "--time is for a single target" in fat.err) == (2, True)


def test_each_module_has_a_trace_of_its_own(run, tmp_path):
    # The name of the first ends that of the second.
    for name in ("a", "ba"):
        text = f'#include "{name}.h"\nextern "C" __global__ void {name}() {{}}\n'
        (tmp_path / f"{name}.cu").write_text(text)
        (tmp_path / f"{name}.h").write_text(f"__device__ int of_{name}(int x) {{ return x; }}\n")
    modules = run("build", "a.cu", "ba.cu", "--time", "--json").json["time"]
    headers = [[os.path.basename(h["name"]) for h in module["headers"]] for module in modules]
    assert [names & {"a.h", "ba.h"} for names in map(set, headers)] == [{"a.h"}, {"ba.h"}]


def test_a_project_without_trust_is_timed_without_a_trace(run, tmp_path):
    (tmp_path / "k.cu").write_text(TEXT.replace('#include "slow.h"\n', ""))
    modules = [{"name": "k.cu", "kind": "cuda", "path": "k.cu"}]
    (tmp_path / "p.jitproj").write_text(json.dumps({"version": 1, "modules": modules}))
    ran = run("build", "p.jitproj", "--time", "--emit", "sass")
    assert ran.code == 0, ran.err
    assert "k.cu: This project is not trusted. NVRTC may write no file, and a trace" in ran.err
    assert "ptxas by kernel" in ran.out


def test_an_older_nvrtc_is_sent_no_option_that_it_lacks():
    request = BuildRequest((Source("k.cu", CodeKind.CUDA, TEXT.encode()),))
    asked, traces = build_time.traced(request, Path("/t"), "12.4")
    assert asked.sources == request.sources
    assert traces.problem.startswith("NVRTC 12.4 writes no trace")
    asked, traces = build_time.traced(request, Path("/t"), "12.5")
    assert asked.sources[0].options == ("--fdevice-time-trace=/t/trace0",)
    assert not traces.problem


def test_what_is_written_and_lowered_is_printed_beside_the_time(run, tmp_path):
    (tmp_path / "k.cu").write_text("template <class T> __global__ void k(T *p) { *p = 1; }")
    words = ("--name-expression", "k<int>", "-o", "out")
    ran = run("build", "k.cu", "--time", *words)
    plain = run("build", "k.cu", *words)
    for shown in ("out/k.ptx", "k<int>  ->  _Z1kIiEvPT_"):
        assert shown in plain.out + plain.err
        assert shown in ran.out + ran.err
