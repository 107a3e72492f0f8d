"""The part of a CUDA C++ module that NVRTC gets: all that is not for the host only."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from jitstudio.core.code import split_variant
from jitstudio.core.options import ALL_DEVICE
from jitstudio.core.plan import Job
from jitstudio.core.result import HostCodeAside
from jitstudio.listing.cuda.host_code import MARKS, HostCode, device_macros, find_host_code


@dataclass(frozen=True)
class DevicePart:
    """A compile without host code.

    Attributes:
        job: What NVRTC gets.
        whole: What it would have got.
        host_code: What was set aside, a text each.
        names: The functions and variables in it, each with its text and line.
        launched: Name expressions that the job has besides its own, as host code launches them.
    """

    job: Job
    whole: Job
    host_code: tuple[HostCodeAside, ...] = ()
    names: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    launched: tuple[str, ...] = ()


def device_part(job: Job) -> DevicePart:
    """Returns a compile without host code; the same where there is none.

    With the option by which unmarked functions are for the device there is no host code.
    """
    if job.keep_host_code or any(option in ALL_DEVICE for option in job.options):
        return DevicePart(job, job)
    texts = [content for _, content in job.inputs] + [header.content for header in job.headers]
    macros = frozenset[str]().union(*map(device_macros, texts)) if job.headers else frozenset()
    mentioned = "\n".join(job.name_expressions).encode()
    found = [
        find_host_code(text, macros, b"\n".join((mentioned, *texts[:i], *texts[i + 1 :])))
        for i, text in enumerate(texts)
    ]
    if not any(each.spans or each.marks for each in found):
        return DevicePart(job, job)
    count = len(job.inputs)
    names = [split_variant(job.name)[0]] * count + [header.name for header in job.headers]
    inputs = tuple(
        (ref, each.device_text) for (ref, _), each in zip(job.inputs, found, strict=False)
    )
    headers = tuple(
        replace(header, content=each.device_text)
        for header, each in zip(job.headers, found[count:], strict=True)
    )
    marked = {each.text[start:end] for each in found for start, end in each.marks}
    options = (*job.options, *map(_definition, sorted(marked)))
    launched = dict.fromkeys(name for each in found for name in each.launched)
    more = tuple(name for name in launched if name not in job.name_expressions)
    expressions = (*job.name_expressions, *more)
    both = list(zip(names, found, strict=True))
    return DevicePart(
        replace(job, inputs=inputs, headers=headers, options=options, name_expressions=expressions),
        job,
        tuple(_aside(name, each) for name, each in both if each.spans),
        {word: (name, line) for name, each in both for word, line in each.names},
        more,
    )


def _definition(word: bytes) -> str:
    return f"--define-macro={MARKS[word].decode()}=__host__ __device__ {word.decode()}"


def _aside(name: str, found: HostCode) -> HostCodeAside:
    doubts = tuple((doubt.line, doubt.reason) for doubt in found.doubts)
    return HostCodeAside(name, found.ranges, doubts)


_MOST_RANGES = 12


_WARNING = re.compile(
    r"^(?P<file>[^\n(]*+)\((?P<line>\d++)\): warning #(?P<number>177|940)-D: (?P<said>[^\n]*)\n"
    r"(?:[ \t]+[^\n]*(?:\n|\Z))*+\n?(?:Remark: The warnings can be suppressed with [^\n]*\n*)?",
    re.MULTILINE,
)
_NAMED = re.compile(r'"(?:[^"]*::)?(\w+)"')


def without_idle_warnings(log: str, part: DevicePart) -> str:
    """Returns a log without warnings that are of no use to who has host code as well.

    They are of what host code alone uses, and of functions whose body was set aside.
    """
    bodies = {(each.name, at) for each in part.host_code for at in each.line_numbers()}

    def rest(match: re.Match[str]) -> str:
        if match["number"] == "940":
            return "" if (match["file"], int(match["line"])) in bodies else match[0]
        name = _NAMED.search(match["said"])
        word = re.compile(rf"\b{name[1] if name else match['said']}\b".encode())
        uses = sum(len(word.findall(text)) for _, text in part.whole.inputs)
        return "" if uses > 1 else match[0]

    return _WARNING.sub(rest, log)


_UNDEFINED = re.compile(r': error: (?:identifier|[a-z ]*has no member) "(\w+)"(?: is undefined)?')


def words_on_calls(part: DevicePart, errors: str) -> str:
    """Returns what to do about host code that device code needs; empty if it needs none."""
    found = dict.fromkeys(name for name in _UNDEFINED.findall(errors) if name in part.names)
    lines = []
    for name in found:
        text, line = part.names[name]
        where = "" if text == split_variant(part.job.name)[0] else f" of '{text}'"
        lines.append(
            f"'{name}', line {line:,}{where}, is host code and is not compiled. Device code can "
            "use it once it is marked with __device__."
        )
    return "\n".join(lines)


def words_on_host_code(part: DevicePart) -> Iterator[str]:
    """Yields what the log says of host code: a line for each text, and one for each doubt."""
    module = split_variant(part.job.name)[0]
    for aside in part.host_code:
        where = "" if aside.name == module else f" of '{aside.name}'"
        ranges = [f"{a}-{b}" if a != b else f"{a}" for a, b in aside.ranges]
        if len(ranges) > _MOST_RANGES:
            ranges[_MOST_RANGES:] = [f"and {len(ranges) - _MOST_RANGES} more places"]
        are = "line of host code is" if aside.lines == 1 else "lines of host code are"
        yield f"{aside.lines:,} {are} not compiled{where}: {', '.join(ranges)}."
        yield from (f"Line {line:,}{where}: {reason}" for line, reason in aside.doubts)
