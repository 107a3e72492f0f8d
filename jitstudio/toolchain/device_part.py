"""The part of a CUDA C++ module that NVRTC gets: all that is not for the host only."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from jitstudio.core.code import Header, split_variant
from jitstudio.core.diagnostics import in_folders
from jitstudio.core.options import ALL_DEVICE, lies_in
from jitstudio.core.plain_files import read_file
from jitstudio.core.plan import Job
from jitstudio.core.result import HostCodeAside
from jitstudio.listing.cuda.host_code import (
    MARKS,
    NO_REFUSALS,
    HostCode,
    Refusals,
    device_macros,
    find_host_code,
)
from jitstudio.listing.cuda.outline import outline
from jitstudio.listing.includes import includes
from jitstudio.paths import resource
from jitstudio.toolchain.demangle import demangled
from jitstudio.toolchain.headers import include_folders, line_directive

_NO_REFUSALS: Mapping[str, Refusals] = MappingProxyType({})


@dataclass(frozen=True)
class DevicePart:
    """A compile without host code.

    Attributes:
        job: What NVRTC gets.
        whole: What it would have got.
        host_code: What was set aside, a text each.
        names: The functions and variables in it, each with its text and line.
        launched: Name expressions that the job has besides its own, as host code launches them.
        supplied: What nvcc has, NVRTC lacks, and the compile was given: a sentence each.
    """

    job: Job
    whole: Job
    host_code: tuple[HostCodeAside, ...] = ()
    names: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    launched: tuple[str, ...] = ()
    supplied: tuple[str, ...] = ()


def device_part(
    job: Job, refusals: Mapping[str, Refusals] = _NO_REFUSALS, macros: frozenset[str] = frozenset()
) -> DevicePart:
    """Returns a compile without host code; the same where there is none.

    With the option by which unmarked functions are for the device there is no host code.

    Args:
        job: The compile.
        refusals: What NVRTC has refused of each text in an earlier round.
        macros: Macros of headers on disk that mark device code.
    """
    if job.keep_host_code or any(option in ALL_DEVICE for option in job.options):
        return DevicePart(job, job)
    texts = [content for _, content in job.inputs] + [header.content for header in job.headers]
    count = len(job.inputs)
    names = [split_variant(job.name)[0]] * count + [header.name for header in job.headers]
    if job.headers:
        macros = macros.union(*map(device_macros, texts))
    refused = [refusals.get(name, NO_REFUSALS) for name in names]
    found = _judged(job, texts, macros, refused, ())
    if any(each.spans for each in found) and (own := _own_headers(job, texts)):
        found = _judged(job, texts, macros.union(*map(device_macros, own)), refused, own)
    if not any(each.spans or each.marks for each in found):
        return DevicePart(job, job)
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


def _judged(
    job: Job,
    texts: list[bytes],
    macros: frozenset[str],
    refused: Sequence[Refusals],
    headers: Sequence[bytes],
) -> list[HostCode]:
    mentioned = "\n".join(job.name_expressions).encode()
    found = []
    for i, text in enumerate(texts):
        others = (*texts[:i], *texts[i + 1 :])
        rest = b"\n".join((mentioned, *others))
        found.append(
            find_host_code(text, macros, rest, refused=refused[i], headers=(*headers, *others))
        )
    return found


def _own_headers(job: Job, texts: Iterable[bytes]) -> list[bytes]:
    """Returns the texts of the headers next to the module, or in the user's folders, it includes.

    Those of quoted names, also of the headers themselves.
    """
    folders = (os.path.dirname(split_variant(job.name)[0]), *include_folders(job))
    waiting = deque((folders[0], text) for text in texts)
    found: dict[str, bytes] = {}
    while waiting and len(found) < _MOST_HEADERS:
        folder, text = waiting.popleft()
        for name in includes(text).quoted if b'"' in text else ():
            paths = (os.path.join(each, name) for each in (folder, *folders))
            path = next((_place(each) for each in paths if os.path.isfile(each)), "")
            if path and path not in found and (header := _text_of(job, path)) is not None:
                found[path] = header
                waiting.append((os.path.dirname(path), header))
    return list(found.values())


_MOST_HEADERS = 256
_LARGEST = 4 << 20
_ERROR = re.compile(
    r"^(?P<file>[^\n(]++)\((?P<line>\d++)\): error: (?:"
    r"(?P<host>A function (?:without|explicitly)|A namespace scope variable|A class static data)"
    r"|(?P<dynamic>dynamic initialization is not supported for a __device__ variable)"
    r"|The execution space for the lambda"
    r"|(?P<unknown>[^\n]*(?:undefined|no member)))[^\n]*",
    re.MULTILINE,
)


class _Supply(NamedTuple):
    """A header of jitstudio's that a compile gets where it has failed for the want of it."""

    error: str
    header: str
    options: tuple[str, ...]
    sentence: str


