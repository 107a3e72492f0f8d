"""Reads the log of compute-sanitizer.

Each report begins with a line of its own behind the rule ``=========`` and goes on in indented
lines, as its manual shows them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from jitstudio.core.launch.result import Finding

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


def findings(log: str) -> tuple[Finding, ...]:
    """What the log reports, the same place and words once."""
    seen: dict[tuple[str, str, int | None], Finding] = {}
    for finding in _findings(log):
        key = (finding.message.partition(",")[0], finding.file, finding.line)
        known = seen.get(key)
        seen[key] = replace(known, count=known.count + 1) if known else finding
    return tuple(seen.values())


def _findings(log: str) -> Iterator[Finding]:
    for head, body in _reports(log):
        if head.startswith(_ASIDES):
            continue
        places = (match[1] for line in (head, *body) if (match := _PLACE.search(line)))
        kernel, file, line = _place(next(places, ""))
        details = [line for line in body if line.startswith(_CLOSER)]
        yield Finding(", ".join((head, *details)), kernel, file, line)


def _place(text: str) -> tuple[str, str, int | None]:
    """Kernel, file and line of ``kernel(int *)+0x70 in k.cu:7 [device]``, or the kernel alone."""
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
