"""The part of a CUDA C++ module that NVRTC gets: all that is not for the host only."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from jitstudio.core.code import Header, split_variant
from jitstudio.core.options import ALL_DEVICE
from jitstudio.core.plain_files import read_file
from jitstudio.core.plan import Job
from jitstudio.core.result import HostCodeAside
from jitstudio.listing.cuda.host_code import MARKS, HostCode, device_macros, find_host_code
from jitstudio.listing.includes import includes
from jitstudio.toolchain.headers import include_folders


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
    found = _found(job, texts, macros)
    if any(each.spans for each in found) and (more := _macros_on_disk(job, texts) - macros):
        found = _found(job, texts, macros | more)
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
    options = (*job.options, *_definitions(found))
    launched = dict.fromkeys(name for each in found for name in each.launched)
    more_names = tuple(name for name in launched if name not in job.name_expressions)
    expressions = (*job.name_expressions, *more_names)
    both = list(zip(names, found, strict=True))
    return DevicePart(
        replace(job, inputs=inputs, headers=headers, options=options, name_expressions=expressions),
        job,
        tuple(_aside(name, each) for name, each in both if each.spans),
        {word: (name, line) for name, each in both for word, line in each.names},
        more_names,
    )


def _found(job: Job, texts: list[bytes], macros: frozenset[str]) -> list[HostCode]:
    mentioned = "\n".join(job.name_expressions).encode()
    return [
        find_host_code(text, macros, b"\n".join((mentioned, *texts[:i], *texts[i + 1 :])))
        for i, text in enumerate(texts)
    ]


def _macros_on_disk(job: Job, texts: Iterable[bytes]) -> frozenset[str]:
    """Returns the macros that mark device code in headers next to the module, or in his folders."""
    folders = (os.path.dirname(split_variant(job.name)[0]), *include_folders(job))
    names = {name for text in texts if b'"' in text for name in includes(text).quoted}
    macros = frozenset[str]()
    for path in {os.path.join(folder, name) for folder in folders for name in names}:
        with suppress(OSError):
            macros |= device_macros(read_file(Path(path), _LARGEST))
    return macros


_LARGEST = 4 << 20
_HOST_ERROR = re.compile(
    r"^(?P<file>[^\n(]++)\(\d++\): error: (?:A function (?:without|explicitly)"
    r"|A namespace scope variable|A class static data|The execution space for the lambda"
    r"|[^\n]*(?:undefined|no member))",
    re.MULTILINE,
)


def with_headers(part: DevicePart, errors: str, opened: Iterable[str]) -> DevicePart | None:
    """Returns the compile with headers on disk without their host code, where that failed it.

    They are given in memory, under the names by which they are included, and say which file they
    are, so that messages and line tables do not change.

    Args:
        part: What NVRTC has refused.
        errors: What it said.
        opened: The files that it has opened.

    Returns:
        None where there is nothing to be gained.
    """
    job = part.job
    module = split_variant(job.name)[0]
    known = {header.name for header in job.headers} | {module}
    wanted = {m["file"] for m in _HOST_ERROR.finditer(errors)} - known
    texts = {}
    for path in sorted(wanted):
        with suppress(OSError):
            texts[path] = read_file(Path(path), _LARGEST)
    macros = frozenset[str]().union(*map(device_macros, texts.values()), _macros_of(job))
    rest = b"\n".join(content for _, content in part.whole.inputs)
    found = {path: find_host_code(text, macros, rest) for path, text in texts.items()}
    found = {path: each for path, each in found.items() if each.spans}
    headers = list(_as_headers(job, found, opened))
    if not headers:
        return None
    folders = dict.fromkeys(os.path.dirname(path) for path in found)
    options = (*job.options, *(f"--include-path={folder}" for folder in folders if folder))
    definitions = (word for word in _definitions(found.values()) if word not in options)
    return replace(
        part,
        job=replace(job, headers=(*job.headers, *headers), options=(*options, *definitions)),
        host_code=(*part.host_code, *(_aside(path, each) for path, each in found.items())),
        names={word: (path, at) for path, each in found.items() for word, at in each.names}
        | dict(part.names),
    )


def _macros_of(job: Job) -> frozenset[str]:
    return frozenset[str]().union(*(device_macros(content) for _, content in job.inputs))


def _as_headers(job: Job, found: Mapping[str, HostCode], opened: Iterable[str]) -> Iterator[Header]:
    """Yields each header under every name by which a text may include it."""
    module = split_variant(job.name)[0]
    texts = {module: b"\n".join(content for _, content in job.inputs)}
    for path in opened:
        with suppress(OSError):
            texts.setdefault(path, read_file(Path(path), _LARGEST))
    folders = tuple(include_folders(job))
    real = {os.path.realpath(path): path for path in found}
    taken = {header.name for header in job.headers}
    for includer, text in texts.items():
        for name in includes(text).names - taken:
            places = (os.path.dirname(includer), *folders)
            candidates = (os.path.realpath(os.path.join(place, name)) for place in places)
            for path in [real[place] for place in candidates if place in real][:1]:
                taken.add(name)
                yield Header(name, f'#line 1 "{path}"\n'.encode() + found[path].device_text)


def _definitions(found: Iterable[HostCode]) -> Iterator[str]:
    """Yields the options that define the words which stand for others."""
    marked = {each.text[start:end] for each in found for start, end in each.marks}
    for meaning in sorted({MARKS[word] for word in marked}):
        if "=" in meaning:
            yield f"--define-macro={meaning}"


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
        where = "" if aside.name == module else f"'{aside.name}': "
        ranges = [f"{a}-{b}" if a != b else f"{a}" for a, b in aside.ranges]
        if len(ranges) > _MOST_RANGES:
            ranges[_MOST_RANGES:] = [f"and {len(ranges) - _MOST_RANGES} more places"]
        are = "line of host code is" if aside.lines == 1 else "lines of host code are"
        lines = "line" if aside.lines == 1 else "lines"
        yield f"{where}{aside.lines:,} {are} not compiled ({lines} {', '.join(ranges)})."
        yield from (f"{where}Line {line:,}: {reason}" for line, reason in aside.doubts)
