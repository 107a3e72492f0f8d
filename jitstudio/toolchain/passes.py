"""Runs a compiler again and again, up to another pass of the optimiser each time.

LLVM reads the limit once in the life of a process: at its first run, though that has none. So each
run is in a process of its own, forked from one that has loaded the libraries and compiled nothing.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import tempfile
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from importlib import import_module
from itertools import islice, zip_longest
from typing import IO, NamedTuple, NoReturn

from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind
from jitstudio.core.diagnostics import Diagnostic, diagnose
from jitstudio.core.passes import (
    MOST_PASSES,
    IrText,
    LimitedRun,
    OptimiserPass,
    PassesEnd,
    PassesRequest,
    PassList,
)
from jitstudio.core.plan import Job
from jitstudio.core.tools import Tool
from jitstudio.ptx.skimming import ptx_target
from jitstudio.toolchain.tool_output import STDERR, Report, ToolMissing

_COMPILERS = {
    Tool.NVRTC: ("nvrtc", "compile_as_sent"),
    Tool.NVVM: ("nvvm", "compile_as_sent"),
    Tool.NVJITLINK: ("nvjitlink", "link"),
}
_LIMIT = "-opt-bisect-limit={}"
_UNLIMITED = 1 << 30
_REMARKS = ("-pass-remarks=.*", "-pass-remarks-missed=.*")
_PRINT = "-print-changed"
_FOR_OPTIMISER = "-Xopt"
_MOST_PRINTED = 64 << 20
_MOST_REMARKS = 2_000

# `BISECT: running pass (12) Unroll loops on loop (%5)`; a name may have " on " in it.
_RUNNING = re.compile(
    r"^BISECT: running pass \((?P<number>\d+)\) (?P<name>[^\n]*) on "
    r"(?P<unit>(?:module|function|SCC|loop|region|basic block|machine function)\b[^\n]*)$",
    re.MULTILINE,
)
# `*** IR Dump After Code sinking (sink) on saxpy omitted because no change ***`
_PRINTED = re.compile(r"^\*\*\* IR Dump After (?P<pass>[^\n]*) \*\*\*$", re.MULTILINE)
_IDLE = (" omitted because no change", " filtered out")
# The first of the mid-end, in all versions that let it be left out.
_MID_END = "Promote Memory to Register"
# From this target on libNVVM may let none of the mid-end be left out. Before, a module of small
# device functions lacks that pass, too.
_BACK_END_ALONE = 100


# Seconds of a processor that all limits may take; beyond, those between two with the same PTX are
# left out.
_PATIENCE = 6.0

_Tell = Callable[[PassList | LimitedRun], None]


def film(request: PassesRequest, tell: _Tell, width: int) -> PassesEnd:
    """Films a run; see `core.passes`.

    Args:
        request: The run.
        tell: Takes the list of passes first, and then each limit that was tried, from coarse to
            fine.
        width: How many processes run at a time.
    """
    job = request.job
    if not hasattr(os, "fork"):
        return PassesEnd(
            "This system cannot copy a process (fork), which each pass needs: Linux can."
        )
    try:
        import_module(f"jitstudio.toolchain.{_COMPILERS[job.tool][0]}").version()
    except ToolMissing as missing:
        return PassesEnd(str(missing))
    whole = _run(_limited(job, _UNLIMITED))
    passes = tuple(_passes(whole.printed))
    if whole.error or not passes:
        return PassesEnd(_why_none(job, whole))
    if len(passes) > MOST_PASSES:
        return PassesEnd(
            f"There are {len(passes):,} passes, and no more than {MOST_PASSES:,} are filmed. Put "
            "fewer functions into the module."
        )
    is_newer = _target(whole.ptx) >= _BACK_END_ALONE
    has_mid_end = not is_newer or any(item.name == _MID_END for item in passes)
    tell(
        PassList(
            passes,
            whole.ptx,
            tuple(_remarks(job, _run(_with_words(job, *_REMARKS)).log)),
            () if has_mid_end else tuple(_back_end(_run(_with_words(job, _PRINT)).printed)),
            has_mid_end,
        )
    )
    every = request.every_pass or whole.seconds * len(passes) < _PATIENCE
    limits = _Limits(job, whole.ptx, len(passes), tell, width)
    if request.number is not None and request.number <= len(passes):
        limits.try_these((request.number - 1, request.number))
    limits.try_all(every=every)
    return PassesEnd()


class _Limits:
    """Tries limits, each at most once."""

    def __init__(self, job: Job, ptx: bytes, count: int, tell: _Tell, width: int) -> None:
        self._job = job
        self._tell = tell
        self._width = width
        self._ptx: dict[int, bytes] = {count: ptx}
        self._limit_of = {ptx: count}
        self._count = count

    def try_all(self, *, every: bool) -> None:
        """Tries limits from coarse to fine; unless `every`, none between two with the same PTX."""
        self.try_these([0])
        ranges = [(0, self._count)]
        while ranges:
            wide = [
                (first, (first + last) // 2, last)
                for first, last in ranges
                if last - first > 1 and (every or self._ptx[first] != self._ptx[last])
            ]
            self.try_these([middle for _, middle, _ in wide])
            ranges = [
                half for first, middle, last in wide for half in ((first, middle), (middle, last))
            ]

    def try_these(self, limits: Iterable[int]) -> None:
        """Tries limits, in this order."""
        waiting = deque(limit for limit in limits if limit not in self._ptx)
        running: deque[tuple[int, _Apart]] = deque()
        while waiting or running:
            while waiting and len(running) < self._width:
                limit = waiting.popleft()
                running.append((limit, _start(_limited(self._job, limit))))
            limit, apart = running.popleft()
            self._tell(self._tried(limit, apart.end()))

    def _tried(self, limit: int, made: _Made) -> LimitedRun:
        self._ptx[limit] = made.ptx
        if made.error:
            return LimitedRun(limit, error=made.error)
        same_as = self._limit_of.setdefault(made.ptx, limit)
        if same_as != limit:
            return LimitedRun(limit, same_as=same_as)
        return LimitedRun(limit, made.ptx)


# ---- A run in a process of its own


class _Made(NamedTuple):
    """The results of a run, or the error; the printed text, and the seconds of a processor."""

    ptx: bytes
    log: str
    error: str
    printed: str
    seconds: float


class _Apart(NamedTuple):
    """A run that has begun."""

    pid: int
    result: IO[bytes]
    printed: IO[bytes]

    def end(self) -> _Made:
        """Waits for the end of the run."""
        with self.result, self.printed:
            _, status, used = os.wait4(self.pid, 0)
            seconds = used.ru_utime + used.ru_stime
            self.result.seek(0)
            self.printed.seek(0)
            printed = self.printed.read(_MOST_PRINTED).decode("utf-8", "replace")
            if status:
                error = _words_on_end(os.waitstatus_to_exitcode(status), printed)
                return _Made(b"", "", error, printed, seconds)
            head = json.loads(self.result.readline())
            ptx = self.result.read()
            return _Made(ptx, head["log"], head["error"], printed, seconds)


def _run(job: Job) -> _Made:
    return _start(job).end()


def _start(job: Job) -> _Apart:
    # Closed by `end`.
    files = (tempfile.TemporaryFile(), tempfile.TemporaryFile())  # noqa: SIM115
    apart = _Apart(0, *files)
    pid = os.fork()
    if pid == 0:
        _compile_and_end(job, apart)
    return apart._replace(pid=pid)


def _compile_and_end(job: Job, apart: _Apart) -> NoReturn:
    status = 1
    try:
        os.dup2(apart.printed.fileno(), STDERR)
        module, function = _COMPILERS[job.tool]
        report: Report = getattr(import_module(f"jitstudio.toolchain.{module}"), function)(job)
        error = "" if report.ok else report.error_log or "It says nothing."
        apart.result.write(json.dumps({"log": report.log, "error": error}).encode() + b"\n")
        apart.result.write(report.code.get(CodeKind.PTX, b""))
        apart.result.flush()
        status = 0
    except Exception:
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(status)


def _words_on_end(status: int, printed: str) -> str:
    if status < 0:
        return f"The compiler crashed ({signal.Signals(-status).name})."
    last = printed.strip().rpartition("\n")[2] or "it said nothing"
    return f"The compiler ended with exit status {status} ({last})."


# ---- Options, and what is said of passes


def _limited(job: Job, limit: int) -> Job:
    return _with_words(job, _LIMIT.format(limit))


def _with_words(job: Job, *words: str) -> Job:
    """Returns the run with words for LLVM."""
    if job.tool is Tool.NVVM:
        more = [part for word in words for part in (_FOR_OPTIMISER, word)]
    else:
        more = [f"-Xnvvm={part}" for word in words for part in (_FOR_OPTIMISER, word)]
    return replace(job, options=(*job.options, *more))


def _passes(printed: str) -> Iterator[OptimiserPass]:
    for match in _RUNNING.finditer(printed):
        yield OptimiserPass(int(match["number"]), match["name"], match["unit"])


def _target(ptx: bytes) -> int:
    target = ptx_target(ptx.decode("utf-8", "replace"))
    return Arch.parse(target).number if target else 0


def _why_none(job: Job, whole: _Made) -> str:
    if whole.error:
        first = whole.error.strip().partition("\n")[0].strip()
        return f"{job.tool.value} does not stop after a pass: {first}"
    return (
        f"{job.tool.value} has named no pass that it could stop after: this version lacks the "
        "option (-opt-bisect-limit), or another option switches the optimiser off."
    )


def _remarks(job: Job, log: str) -> Iterator[Diagnostic]:
    """Yields the remarks of passes on the source, each once."""
    lines = "\n".join(line for line in log.splitlines() if line.startswith("remark: "))
    told = diagnose(job.tool, job.name, ok=True, log=lines, error_log="")
    for remark in islice(dict.fromkeys(told), _MOST_REMARKS):
        yield remark if remark.line else replace(remark, file=job.name, line=None, column=None)


def _back_end(printed: str) -> Iterator[IrText]:
    heads = list(_PRINTED.finditer(printed))
    for head, following in zip_longest(heads, heads[1:]):
        text = printed[head.end() : following.start() if following else None].strip("\n")
        is_idle = head["pass"].endswith(_IDLE)
        place = head["pass"].removesuffix(_IDLE[0]).removesuffix(_IDLE[1])
        name, _, unit = place.rpartition(" on ")
        yield IrText(name, unit, "" if is_idle else text)
