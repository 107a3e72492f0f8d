import pytest

from jitstudio.core.tools import Tool
from jitstudio.worker.crash_report import crash_after_death, crash_after_time_limit
from jitstudio.worker.host import ChildDeath
from jitstudio.worker.limits import EXIT_OUT_OF_MEMORY


@pytest.mark.parametrize(
    ("status", "name"),
    [(-4, "SIGILL"), (-11, "SIGSEGV"), (-6, "SIGABRT"), (-9, "SIGKILL"), (-200, "signal 200")],
)
def test_a_signal_is_named_together_with_the_tool(status, name):
    crash = crash_after_death(Tool.NVVM, ChildDeath(False, status))
    assert (crash.tool, crash.signal) == (Tool.NVVM, name)
    assert crash.message.startswith(f"libNVVM crashed on this input ({name}: ")
    assert crash.message.endswith("next build works.")


@pytest.mark.parametrize(
    ("status", "stderr"),
    [
        (EXIT_OUT_OF_MEMORY, ""),
        (-6, "terminate called after throwing an instance of 'std::bad_alloc'"),
        (1, "LLVM ERROR: out of memory"),
    ],
)
def test_an_end_for_want_of_memory_is_called_so(status, stderr):
    crash = crash_after_death(Tool.NVRTC, ChildDeath(False, status, stderr))
    assert crash.signal == "out of memory"
    assert crash.message.startswith("NVRTC ran out")


def test_an_exit_status_comes_with_the_last_words():
    crash = crash_after_death(None, ChildDeath(False, 3, "first\nlast words\n"))
    assert crash.signal == "exit 3"
    assert crash.message.startswith(
        "The worker process ended with exit status 3 (last words). Your text is kept"
    )


def test_nonsense_is_told_with_what_was_wrong():
    crash = crash_after_death(Tool.NVRTC, ChildDeath(False, -9, "", "it says too much"))
    assert crash.signal == "no answer"
    assert crash.message == (
        "NVRTC sent what is not an answer (it says too much) and was ended: something harmed "
        "it on this input. Your text is kept and the next build works."
    )


def test_a_silent_exit_is_told_as_well():
    assert "exit status 0 (it said nothing)" in crash_after_death(None, ChildDeath(False)).message


def test_the_time_limit_is_told_in_seconds():
    crash = crash_after_time_limit(Tool.NVJITLINK, 2.5)
    assert crash.signal == "time limit"
    assert crash.message.startswith("nvJitLink was stopped after 2.5 s, the time limit.")