_SUPPLIES = (
    _Supply(
        'more than one instance of overloaded function "pow" matches',
        "jitstudio/pow.h",
        ("--pre-include=jitstudio/pow.h",),
        "pow of a float and a double, or of integers, is that of doubles, as with nvcc.",
    ),
    _Supply(
        "Including <cub/cub.cuh> is not supported",
        "cub/cub.cuh",
        (),
        "NVRTC does not take <cub/cub.cuh> as a whole: its headers for blocks, warps and threads "
        "are included.",
    ),
)


class NextRound:
    """Judges anew by the errors of NVRTC, which knows all macros and headers.

    A function that was kept in doubt and is refused as one of the host is set aside; a constant of
    which NVRTC makes a variable with dynamic initialisation becomes ``constexpr``. Both also in
    headers on disk. Such a header is given in memory under its whole path, and so is each that
    includes it, with that path in its directives: a plain name would count for headers of that
    name in all folders. Each says which file it is, so that messages and line tables do not change.

    Args:
        part: What NVRTC has refused.
    """

    def __init__(self, part: DevicePart) -> None:
        self._part = part
        self._whole = part.whole
        self._sent = part.job
        self._supplied: tuple[str, ...] = ()
        self._folders = tuple(include_folders(part.job))
        self._own = {header.name for header in part.job.headers}
        self._as_said: dict[str, str] = {}
        self._texts: dict[str, bytes] = {}
        self._refusals: dict[str, Refusals] = {}

    def part(self, errors: str, opened: Iterable[str]) -> DevicePart | None:
        """Returns what to compile next; None where there is nothing to be gained.

        Args:
            errors: What NVRTC said of the last compile.
            opened: The files that it has opened.
        """
        self._supply(errors)
        refused = {m["file"] for m in _ERROR.finditer(errors)}
        if not refused and not self._refusals and self._part.whole == self._whole:
            return None
        for name in (*sorted(refused), *sorted(opened)):
            self._read(name)
        for match in _ERROR.finditer(errors):
            known = self._refusals.get(match["file"], NO_REFUSALS)
            reason = match.lastgroup if match.lastgroup in Refusals._fields else ""
            self._refusals[match["file"]] = (
                known.with_line(int(match["line"]), reason) if reason else known
            )
        macros = frozenset[str]().union(
            *map(device_macros, self._texts.values()), _macros_of(self._part.whole)
        )
        part = self._judged_anew(macros)
        job = part.job
        rest = b"\n".join(content for _, content in job.inputs)
        refused_on_disk = {
            path: refusal
            for name, refusal in self._refusals.items()
            if (path := _place(name)) in self._texts
        }
        judged = {
            path: find_host_code(self._texts[path], macros, rest, refused=refusal)
            for path, refusal in sorted(refused_on_disk.items())
        }
        found = {path: each for path, each in judged.items() if each.spans or each.marks}
        given = self._includers(set(found))
        headers = [Header(h.name, self._named(h.name, h.content, given)) for h in job.headers]
        for path in sorted(given):
            name = self._as_said[path]
            text = found[path].device_text if path in found else self._texts[path]
            headers.append(Header(path, line_directive(name) + self._named(name, text, given)))
        module = split_variant(job.name)[0]
        inputs = tuple((ref, self._named(module, text, given)) for ref, text in job.inputs)
        more = (word for word in _definitions(found.values()) if word not in job.options)
        sent = replace(job, inputs=inputs, headers=tuple(headers), options=(*job.options, *more))
        if sent == self._sent:
            return None
        self._sent = sent
        aside = {self._as_said[path]: each for path, each in found.items() if each.spans}
        return replace(
            part,
            job=sent,
            host_code=(*part.host_code, *(_aside(name, each) for name, each in aside.items())),
            names={word: (name, at) for name, each in aside.items() for word, at in each.names}
            | dict(part.names),
        )

    def _judged_anew(self, macros: frozenset[str]) -> DevicePart:
        """Returns the part by what is known now, with those name expressions that were right."""
        part = device_part(self._whole, self._refusals, macros)
        more = (name for name in part.launched if name not in self._part.launched)
        job = replace(part.job, name_expressions=(*self._part.job.name_expressions, *more))
        return replace(part, job=job, supplied=self._supplied)

    def _supply(self, errors: str) -> None:
        """Gives the compile what nvcc has and NVRTC lacks, where that has failed it."""
        for supply in _SUPPLIES:
            if supply.error in errors and supply.header not in self._own:
                text = resource(f"host_headers/{supply.header}").read_bytes()
                whole = self._whole
                self._own.add(supply.header)
                self._whole = replace(
                    whole,
                    headers=(*whole.headers, Header(supply.header, text)),
                    options=(*whole.options, *supply.options),
                )
                self._supplied += (supply.sentence,)

    def _read(self, name: str) -> None:
        path = _place(name)
        is_own = name in self._own or name == split_variant(self._part.job.name)[0]
        # No directive can name the others.
        if path in self._texts or is_own or "\n" in path or {*'">'} <= {*path}:
            return
        if (text := _text_of(self._part.job, name)) is not None:
            self._texts[path], self._as_said[path] = text, name

    def _includers(self, paths: set[str]) -> set[str]:
        """Returns these headers and all that include them, be it by others."""
        targets = {
            path: {target for _, target in self._targets(self._as_said[path], text)}
            for path, text in self._texts.items()
        }
        found = paths
        while more := {p for p, t in targets.items() if p not in found and not found.isdisjoint(t)}:
            found = found | more
        return found

    def _targets(self, includer: str, text: bytes) -> Iterator[tuple[re.Match[bytes], str]]:
        """Yields where a text includes a file, and which."""
        for match in _INCLUDE.finditer(text):
            name = os.fsdecode(match["name"][1:-1])
            beside = (os.path.dirname(includer),) if match["name"].startswith(b'"') else ()
            places = (os.path.join(folder, name) for folder in (*beside, *self._folders))
            target = next(filter(os.path.isfile, places), None)
            if target is not None and name not in self._own:
                yield match, _place(target)

    def _named(self, includer: str, text: bytes, paths: set[str]) -> bytes:
        """Returns a text that includes some headers by their whole paths."""
        targets = [each for each in self._targets(includer, text) if each[1] in paths]
        directives = {start for start, _ in outline(text).directives} if targets else set()
        pieces, at = [], 0
        for match, path in targets:
            if match.start() in directives:
                name = f'"{path}"' if ">" in path else f"<{path}>"
                pieces += [text[at : match.start("name")], os.fsencode(name)]
                at = match.end()
        return b"".join((*pieces, text[at:]))


