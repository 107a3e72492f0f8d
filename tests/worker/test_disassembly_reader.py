"""Cubins read in a process of its own, by the real nvdisasm."""

import os
import signal
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from jitstudio.analysis.reading_request import AnalysisRequest, ReadingFailure
from jitstudio.analysis.sass.model import Disassembly
from jitstudio.cache.store import Store
from jitstudio.core.code import CodeKind
from jitstudio.core.result import Outcome
from jitstudio.worker.code_readers import DisassemblyReader
from jitstudio.worker.host import WorkerError
from tests.support import QUICK_ARCH, cuda, request

pytestmark = [pytest.mark.tools, pytest.mark.usefixtures("own_workers")]

QUICK = 60.0


def loops(count):
    """So many kernels with a loop."""
    return "".join(
        f'extern "C" __global__ void k{n}(int* p) {{ for (int i = 0; i < 64; ++i) '
        f"p[i * {n}] += p[i * i + {n}] * i; }}\n"
        for n in range(1, count + 1)
    )


def has_children(pid):
    """Whether a process has called a tool."""
    return any(found.read_text() for found in Path(f"/proc/{pid}/task").glob("*/children"))


@pytest.fixture(scope="module")
def cubins(tools):
    texts = {"two": loops(2), "many": loops(40)}
    wanted = {
        name: request(cuda(text), emit="cubin", arch=str(QUICK_ARCH))
        for name, text in texts.items()
    }
    return {name: tools.cubin(asked).content for name, asked in wanted.items()}


@pytest.fixture
def reader():
    made = DisassemblyReader()
    yield made
    made.close()


def test_functions_and_live_registers_come_back(reader, cubins):
    code = reader.analyse(AnalysisRequest(cubins["two"], "kernel.cubin"))
    assert isinstance(code, Disassembly)
    assert {function.name for function in code.kernels} == {"k1", "k2"}
    for function in code.functions:
        assert len(function.live) == 4 * len(function) > 0
        assert max(row.live.gpr for row in function) > 2


def test_ptx_tells_the_calls_that_the_cubin_does_not(reader, tools):
    text = """\
__device__ float twice(float x) { return x * 2.f + 1.f; }
extern "C" __global__ void k(float* p) {
    p[0] = twice(p[1])
        + twice(p[2]);
}
"""
    made = tools.build(request(cuda(text), emit="cubin,ptx"))
    cubin, ptx = (made.artifact(kind, "kernel.cu") for kind in (CodeKind.CUBIN, CodeKind.PTX))
    lines = []
    for texts in ({}, {"kernel.cu": ptx.text}):
        code = reader.analyse(AnalysisRequest(cubin.content, "k.cubin", texts))
        (function,) = code.functions
        rows = (row for row in function if row.opcode == "FFMA" and row.places[0].line == 1)
        lines.append([[place.line for place in row.places[1:]] for row in rows])
    assert lines == [[[3], []], [[3], [4]]]


def test_a_process_that_has_read_what_nobody_trusts_reads_nothing_else(reader, cubins):
    own = AnalysisRequest(cubins["two"], "two.cubin")
    theirs = replace(own, confined_to=("/theirs",))
    pids = []
    for asked in (own, own, theirs, theirs, own):
        assert isinstance(reader.analyse(asked), Disassembly)
        pids.append(reader.pid)
    assert pids[0] == pids[1]
    assert pids[2] == pids[3]
    assert len({pids[0], pids[2], pids[4]}) == 3


def test_answers_about_what_nobody_trusts_are_kept_apart(cubins, tmp_path):
    reader = DisassemblyReader(store=Store(tmp_path))
    own = AnalysisRequest(cubins["two"], "two.cubin")
    theirs = replace(own, confined_to=("/theirs",))
    answers = [reader.analyse(asked) for asked in (theirs, theirs, own, own)]
    reader.close()
    assert answers[0] is answers[1]
    assert answers[1] is not answers[2]
    assert answers[2] is answers[3]


def test_what_is_no_cubin_is_told_by_the_name_that_the_user_knows(reader):
    told = reader.analyse(AnalysisRequest(b"\x7fELF" + bytes(300), "mine.cubin"))
    assert isinstance(told, ReadingFailure)
    assert "mine.cubin" in told.message
    assert "/dev/fd" not in told.message


def test_a_killed_process_is_told_and_the_next_call_works(reader, cubins):
    reader.analyse(AnalysisRequest(cubins["two"], "two.cubin"))
    first = reader.pid
    answers = []
    reading = threading.Thread(
        target=lambda: answers.append(reader.analyse(AnalysisRequest(cubins["many"], "many")))
    )
    reading.start()
    while not has_children(first):
        time.sleep(0.005)
    os.kill(first, signal.SIGKILL)
    reading.join(QUICK)
    assert isinstance(answers[0], ReadingFailure)
    assert "many" in answers[0].message
    assert answers[0].outcome is Outcome.CRASHED
    code = reader.analyse(AnalysisRequest(cubins["two"], "two.cubin"))
    assert len(code.functions) == 2
    assert reader.pid != first


def test_an_analysis_can_be_cancelled(reader, cubins):
    reader.analyse(AnalysisRequest(cubins["two"], "two.cubin"))
    threading.Timer(0.05, reader.cancel, (7,)).start()
    started = time.monotonic()
    told = reader.analyse(AnalysisRequest(cubins["many"], "many.cubin"), ticket=7)
    assert time.monotonic() - started < QUICK
    assert isinstance(told, ReadingFailure)
    assert (told.outcome, "many.cubin" in told.message) == (Outcome.CANCELLED, True)


def test_an_analysis_ends_at_its_time_limit(reader, cubins):
    told = reader.analyse(AnalysisRequest(cubins["many"], "many.cubin"), timeout=0.01)
    assert "0.01 s, its time limit" in told.message
    assert told.outcome is Outcome.TIMED_OUT


def test_a_closed_analyst_says_so(cubins):
    reader = DisassemblyReader()
    reader.close()
    with pytest.raises(WorkerError):
        reader.analyse(AnalysisRequest(cubins["two"], "two.cubin"))
