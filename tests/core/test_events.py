from dataclasses import replace

from jitstudio.core.arch import Arch
from jitstudio.core.code import Artifact, CodeKind
from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.core.events import BuildRecord, Notice, Problem, StageFinished, StageStarted
from jitstudio.core.result import Crash, Kernel, LoweredName, Outcome, Resources, StageResult
from jitstudio.core.tools import Tool

ARCH = Arch(90)
STARTED = StageStarted(Tool.NVRTC, "13.4", "k.cu", ("-arch=compute_90",), 1, 2)
PTX = Artifact(CodeKind.PTX, "k.cu", b".version 9.4")
CUBIN = Artifact(CodeKind.CUBIN, "k.cu", b"\x7fELF")
NAME = LoweredName("k.cu", "k<int>", "_Z1kIiEvv", "void k<int>()")
KERNEL = Kernel("k.cu", "_Z1kIiEvv", "void k<int>()")
FAILING_LOG = 'k.cu(2): error: expected a ";"'


def stage(ok=True, error_log="", tool=Tool.NVRTC, crash=None):
    return StageResult(tool, "13.4", "k.cu", (), ok, 5.0, error_log=error_log, crash=crash)


def folded(*events, emit=(CodeKind.PTX,)):
    record = BuildRecord(ARCH, frozenset(emit))
    for event in events:
        record.add(event)
    return record


def test_finished_stages_add_up():
    first = StageFinished(stage(), (PTX, CUBIN), (NAME,), (KERNEL,))
    second = StageFinished(stage(tool=Tool.NVDISASM), kernels=(KERNEL,), step=2)
    result = folded(STARTED, first, second).result(12.5)
    assert result.outcome is Outcome.BUILT
    assert result.ok
    assert result.arch == ARCH
    assert [s.tool for s in result.stages] == [Tool.NVRTC, Tool.NVDISASM]
    assert result.lowered_names == (NAME,)
    assert result.kernels == (KERNEL,)
    assert (result.total_ms, result.tool_ms) == (12.5, 10.0)


def test_only_what_was_asked_for_is_kept():
    result = folded(StageFinished(stage(), (PTX, CUBIN))).result(1)
    assert result.artifacts == (PTX,)
    assert result.artifact(CodeKind.PTX, "k.cu") == PTX
    assert result.artifact(CodeKind.CUBIN, "k.cu") is None


def test_a_failed_stage_fails_the_build_with_the_errors_of_its_log():
    result = folded(StageFinished(stage(ok=False, error_log=FAILING_LOG))).result(1)
    assert result.outcome is Outcome.FAILED
    (found,) = result.diagnostics
    assert (found.file, found.line, found.message) == ("k.cu", 2, 'expected a ";"')


def test_a_problem_decides_the_outcome():
    told = Diagnostic(Severity.ERROR, "", None, None, "NVRTC cannot be loaded")
    result = folded(StageFinished(stage()), Problem(Outcome.MISSING, told)).result(1)
    assert result.outcome is Outcome.MISSING
    assert result.diagnostics == (told,)


def test_a_tool_that_crashed_in_its_own_process_is_a_crash():
    crash = Crash(Tool.NVDISASM, "SIGSEGV", "nvdisasm crashed")
    result = folded(StageFinished(stage(ok=False, crash=crash))).result(1)
    assert (result.outcome, result.crash) == (Outcome.CRASHED, crash)


def test_steps_may_end_in_any_order():
    other = Artifact(CodeKind.PTX, "b.cu", b".version 9.4 //b")
    told = [
        STARTED,
        replace(STARTED, source="b.cu", step=2),
        StageFinished(replace(stage(), source="b.cu"), (other,), step=2),
        StageFinished(stage(), (PTX,), step=1),
    ]
    result = folded(*told).result(1)
    assert [s.source for s in result.stages] == ["k.cu", "b.cu"]
    assert result.artifacts == (PTX, other)


def test_a_step_that_is_tried_again_counts_once():
    result = folded(STARTED, STARTED, StageFinished(stage(), (PTX,))).result(1)
    assert len(result.stages) == 1
    assert result.ok


def test_a_stage_that_was_lost_is_a_crash_among_what_was_finished():
    crash = Crash(Tool.NVVM, "SIGILL", "libNVVM crashed")
    running = StageStarted(Tool.NVVM, "2.0", "b.ll", ("-arch=compute_100",), 2, 3)
    third = StageFinished(replace(stage(), source="c.cu"), step=3)
    lost = running.lost(crash, "last words")
    result = folded(STARTED, StageFinished(stage(), (PTX,)), running, third, lost).result(3.0)
    assert result.outcome is Outcome.CRASHED
    assert result.artifacts == (PTX,)
    assert result.crash == crash
    assert [s.source for s in result.stages] == ["k.cu", "b.ll", "c.cu"]
    gone = result.stages[1]
    assert (gone.tool, gone.ok, gone.crash) == (Tool.NVVM, False, crash)
    assert (gone.options, gone.stderr) == (("-arch=compute_100",), "last words")
    assert [(d.file, d.message) for d in result.diagnostics] == [("b.ll", "libNVVM crashed")]


def test_a_cancelled_build_shows_what_ran_and_has_no_crash_and_no_error():
    result = folded(STARTED).result(3.0, Outcome.CANCELLED)
    assert (result.outcome, result.crash) == (Outcome.CANCELLED, None)
    assert [(s.source, s.ok) for s in result.stages] == [("k.cu", False)]
    assert result.diagnostics == ()


def test_a_kernel_of_ptx_and_cubin_is_one_with_its_resources():
    known = replace(KERNEL, resources=Resources(registers=10))
    told = [StageFinished(stage(), kernels=(KERNEL, known)), StageFinished(stage(), step=2)]
    assert folded(*told).result(1).kernels == (known,)
    late = StageFinished(stage(), kernels=(KERNEL,), step=2)
    assert folded(StageFinished(stage(), kernels=(known,)), late).result(1).kernels == (known,)


def test_what_is_missing_for_several_steps_is_told_once():
    told = Diagnostic(Severity.ERROR, "", None, None, "NVRTC cannot be loaded")
    problems = [Problem(Outcome.MISSING, told, step) for step in (2, 1)]
    assert folded(*problems).result(1).diagnostics == (told,)


def test_a_notice_does_not_touch_the_outcome():
    told = Diagnostic(Severity.WARNING, "", None, None, "The cache cannot be used")
    result = folded(StageFinished(stage()), Notice(told)).result(1)
    assert result.outcome is Outcome.BUILT
    assert result.diagnostics == (told,)
