"""The part of a CUDA C++ module that NVRTC gets: all that is not for the host only."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from jitstudio.core.code import split_variant
from jitstudio.core.diagnostics import in_folders
from jitstudio.core.options import ALL_DEVICE
from jitstudio.core.plan import Job
from jitstudio.core.result import HostCodeAside
from jitstudio.listing.cuda.device_marks import MARKS
from jitstudio.listing.cuda.host_code import NO_REFUSALS, HostCode, Refusals, find_host_code
from jitstudio.listing.cuda.host_macros import device_macros
from jitstudio.toolchain.demangle import demangled
from jitstudio.toolchain.own_texts import own_headers

_NO_REFUSALS: Mapping[str, Refusals] = MappingProxyType({})


@dataclass(frozen=True)
class DevicePart:
    """A compile without host code.

    Attributes:
        job: What NVRTC gets.
        whole: What it would have got.
        host_code: What was set aside, a text each.
        names: The functions and variables in it, each with its text and line.
        launched: Name expressions that the job has besides its own, as host code launches them,
            each with its text and line.
        supplied: What nvcc has, NVRTC lacks, and the compile was given: a sentence each.
    """

    job: Job
    whole: Job
    host_code: tuple[HostCodeAside, ...] = ()
    names: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    launched: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    supplied: tuple[str, ...] = ()

    @property
    def texts(self) -> dict[str, bytes]:
        """The module and the headers in memory, whole, by their names."""
        texts = {header.name: header.content for header in self.whole.headers}
        return texts | {split_variant(self.whole.name)[0]: text for _, text in self.whole.inputs}


def device_part(
    job: Job,
    refusals: Mapping[str, Refusals] = _NO_REFUSALS,
    macros: frozenset[str] = frozenset(),
    wanted: Collection[str] = (),
) -> DevicePart:
    """Returns a compile without host code; the same where there is none.

    With the option by which unmarked functions are for the device there is no host code.

    Args:
        job: The compile.
        refusals: What NVRTC has refused of each text in an earlier round.
        macros: Macros of headers on disk that mark device code.
        wanted: Names that headers on disk need.
    """
    if job.keep_host_code or any(option in ALL_DEVICE for option in job.options):
        return DevicePart(job, job)
    texts = [content for _, content in job.inputs] + [header.content for header in job.headers]
    count = len(job.inputs)
    names = [split_variant(job.name)[0]] * count + [header.name for header in job.headers]
    if job.headers:
        macros = macros.union(*map(device_macros, texts))
    refused = [refusals.get(name, NO_REFUSALS) for name in names]
    mentioned = "\n".join((*job.name_expressions, *wanted)).encode()
    judged = _judged(mentioned, texts, macros, refused, ())
    if any(host_code.spans for host_code in judged) and (own := own_headers(job)):
        judged = _judged(mentioned, texts, macros.union(*map(device_macros, own)), refused, own)
    if not any(host_code.spans or host_code.marks for host_code in judged):
        return DevicePart(job, job)
    inputs = tuple(
        (ref, host_code.device_text)
        for (ref, _), host_code in zip(job.inputs, judged, strict=False)
    )
    headers = tuple(
        replace(header, content=host_code.device_text)
        for header, host_code in zip(job.headers, judged[count:], strict=True)
    )
    options = (*job.options, *definitions_for(judged))
    both = list(zip(names, judged, strict=True))
    launched: dict[str, tuple[str, int]] = {}
    for name, host_code in both:
        for expression, line in host_code.instances:
            if expression not in job.name_expressions:
                launched.setdefault(expression, (name, line))
    expressions = (*job.name_expressions, *launched)
    return DevicePart(
        replace(job, inputs=inputs, headers=headers, options=options, name_expressions=expressions),
        job,
        tuple(aside_part(name, host_code) for name, host_code in both if host_code.spans),
        {word: (name, line) for name, host_code in both for word, line in host_code.names},
        launched,
    )


def _judged(
    mentioned: bytes,
    texts: list[bytes],
    macros: frozenset[str],
    refused: Sequence[Refusals],
    headers: Sequence[bytes],
) -> list[HostCode]:
    judged = []
    for i, text in enumerate(texts):
        others = (*texts[:i], *texts[i + 1 :])
        rest = b"\n".join((mentioned, *others))
        judged.append(
            find_host_code(text, macros, rest, refused=refused[i], headers=(*headers, *others))
        )
    return judged


def definitions_for(parts: Iterable[HostCode]) -> Iterator[str]:
    """Yields the options that define the words which stand for others."""
    marked = {word.strip() for part in parts for _, word in part.marks}
    for word in sorted(marked & MARKS.keys()):
        yield f"--define-macro={word.decode()}={MARKS[word].decode()}"


def aside_part(name: str, host_code: HostCode) -> HostCodeAside:
    """Returns the lines of a text that were set aside, and the doubts about them."""
    doubts = tuple((doubt.line, doubt.reason) for doubt in host_code.doubts)
    return HostCodeAside(name, host_code.ranges, doubts)


_MOST_RANGES = 12


# #177-D: declared but never referenced. #940-D: missing return at the end of a function.
_WARNING = re.compile(
    r"^(?P<file>[^\n(]*+)\((?P<line>\d++)\): warning #(?P<number>177|940)-D: (?P<said>[^\n]*)\n"
    r"(?>[ \t]+[^\n]*(?:\n|\Z))*+\n?(?:Remark: The warnings can be suppressed with [^\n]*\n*)?",
    re.MULTILINE,
)
# `"ns::helper"`, of which the last part is searched for.
_NAMED = re.compile(r'"(?:[^"]*::)?(\w+)"')


def without_idle_warnings(log: str, part: DevicePart) -> str:
    """Returns a log without warnings that are of no use to who has host code as well.

    They are of what host code alone uses, and of functions whose body was set aside.
    """
    bodies = {(aside.name, at) for aside in part.host_code for at in aside.line_numbers()}

    def rest(match: re.Match[str]) -> str:
        if match["number"] == "940":
            return "" if (match["file"], int(match["line"])) in bodies else match[0]
        name = _NAMED.search(match["said"])
        word = re.compile(rf"\b{name[1] if name else match['said']}\b".encode())
        uses = sum(len(word.findall(text)) for _, text in part.whole.inputs)
        return "" if uses > 1 else match[0]

    return _WARNING.sub(rest, log)


# `identifier "helper" is undefined`
_UNDEFINED = re.compile(r': error: (?:identifier|[a-z ]*has no member) "(\w+)"(?: is undefined)?')


def words_on_calls(part: DevicePart, errors: str) -> str:
    """Returns the remedy for host code that device code needs; empty if none is needed."""
    names = dict.fromkeys(name for name in _UNDEFINED.findall(errors) if name in part.names)
    lines = []
    for name in names:
        text, line = part.names[name]
        where = "" if text == split_variant(part.job.name)[0] else f" of '{text}'"
        lines.append(
            f"'{name}', line {line:,}{where}, is host code and is not compiled. Device code can "
            "use it once it is marked with __device__."
        )
    return "\n".join(lines)


# The words for functions that stay without their bodies.
_BODILESS = ("--define-macro=_J=", "--define-macro=__hd_op_=")
# NVRTC warns of each call of a deprecated function, with the place of the call.
_ASKING = '__device__ __attribute__((deprecated("host")))'
_ANSWER = re.compile(
    r'^(?P<place>(?P<file>[^\n(]*+)\(\d++\)): warning #1444-D: function "(?P<name>[^"\n]*+)" was '
    r'declared deprecated \("host"\)\n(?P<echo>(?>[ \t][^\n]*+\n)*+)'
    r"(?P<in>[^\n(]*+)\((?P<line>\d++)\): note ",
    re.MULTILINE,
)
# Constructors, destructors and assignments that PTX lacks, or that ptxas has missed.
_MISSING = re.compile(
    r"(?:^\.extern \.func\s*+(?:\([^)\n]*+\)\s*+)?|Unresolved extern function ')"
    r"(?=(_Z\w++))_Z\w*?(?:[CD][0-3][EI]|aS)",
    re.MULTILINE,
)
# Of `ns::Type<int>::Type(float)` what comes off: `<int>` and `(float)`.
_ARGUMENTS = re.compile(r"<[^<>]*+>|\(.*")
# `const ns::Type<int> &` may stand before a function's name, `struct ` begins a class.
_BEFORE_NAME = re.compile(r"(?!\s*+(?:template|struct|class|friend)\b)[\w:&<>, \t]*+")
# Lines between the name of a function and the end of its parameters.
_MOST_LINES = 10


def asking_for_calls(options: tuple[str, ...], output: str) -> tuple[str, ...]:
    """Returns the options by which NVRTC warns of calls without a body here; empty if all have one.

    Args:
        options: Those of the compile.
        output: The PTX, and the errors of ptxas.
    """
    replacements = {
        o: o.replace("__device__", _ASKING, 1) for o in options if o.startswith(_BODILESS)
    }
    return (
        tuple(replacements.get(o, o) for o in options)
        if replacements and _MISSING.search(output)
        else ()
    )


def host_calls(part: DevicePart, log: str, ptx: str) -> str:
    """Returns errors for calls of the host's constructors in device code; empty for none.

    nvcc refuses them. Here the constructor is declared for the device, as its class would be
    another one without it, and only the assembler would miss it, which knows no lines.

    Args:
        part: What was compiled.
        log: The answer of NVRTC to `asking_for_calls`.
        ptx: The PTX of that compile.
    """
    missing = {_last_name(name) for name in demangled(_MISSING.findall(ptx)).values()}
    texts = part.texts
    errors = []
    for call in _ANSWER.finditer(log):
        name = _last_name(call["name"])
        if name in missing:
            text = texts.get(call["in"], b"") if call["file"] == call["in"] else b""
            line = _own_line(text.decode("utf-8", "replace"), name, int(call["line"]))
            where = f", line {line}" if line else ""
            errors.append(
                f'{call["place"]}: error: calling a __host__ function ("{call["name"]}"{where}) '
                f"from device code is not allowed\n{call['echo']}"
            )
    return "\n".join(dict.fromkeys(errors))


def _own_line(text: str, name: str, last: int) -> int:
    """Returns the line that begins with the declaration of a function; 0 if none does.

    Args:
        text: The text.
        name: The function.
        last: The line in which its parameters end.
    """
    lines = text.split("\n")[:last]
    for number in range(last, max(0, last - _MOST_LINES), -1):
        before, separator, after = (
            lines[number - 1].replace("operator =", "operator=").partition(name)
        )
        if separator and after.lstrip().startswith("(") and _BEFORE_NAME.fullmatch(before):
            above = lines[number - 2] if number > 1 else ""
            return 0 if above.lstrip().startswith("template") else number
    return 0


def _last_name(name: str) -> str:
    """Returns the name of a function without scopes, template arguments and parameters."""
    while (plain := _ARGUMENTS.sub("", name)) != name:
        name = plain
    return name.rpartition("::")[2].strip()


def host_mistakes(part: DevicePart) -> Iterator[str]:
    """Yields a warning with its place for each certain mistake in host code."""
    if not part.host_code:
        return
    # It loads a parser, and few texts have host code.
    from jitstudio.listing.cuda.host_syntax import syntax_mistakes  # noqa: PLC0415

    texts = part.texts
    others = [*texts.values(), *own_headers(part.whole)]
    for aside in part.host_code:
        if aside.name in texts:
            for mistake in syntax_mistakes(texts[aside.name], aside.ranges, others):
                yield (
                    f"{aside.name}({mistake.line}): warning: nvcc will refuse this host code: "
                    f"{mistake.reason}. Here it is set aside, and nobody compiles it."
                )


def words_on_host_code(part: DevicePart, folders: Sequence[str]) -> Iterator[str]:
    """Yields the lines of the log on host code: a line for each text and for each doubt.

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
