from jitstudio.core.arch import Arch
from jitstudio.core.code import Artifact, CodeKind
from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.core.events import BuildRecord, Problem, StageFinished, StageStarted
from jitstudio.core.result import Crash, Kernel, LoweredName, Outcome, StageResult
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
    second = StageFinished(stage(tool=Tool.NVDISASM), kernels=(KERNEL,))
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


def test_a_stage_is_running_between_its_two_events():
    record = folded(STARTED)
    assert record.running == STARTED
    record.add(StageFinished(stage()))
    assert record.running is None


def test_an_interrupted_build_keeps_what_was_finished():
    crash = Crash(Tool.NVVM, "SIGILL", "libNVVM crashed")
    running = StageStarted(Tool.NVVM, "2.0", "b.ll", ("-arch=compute_100",), 2, 2)
    record = folded(STARTED, StageFinished(stage(), (PTX,)), running)
    result = record.interrupted(Outcome.CRASHED, crash, "last words", 3.0)
    assert result.outcome is Outcome.CRASHED
    assert result.artifacts == (PTX,)
    assert result.crash == crash
    last = result.stages[-1]
    assert (last.tool, last.source, last.ok, last.crash) == (Tool.NVVM, "b.ll", False, crash)
    assert (last.options, last.stderr) == (("-arch=compute_100",), "last words")
    assert [(d.file, d.message) for d in result.diagnostics] == [("b.ll", "libNVVM crashed")]


def test_a_cancelled_build_has_no_crash_and_no_error():
    result = folded(STARTED).interrupted(Outcome.CANCELLED, None, "", 3.0)
    assert (result.outcome, result.crash) == (Outcome.CANCELLED, None)
    assert result.diagnostics == ()