_INCLUDE = re.compile(rb'#[ \t]*+include[ \t]*+(?P<name>"[^"\n]++"|<[^<>\n]++>)')


def _place(name: str) -> str:
    """Returns the path of a file in its real folder: the file may be a link out of it."""
    return os.path.join(os.path.realpath(os.path.dirname(name)), os.path.basename(name))


def _text_of(job: Job, name: str) -> bytes | None:
    """Returns the text of a file; None if it cannot be read, or the job may not read it."""
    if job.confined_to is None or lies_in(job.confined_to, name):
        with suppress(OSError):
            return read_file(Path(name), _LARGEST)
    return None


def _macros_of(job: Job) -> frozenset[str]:
    return frozenset[str]().union(*(device_macros(content) for _, content in job.inputs))


def _definitions(found: Iterable[HostCode]) -> Iterator[str]:
    """Yields the options that define the words which stand for others."""
    marked = {word.strip() for each in found for _, word in each.marks}
    for word in sorted(marked & MARKS.keys()):
        yield f"--define-macro={word.decode()}={MARKS[word].decode()}"


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


# The words for functions that stay without their bodies.
_BODILESS = ("--define-macro=_J=", "--define-macro=__hd_op_=")
_ASKING = '__device__ __attribute__((deprecated("host")))'
_ANSWER = re.compile(
    r'^(?P<place>(?P<file>[^\n(]*+)\(\d++\)): warning #1444-D: function "(?P<name>[^"\n]*+)" was '
    r'declared deprecated \("host"\)\n(?P<echo>(?:[ \t][^\n]*+\n)*+)'
    r"(?P<in>[^\n(]*+)\((?P<line>\d++)\): note ",
    re.MULTILINE,
)
# Constructors, destructors and assignments that PTX lacks, or that ptxas has missed.
_MISSING = re.compile(
    r"(?:^\.extern \.func\s*+(?:\([^)\n]*+\)\s*+)?|Unresolved extern function ')"
    r"(?=(_Z\w++))_Z\w*?(?:[CD][0-3][EI]|aS)",
    re.MULTILINE,
)
_ARGUMENTS = re.compile(r"<[^<>]*+>|\(.*")
_BEFORE_NAME = re.compile(r"(?!\s*+(?:template|struct|class|friend)\b)[\w:&<>, \t]*+")
# Lines between the name of a function and the end of its parameters.
_MOST_LINES = 10


