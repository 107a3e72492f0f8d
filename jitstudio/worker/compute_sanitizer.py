"""Runs a launch under compute-sanitizer, which comes with the CUDA toolkit, and reads the log.

Each report in the log begins with a line of its own behind the rule ``=========`` and goes on in
indented lines, as the manual of compute-sanitizer shows them.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from jitstudio.core.launch.result import SanitizerFinding
from jitstudio.core.launch.spec import Sanitizer
from jitstudio.core.tools import USUAL_TOOLKITS
from jitstudio.worker import scratch
from jitstudio.worker.host import WorkerHost
from jitstudio.worker.protocol import WorkerProgram

_NAME = "compute-sanitizer"
_ROOTS = ("CUDA_HOME", "CUDA_PATH")
_MISSING = (
    f"{_NAME} is not installed. It comes with the CUDA toolkit (package cuda-sanitizer): install "
    "that, or put its folder on the PATH. The launch works without it."
)


class SanitizerMissing(RuntimeError):
    """compute-sanitizer is not installed; the message says how to get a copy."""


@dataclass
class Sanitized:
    """A launch process under the sanitizer.

    Attributes:
        host: The process.
        findings: The findings; known once the process has ended.
    """

    host: WorkerHost
    findings: tuple[SanitizerFinding, ...] = ()


def find_sanitizer() -> str | None:
    """Returns the program, on the PATH or in the toolkit's folder; None where there is none."""
    roots = [os.environ[name] for name in _ROOTS if os.environ.get(name)]
    folders = [str(Path(root) / "bin") for root in (*roots, *USUAL_TOOLKITS)]
    return shutil.which(_NAME) or shutil.which(_NAME, path=os.pathsep.join(folders))


@contextlib.contextmanager
def sanitized(tool: Sanitizer, program: WorkerProgram) -> Iterator[Sanitized]:
    """Has a process under the sanitizer for the block; the findings are complete afterwards.

    Raises:
        SanitizerMissing: There is none.
    """
    sanitizer = find_sanitizer()
    if sanitizer is None:
        raise SanitizerMissing(_MISSING)
    folder = scratch.make("sanitizer")
    try:
        # A file for each process: whatever else ours may start must not overwrite its findings.
        logs = str(folder / "%p.txt")
        wrapper = [sanitizer, "--tool", tool.value, "--log-file", logs, "--target-processes", "all"]
        run = Sanitized(WorkerHost(0, program, wrapper))
        try:
            yield run
        finally:
            run.host.close()
            run.findings = findings(
                "\n".join(
                    log.read_text(encoding="utf-8", errors="replace")
                    for log in sorted(folder.iterdir())
                )
            )
    finally:
        scratch.remove(folder)


_RULE = "========="
_PLACE = re.compile(r"\bat (?:0x[0-9a-f]++ in )?(.+)")
_OFFSET = re.compile(r"\+0x[0-9a-f]++\Z")
_LINE = re.compile(r":(\d{1,9})\Z")
_CLOSER = ("by thread", "Access ", "Address ", "and is ")
# What is no finding of its own: headings, sums, and calls that failed because of a finding.
_ASIDES = (
    "COMPUTE-SANITIZER",
    "Program hit",
    "ERROR SUMMARY",
    "RACECHECK SUMMARY",
    "LEAK SUMMARY",
    "Target application",
    "No CUDA",
    "Error: No attachable",
    "Error: Target application",
)


def findings(log: str) -> tuple[SanitizerFinding, ...]:
    """Returns the findings in the log, the same place and words once."""
    seen: dict[tuple[str, str, int | None], SanitizerFinding] = {}
    for finding in _findings(log):
        key = (finding.message.partition(",")[0], finding.file, finding.line)
        known = seen.get(key)
        seen[key] = replace(known, count=known.count + 1) if known else finding
    return tuple(seen.values())


def _findings(log: str) -> Iterator[SanitizerFinding]:
    for head, body in _reports(log):
        if head.startswith(_ASIDES):
            continue
        places = (match[1] for line in (head, *body) if (match := _PLACE.search(line)))
        kernel, file, line = _place(next(places, ""))
        details = [line for line in body if line.startswith(_CLOSER)]
        yield SanitizerFinding(", ".join((head, *details)), kernel, file, line)


def _place(text: str) -> tuple[str, str, int | None]:
    """Returns kernel, file and line of ``k(int *)+0x70 in k.cu:7 [device]``, or the kernel."""
    if text.endswith("]"):
        text = text.partition(" [")[0]
    kernel, file, number = text, "", None
    if line := _LINE.search(text):
        head, named, place = text[: line.start()].partition(" in ")
        if named:
            kernel, file, number = head, place, int(line[1])
    return _OFFSET.sub("", kernel), file, number


def _reports(log: str) -> Iterator[tuple[str, list[str]]]:
    head: str = ""
    body: list[str] = []
    for raw in log.splitlines():
        if not raw.startswith(_RULE):
            continue
        line = raw[len(_RULE) :]
        words = line.strip()
        if words and not line.startswith("  "):
            if head:
                yield head, body
            head, body = words, []
        elif words:
            body.append(words)
    if head:
        yield head, body
