"""Cubins read by the real nvdisasm, which runs twice."""

import re
import subprocess
from dataclasses import replace
from types import SimpleNamespace

import pytest

from jitstudio.analysis.findings.find import findings
from jitstudio.analysis.reading_request import AnalysisRequest
from jitstudio.core import kernel_resources
from jitstudio.core.code import CodeKind
from jitstudio.core.kernel_resources import code_sizes, function_alone
from jitstudio.core.plan import Job, Ref
from jitstudio.core.tools import Tool
from jitstudio.toolchain import cubin_reading, disassembly, nvrtc
from jitstudio.toolchain.cubin_reading import read_cubin
from jitstudio.worker.programs.disassemble import DISASSEMBLING
from jitstudio.worker.protocol import EventMessage
from tests.support import KERNEL, cuda, request

BRANCHING = """\
extern "C" __global__ void k(int* p, int n) {
    for (int i = 0; i < n; ++i) { if (p[i] > 3) return; p[i] += i; }
}
"""


LABEL = re.compile(r"\.L_x_\d+")


@pytest.fixture
def cubin(built):
    def made(*options):
        result = built(request(cuda(BRANCHING), emit="cubin", options=options))
        return result.artifact(CodeKind.CUBIN, "kernel.cu").content

    return made


def test_code_lines_live_registers_and_resources_are_read(cubin):
    (function,) = (code := read_cubin(cubin(), "k.cubin")).functions
    assert code.target == "sm_90"
    assert code.resources["k"].registers >= 8
    assert code.notes == ()
    assert function.is_kernel
    assert {place.line for places in function.places for place in places} == {1, 2, 3}
    assert max(row.live.gpr for row in function) > 2


def test_one_function_read_by_itself_is_what_it_is_among_all(built, monkeypatch):
    text = (
        BRANCHING + "__device__ __noinline__ int f(int* p) { return p[*p] + clock(); }\n"
        'extern "C" __global__ void first(int* p) { if (*p > 3) p[f(p)] = 7; }\n'
        'extern "C" __global__ void last(int* p) { while (*p++) *p += f(p) + sinf(*p); }\n'
    )
    options = ("-lineinfo", "-rdc=true")
    asked = request(cuda(text), emit="ptx,cubin,sass", options=options)
    result = built(asked)
    (cubin,) = (a.content for a in result.artifacts if a.kind is CodeKind.CUBIN)
    (ptx,) = (a.text for a in result.artifacts if a.kind is CodeKind.PTX)
    whole = read_cubin(cubin, "k.cubin", {"kernel.cu": ptx})
    assert {function.name for function in whole.functions} == set(code_sizes(cubin))
    monkeypatch.setattr(kernel_resources, "WHOLE_CODE_BYTES", 0)
    wholes = sass(result)
    for name in ("last", "_Z1fPi"):
        expected = whole.function(name)
        part = read_cubin(cubin, "k.cubin", {"kernel.cu": ptx}, name)
        (function,) = part.functions
        assert unnumbered(function) == unnumbered(expected)
        assert [label.index for label in function.labels] == [
            label.index for label in expected.labels
        ]
        assert function.parts == expected.parts
        assert part.resources == whole.resources
        listed = sass(built(replace(asked, function=name)))
        assert listed.keys() == {name}
        assert listed[name] == wholes[name]
    assert function_alone(cubin, "nobody") == next(iter(whole.resources))
    assert function_alone(cubin, None) == ""
    monkeypatch.undo()
    assert function_alone(cubin, "last") == ""


def unnumbered(function):
    """Its instructions, without what nvdisasm counts of all that it prints."""
    rows = (row._replace(operands=LABEL.sub(".L", row.operands)) for row in function)
    return [row._replace(live=None) if row.opcode.startswith("CALL") else row for row in rows]


def sass(result):
    """The instructions that are listed of each function, by its name."""
    found = {}
    for line in result.artifact(CodeKind.SASS, "kernel.cu").text.splitlines():
        if section := re.match(r"//-+ \.text\.(\S+)", line):
            found[section[1]] = []
        elif re.match(r" +/\*[0-9a-f]{4}\*/", line):
            found[[*found][-1]].append(LABEL.sub(".L", line))
    return found


def test_code_that_is_never_reached_costs_no_live_registers(cubin):
    (function,) = read_cubin(cubin("-G"), "k.cubin").functions
    alive = [row.live.gpr for row in list(function)[: function.code_length]]
    assert 0 in alive
    assert max(alive) > 2


def test_live_registers_that_take_too_long_are_done_without(cubin, monkeypatch):
    monkeypatch.setattr(cubin_reading, "_PATIENCE", -1000.0)
    code = read_cubin(cubin(), "k.cubin")
    assert "live registers are not known" in code.notes[0]
    (function,) = code.functions
    assert function[0].live is None
    assert function[0].places
    assert code.resources["k"].registers >= 8


