"""Findings that a thread looks for while live registers are still counted."""

import threading
from contextlib import closing

import pytest

from jitstudio.analysis.reading_request import AnalysisRequest
from jitstudio.commands import machine_code
from jitstudio.commands.machine_code import EarlyFindings, Unit, findings_in
from jitstudio.core.code import Artifact, CodeKind
from jitstudio.core.tools import ToolFile
from jitstudio.worker.code_readers import DisassemblyReader
from tests.support import QUICK_ARCH, cuda, request

KERNELS = "".join(
    f'extern "C" __global__ void k{n}(float* p) {{ p[threadIdx.x * {n}] *= 2.5; }}\n'
    for n in (1, 32)
)


@pytest.fixture(scope="module")
def unit(tools):
    built = tools.cubin(request(cuda(KERNELS), emit="cubin", arch=QUICK_ARCH.sm))
    code = tools.code(built.content)
    return Unit("k.cu", Artifact(CodeKind.CUBIN, "k.cu", built.content), code, code.resources, {})


@pytest.mark.tools
def test_a_thread_finds_what_is_found_later(unit, monkeypatch):
    threads = []
    real = machine_code.findings

    def findings(function, *more):
        threads.append((function.name, threading.current_thread()))
        return real(function, *more)

    monkeypatch.setattr(machine_code, "findings", findings)
    early = EarlyFindings()
    early.begin(unit, unit.named("k32"))
    both = {f.name: early.of(unit, f) for f in unit.functions}
    assert {name for name, at in threads if at is not threading.current_thread()} == {"k32"}
    assert both == {f.name: findings_in(unit, f) for f in unit.functions}
    assert both["k32"] != both["k1"]


@pytest.mark.tools
def test_what_fails_in_the_thread_is_told_to_who_waits_for_it(unit, monkeypatch):
    def findings(function, *_):
        if function.name == "k1":
            raise ZeroDivisionError
        return ()

    monkeypatch.setattr(machine_code, "findings", findings)
    early = EarlyFindings()
    early.begin(unit, unit.functions)
    by_name = {f.name: f for f in unit.functions}
    with pytest.raises(ZeroDivisionError):
        early.of(unit, by_name["k1"])
    assert early.of(unit, by_name["k32"]) == ()


@pytest.mark.tools
@pytest.mark.parametrize("wants_code", [True, False])
def test_code_is_told_early_to_who_asks_for_it(unit, monkeypatch, wants_code):
    asked = []

    def ask(wanted, _ticket, _timeout, _need, on_event):
        asked.append(wanted.tells_early)
        on_event(ToolFile("nvdisasm", ()))
        if wanted.tells_early:
            on_event(unit.code)
        return unit.code

    told = []
    with closing(DisassemblyReader()) as reader:
        monkeypatch.setattr(reader, "_ask", ask)
        on_code = told.append if wants_code else None
        answer = reader.analyse(AnalysisRequest(unit.cubin.content, "k.cu"), on_code=on_code)
    assert answer == unit.code
    assert (asked, told) == ([wants_code], [unit.code] * wants_code)
