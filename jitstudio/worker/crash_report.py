"""Says why a worker process died, for the user."""

from __future__ import annotations

import signal

from jitstudio.core.bounds.folders import DEEPEST, MOST_WALKED
from jitstudio.core.result import Crash, Outcome
from jitstudio.core.tools import Tool
from jitstudio.worker.calls import Ending
from jitstudio.worker.host import ChildDeath
from jitstudio.worker.limits import (
    EXIT_DISK_TAKEN,
    EXIT_OUT_OF_MEMORY,
    EXIT_TOO_MANY,
    LARGEST_FILE,
    MOST_ON_DISK,
    MOST_PROCESSES,
)

_KEPT = "Your text is kept and the next build works."
_REASONS = {
    "SIGSEGV": "it read or wrote memory that is not its own",
    "SIGILL": "it met something its authors held to be impossible",
    "SIGABRT": "it gave up by itself",
    "SIGBUS": "it read memory that does not exist",
    "SIGFPE": "it divided by zero",
    "SIGKILL": "the system killed it, most often because memory ran out",
    "SIGSYS": "its sandbox ended it, as it made a system call that no compiler makes",
    "SIGXFSZ": f"it wrote a file larger than {LARGEST_FILE >> 30} GiB",
    "SIGTRAP": "it met something its authors held to be impossible",
}
OUT_OF_MEMORY = "out of memory"
TOO_MANY_PROCESSES = "too many processes"
DISK_TAKEN = "too much on disk"
NO_ANSWER = "no answer"
_OUT_OF_MEMORY_WORDS = ("bad_alloc", "MemoryError", "out of memory", "Out of memory")


def crash_after_death(tool: Tool | None, death: ChildDeath) -> Crash:
    """Returns the crash of a child that ended unasked while this tool ran."""
    who = tool.value if tool else "The worker process"
    name, what = cause_of_death(death, "on this input")
    if name == OUT_OF_MEMORY:
        what += " Does the code unroll, recurse or instantiate without end?"
    return Crash(tool, name, f"{who} {what} {_KEPT}")


def reading_mishap(
    answer: object, file: str, timeout: float, remedy: str, part: str = ""
) -> tuple[str, Outcome] | None:
    """Returns why a reading process gave no answer, and the outcome; None with an answer.

    Args:
        answer: The result of the call.
        file: The file to be read.
        timeout: Seconds it may have taken.
        remedy: The advice about a file that takes longer, a sentence.
        part: The part of the file, with a blank behind; empty for all.
    """
    match answer:
        case Ending.CANCEL:
            return f"Reading {part}{file} was cancelled.", Outcome.CANCELLED
        case Ending.TIME_LIMIT:
            stopped = f"Reading {part}{file} was stopped after {timeout:g} s, its time limit."
            return f"{stopped} {remedy}", Outcome.TIMED_OUT
        case ChildDeath() as death:
            _, cause = cause_of_death(death)
            return f"The process that reads {file} {cause}", Outcome.CRASHED
    return None


def cause_of_death(death: ChildDeath, met: str = "") -> tuple[str, str]:
    """Returns why a child is gone that nobody wanted to end.

    Args:
        death: Its end.
        met: Where it crashed, as a phrase.

    Returns:
        The name of the cause, and what it did: a sentence without its subject.
    """
    if death.nonsense:
        return NO_ANSWER, (
            f"sent what is not an answer ({death.nonsense}) and was ended: something harmed it "
            f"{met}."
        ).replace(" .", ".")
    status, stderr = death.status, death.stderr
    if status == EXIT_OUT_OF_MEMORY or any(word in stderr for word in _OUT_OF_MEMORY_WORDS):
        return OUT_OF_MEMORY, "ran out of memory."
    if status == EXIT_TOO_MANY:
        cause = f"was ended, as it had started more than {MOST_PROCESSES:,} processes."
        return TOO_MANY_PROCESSES, cause
    if status == EXIT_DISK_TAKEN:
        return DISK_TAKEN, (
            f"was ended, as it had written more than {MOST_ON_DISK >> 30} GiB to its folder, or "
            f"more files and folders than are counted ({MOST_WALKED:,}, {DEEPEST} levels)."
        )
    if status < 0:
        name = _signal_name(-status)
        reason = _REASONS.get(name, "no reason is known")
        return name, f"crashed {met} ({name}: {reason}).".replace("  ", " ")
    last = stderr.strip().splitlines()[-1:] or ["it said nothing"]
    return f"exit {status}", f"ended with exit status {status} ({last[0]})."


def crash_after_time_limit(tool: Tool | None, limit: float) -> Crash:
    """Returns the crash of a child that was killed at the time limit, in seconds."""
    who = tool.value if tool else "The worker process"
    return Crash(
        tool,
        "time limit",
        f"{who} was stopped after {limit:g} s, the time limit. Simplify the code or raise the "
        f"limit. {_KEPT}",
    )


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