def test_live_registers_are_not_known_where_their_nvdisasm_is_killed(cubin, monkeypatch, tmp_path):
    killed = tmp_path / "nvdisasm"
    real = cubin_reading.locate.nvdisasm()
    killed.write_text(
        f'#!/bin/sh\ncase " $* " in *" -lrm "*) kill -KILL $$;; esac\nexec {real} "$@"\n'
    )
    killed.chmod(0o755)
    monkeypatch.setattr(cubin_reading.locate, "nvdisasm", lambda: str(killed))
    code = read_cubin(cubin(), "k.cubin")
    assert "signal 9" in code.notes[0]
    assert not cubin_reading.is_repeatable(code)
    monkeypatch.undo()
    whole = read_cubin(cubin(), "k.cubin")
    assert cubin_reading.is_repeatable(whole)
    assert not whole.notes


def test_code_is_told_while_live_registers_are_still_counted(built, monkeypatch, tmp_path):
    text = 'extern "C" __global__ void k(float* p) { p[threadIdx.x * 32] *= 2.5; }'
    cubin = built(request(cuda(text), emit="cubin")).artifact(CodeKind.CUBIN, "kernel.cu").content
    slow, real = tmp_path / "nvdisasm", cubin_reading.locate.nvdisasm()
    slow.write_text(f'#!/bin/sh\ncase " $* " in *" -lrm "*) sleep 1;; esac\nexec {real} "$@"\n')
    slow.chmod(0o755)
    monkeypatch.setattr(cubin_reading.locate, "nvdisasm", lambda: str(slow))
    told = []
    whole = read_cubin(cubin, "k.cubin", on_code=told.append)
    service = DISASSEMBLING.service(AnalysisRequest(b"", ""))
    (early,) = (
        service.load(b"".join(service.replies.dump(EventMessage(1, code)))).event for code in told
    )
    (function,), (counted,) = early.functions, whole.functions
    assert function[0].live is None
    assert counted[0].live is not None
    resources = whole.resources["k"]
    assert findings(function, resources) == findings(counted, resources) != ()
    told.clear()
    read_cubin(cubin, "k.cubin", counts_live=False, on_code=told.append)
    assert told == []


K = CodeKind


def disassembled(cubin, *options):
    return disassembly.disassemble(
        Job(Tool.NVDISASM, "k.cu", ((Ref(K.CUBIN, "k.cu"), cubin),), (K.SASS,), options)
    )


def test_a_cubin_becomes_sass():
    source = ((Ref(K.CUDA, "k.cu"), KERNEL.encode()),)
    cubin = nvrtc.compile_cuda(Job(Tool.NVRTC, "k.cu", source, (K.CUBIN,), ("-arch=sm_90",))).code[
        K.CUBIN
    ]
    report = disassembled(cubin, "-c")
    assert report.ok
    assert report.ms > 0
    text = report.code[K.SASS].decode()
    assert ".text.fine:" in text
    assert "EXIT" in text


@pytest.mark.parametrize("cubin", [b"hello", b"\x7fELF" + bytes(200)])
def test_what_is_no_cubin_is_named_as_the_user_knows_it(cubin):
    report = disassembled(cubin, "-c")
    assert not report.ok
    assert "k.cubin" in report.error_log
    assert "/dev/fd" not in report.error_log
    assert report.code == {}


def test_an_unknown_option_is_refused():
    report = disassembled(b"\x7fELF", "--bogus")
    assert not report.ok
    assert "bogus" in report.error_log


@pytest.mark.parametrize("name", ["k3", "void k<2>(int*)", "nothing"])
def test_of_one_function_nvdisasm_prints_one(built, monkeypatch, name):
    text = (
        "".join(f'extern "C" __global__ void k{n}(int* p) {{ *p = {n}; }}\n' for n in range(5))
        + "template <int N> __global__ void k(int* p) { *p = N; }\n"
        + "template __global__ void k<2>(int*);\n"
    )
    asked = request(cuda(text), emit="cubin")
    (cubin,) = (a.content for a in built(asked).artifacts if a.kind is CodeKind.CUBIN)
    runs = []

    def start(words, **how):
        runs.append(words)
        return subprocess.Popen(words, **how)

    monkeypatch.setattr(
        cubin_reading, "subprocess", SimpleNamespace(**vars(subprocess) | {"Popen": start})
    )
    code = read_cubin(cubin, "k.cubin", function=name)
    assert [code.demangled[function.name] for function in code.functions] == [name] * (
        len(runs) // 2
    )
    assert len(code.demangled) == 6
    assert len(runs) == (0 if name == "nothing" else 2)
    assert all("-fun" in words for words in runs)