def asking_for_calls(options: tuple[str, ...], made: str) -> tuple[str, ...]:
    """Returns the options by which NVRTC warns of calls of what has no body here; none if all has.

    Args:
        options: Those of the compile.
        made: The PTX, and what ptxas has said.
    """
    found = {o: o.replace("__device__", _ASKING, 1) for o in options if o.startswith(_BODILESS)}
    return tuple(found.get(o, o) for o in options) if found and _MISSING.search(made) else ()


def host_calls(part: DevicePart, log: str, ptx: str) -> str:
    """Returns errors for calls of the host's constructors in device code; empty for none.

    nvcc refuses them. Here the constructor is declared for the device, as its class would be
    another one without it, and only the assembler would miss it, which knows no lines.

    Args:
        part: What was compiled.
        log: What NVRTC said by `asking_for_calls`.
        ptx: What it made.
    """
    missing = {_last_name(name) for name in demangled(_MISSING.findall(ptx)).values()}
    module = split_variant(part.job.name)[0]
    texts = {header.name: header.content for header in part.whole.headers}
    ((_, texts[module]),) = part.whole.inputs
    found = []
    for call in _ANSWER.finditer(log):
        name = _last_name(call["name"])
        if name in missing:
            text = texts.get(call["in"], b"") if call["file"] == call["in"] else b""
            line = _own_line(text.decode("utf-8", "replace"), name, int(call["line"]))
            where = f", line {line}" if line else ""
            found.append(
                f'{call["place"]}: error: calling a __host__ function ("{call["name"]}"{where}) '
                f"from device code is not allowed\n{call['echo']}"
            )
    return "\n".join(dict.fromkeys(found))


def _own_line(text: str, name: str, last: int) -> int:
    """Returns the line that begins with the declaration of a function; 0 if none does.

    Args:
        text: The text.
        name: The function.
        last: The line in which its parameters end.
    """
    lines = text.split("\n")[:last]
    for number in range(last, max(0, last - _MOST_LINES), -1):
        before, found, after = lines[number - 1].replace("operator =", "operator=").partition(name)
        if found and after.lstrip().startswith("(") and _BEFORE_NAME.fullmatch(before):
            above = lines[number - 2] if number > 1 else ""
            return 0 if above.lstrip().startswith("template") else number
    return 0


def _last_name(name: str) -> str:
    """Returns the name of a function without scopes, template arguments and parameters."""
    while (plain := _ARGUMENTS.sub("", name)) != name:
        name = plain
    return name.rpartition("::")[2].strip()


def words_on_host_code(part: DevicePart, folders: Sequence[str]) -> Iterator[str]:
    """Yields what the log says of host code: a line for each text, and one for each doubt.

    Args:
        part: What was compiled.
        folders: Where NVIDIA's own headers lie, which share one line.
    """
    module = split_variant(part.job.name)[0]
    theirs = [aside.name for aside in part.host_code if in_folders(aside.name, folders)]
    for aside in part.host_code:
        if aside.name in theirs:
            continue
        where = "" if aside.name == module else f"'{aside.name}': "
        ranges = [f"{a}-{b}" if a != b else f"{a}" for a, b in aside.ranges]
        if len(ranges) > _MOST_RANGES:
            ranges[_MOST_RANGES:] = [f"and {len(ranges) - _MOST_RANGES} more places"]
        are = "line of host code is" if aside.lines == 1 else "lines of host code are"
        lines = "line" if aside.lines == 1 else "lines"
        yield f"{where}{aside.lines:,} {are} not compiled ({lines} {', '.join(ranges)})."
        yield from (f"{where}Line {line:,}: {reason}" for line, reason in aside.doubts)
    if theirs:
        names = sorted({os.path.basename(name) for name in theirs})
        more = f" and {len(names) - _MOST_RANGES} more" if len(names) > _MOST_RANGES else ""
        listed = ", ".join(names[:_MOST_RANGES])
        yield f"Host code in NVIDIA's own headers is not compiled: {listed}{more}."
    yield from part.supplied
