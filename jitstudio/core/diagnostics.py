"""Errors and warnings, read out of the tools' logs, and fixes that the program offers.

Each tool has its own spelling; one table row per spelling (as printed by NVRTC, libNVVM and
nvJitLink 13). What no row knows is still reported, as a whole, when the tool failed. A fix only
says what to do; the owner of the text and the settings carries it out.

To add a spelling that the Problems list should understand: a row here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import takewhile
from pathlib import PurePath

from jitstudio.core.arch import Arch
from jitstudio.core.code import LINKED, CodeKind, split_variant
from jitstudio.core.request import NAME_MAP, expression_in
from jitstudio.core.tools import Tool


class Severity(Enum):
    """From errors that forbid a build to remarks that are only worth knowing."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class FixKind(Enum):
    """The thing to change, and the meaning of `Fix.value`. The value of a kind is the name in JSON.

    `SET_ARCH` holds a target, `SET_LINK_MODE` a `LinkMode`, `ADD_OPTION` and `REMOVE_OPTION` one
    option, `ADD_NAME_EXPRESSION` an expression for `Fix.file`, in the place of `Fix.replaces` if
    that is there. `REPLACE_TEXT` holds what shall be in `Fix.file` instead of `Fix.replaces`,
    `INSERT_TEXT` whole lines for that file.
    `SET_ARGUMENT` holds what the argument of a launch named by `Fix.replaces` shall be.
    `USE_LIBDEVICE`, `USE_NVJITLINK`, `USE_NVCC`, `TRUST_PROJECT`, `ADD_INCLUDE_FOLDER` and
    `OPEN_FILES` hold nothing that is needed to carry them out; the last two leave the choice to the
    user. `LINK_WITH` holds the open module to link `Fix.file` with; only the window, which has
    tabs, makes it.
    """

    SET_ARCH = "set-arch"
    SET_LINK_MODE = "set-link-mode"
    ADD_OPTION = "add-option"
    REMOVE_OPTION = "remove-option"
    ADD_NAME_EXPRESSION = "add-name-expression"
    REPLACE_TEXT = "replace-text"
    INSERT_TEXT = "insert-text"
    USE_LIBDEVICE = "use-libdevice"
    USE_NVJITLINK = "use-nvjitlink"
    USE_NVCC = "use-nvcc"
    TRUST_PROJECT = "trust-project"
    ADD_INCLUDE_FOLDER = "add-include-folder"
    OPEN_FILES = "open-files"
    LINK_WITH = "link-with"
    SET_ARGUMENT = "set-argument"


TEXT_FIXES = frozenset({FixKind.REPLACE_TEXT, FixKind.INSERT_TEXT})
"""The kinds that change the text of `Fix.file`."""
FILE_FIXES = TEXT_FIXES | {FixKind.ADD_NAME_EXPRESSION}
"""The kinds that are about one file; all others are about the build."""
OPTION_FIXES = frozenset({FixKind.ADD_OPTION, FixKind.REMOVE_OPTION, FixKind.ADD_INCLUDE_FOLDER})
"""The kinds that change options: those of `Fix.file` alone, or of all sources without a file."""
_ASKING = frozenset(
    {
        FixKind.ADD_INCLUDE_FOLDER,
        FixKind.OPEN_FILES,
        FixKind.LINK_WITH,
        FixKind.TRUST_PROJECT,
        FixKind.USE_NVCC,
    }
)
"""What the user has to choose or to allow."""


@dataclass(frozen=True)
class Fix:
    """A change that the program offers.

    Attributes:
        label: The label of a button.
        kind: The thing to change.
        value: The new value; see `FixKind`.
        file: The module or header to change, or whose own options change; empty for a setting.
        line: The line of the text, counted from 1. None: the first place that fits for a
            replacement, the end of the text for an insertion.
        replaces: The text or value that is replaced; empty for none.
    """

    label: str
    kind: FixKind
    value: str = ""
    file: str = ""
    line: int | None = None
    replaces: str = ""


@dataclass(frozen=True)
class Edit:
    """Replaces the characters from `start` to `end` by `text`."""

    start: int
    end: int
    text: str


def edit_for(fix: Fix, text: str) -> Edit | None:
    """Returns the edit of a text by a fix; None where the text to replace is missing."""
    start = start_of_line(text, fix.line) if fix.line else 0
    if fix.kind is FixKind.INSERT_TEXT:
        place = start if fix.line else len(text)
        newline = "" if fix.line or not text or text.endswith("\n") else "\n"
        return Edit(place, place, f"{newline}{fix.value}\n")
    end = text.find("\n", start) if fix.line and "\n" not in fix.replaces else -1
    at = text.find(fix.replaces, start, len(text) if end < 0 else end)
    return None if at < 0 else Edit(at, at + len(fix.replaces), fix.value)


def start_of_line(text: str, line: int) -> int:
    """Returns where a line begins, counted from 1; the end of a text that has fewer lines."""
    start = 0
    for _ in range(line - 1):
        start = text.find("\n", start) + 1 or len(text)
    return start


@dataclass(frozen=True)
class Diagnostic:
    """An error, warning or remark.

    Attributes:
        severity: How bad it is.
        file: The module, header or artifact with the fault; empty where none is known.
        line: Counted from 1, or None.
        column: Counted from 1, or None.
        message: The tool's words.
        tool: The tool of the message, or None for jitstudio itself.
        number: The tool's number of the message, such as ``177-D`` or ptxas' ``C7508``; empty for
            none.
        explanation: Event, cause and remedy; empty where `core.explanations` has none.
        fix: The fix that the program offers, or None.
    """

    severity: Severity
    file: str
    line: int | None
    column: int | None
    message: str
    tool: Tool | None = None
    number: str = ""
    explanation: str = ""
    fix: Fix | None = None


def diagnostic_line(diagnostic: Diagnostic) -> str:
    """Returns the form that editors and CI systems know: `file:line:column: severity: message`."""
    place = (diagnostic.file, diagnostic.line, diagnostic.column)
    head = ":".join(str(part) for part in place if part)
    said = f"{diagnostic.severity.value}: {diagnostic.message}"
    return f"{head}: {said}" if head else said


# `k.cu(3): error: text`, `k.cu(2): warning #177-D: text`
_EDG = re.compile(
    r"(?P<file>\S[^\n]*?)\((?P<line>\d+)\): "
    r"(?P<severity>catastrophic error|internal error|error|warning|remark)"
    r"(?: #(?P<number>[\w-]+))?: (?P<message>.*)"
)
# `k.ll (3, 15): parse expected type`
_NVVM_PARSE = re.compile(r"(?P<file>\S[^\n]*?) \((?P<line>\d+), (?P<column>\d+)\): (?P<message>.*)")
# `error: Error: : Function `f': text`, `Error: :  Function `f' Basic Block `entry': ` of libNVVM's
# verifier, which says more on lines further to the right
_NVVM_VERIFIER = re.compile(r"(?:error: )?(?P<severity>Error|Warning): :? *(?P<message>.*)")
# `ptxas application ptx input, line 4; error   : text`, `ptxas a.ptx, line 4; fatal   : text`
_PTXAS_LINE = re.compile(
    r"ptxas (?P<file>[^\n,]+), line (?P<line>\d+); "
    r"(?P<severity>fatal|error|warning|info)\s*: (?P<message>.*)"
)
# `ptxas info    : (C7519) Potential Performance Loss: text in the function 'k' in line 60`, of PTX
_PTXAS_REMARK = re.compile(
    r"ptxas (?:info|warning)\s*+: \((?P<number>C\d+)\) (?P<message>.*?"
    r"(?:\bin (?:around )?line (?P<line>\d+)\b.*)?)$"
)
_LOSS = "Potential Performance Loss"
# `remark: k.cu:1:53: text`, of NVRTC's optimiser
_REMARK = re.compile(
    r"(?P<severity>remark): (?P<file>[^\n]+?):(?P<line>\d+):(?P<character>\d+): (?P<message>.*)"
)
# `k.cu:5:10: fatal error: text`, of the preprocessor that nvcc starts
_GCC = re.compile(
    r"(?P<file>[^\s:][^\n:]*):(?P<line>\d+):(?P<character>\d+): "
    r"(?P<severity>fatal error|error|warning): (?P<message>.*)"
)
# `ptxas fatal   : text`, `nvrtc: error: text`, `libnvvm : error: text`, `error   : text`,
# `k.ll: error: text`
_PLAIN = re.compile(
    r"(?:(?P<speaker>[^\s:]++(?>\s++(?!(?:fatal|error|warning)\s*+:)[^\s:]++)*+)(?>\s*+:)?+\s++)?"
    r"(?P<severity>fatal|error|warning)\s*+: (?P<message>.*)"
)
# `ERROR NVJITLINK_ERROR_PTX_COMPILE: JIT the PTX (a.ptx)`, `ERROR 1: bad input: ...`
_LINKER_TRAILER = re.compile(
    r"ERROR (?P<code>\w+): (?P<message>.*?)(?:\((?P<file>[^()-][^()]*)\))?$"
)
# `error   : Multiple definition of 'f' in 'b.ptx', ...`: nvJitLink, on stderr
_ON_STDERR = re.compile(r"(?:@[EW]@|)(?:error|warning)\s*: (?P<message>.*)")
_CARET = re.compile(r"\s*\^\s*")
# What NVRTC's front end says when there is no memory left even to say that.
_EXHAUSTED = "Loop in catastrophic error processing"
# What says no more than the error before it.
_SUMMARIES = (
    "Ptx assembly aborted due to errors",
    "Error in parsing name expression for lowered name lookup.",
)

# `    from k.cu(1), inlined at k.cu(6), compiled to k.ptx(54)`, `    from k.ptx(54)` or
# `    from k.cu`, below a line of ptxas or of a whole link: `toolchain.assembly_errors`
_FROM, _INLINED, _COMPILED = "    from ", ", inlined at ", ", compiled to "
_PLACED = ("ptxas ", "warning ")
_LINE_OF_PTX = re.compile(r"\bline \d++")
_PLACE = re.compile(r"(?P<file>\S[^\n]*?)\((?P<line>\d{1,9}+)\)")

_SEVERITIES = {
    "catastrophic error": Severity.ERROR,
    "internal error": Severity.ERROR,
    "error": Severity.ERROR,
    "fatal error": Severity.ERROR,
    "fatal": Severity.ERROR,
    "Error": Severity.ERROR,
    "warning": Severity.WARNING,
    "Warning": Severity.WARNING,
    "remark": Severity.INFO,
    "info": Severity.INFO,
}
_SPELLINGS = (_EDG, _NVVM_PARSE, _PTXAS_LINE, _PTXAS_REMARK, _REMARK, _GCC, _PLAIN)
_OF_NVVM = (_NVVM_PARSE, _NVVM_VERIFIER, *_SPELLINGS)
# A message is never longer; an echoed source line can be megabytes.
_LONGEST = 4000
# What ptxas calls PTX that reached it from memory, and nvJitLink that which a link by LTO makes.
_NAMELESS_PTX, _PTX_BY_LTO = "application ptx input", "ltoPtx"


def diagnose(
    tool: Tool,
    source: str,
    ok: bool,
    log: str,
    error_log: str,
    stderr: str = "",
    header_folders: Sequence[str] = (),
) -> tuple[Diagnostic, ...]:
    """Returns all diagnostics in the logs of a stage.

    Args:
        tool: The tool that wrote the logs.
        source: The module the stage worked on, for lines that name no file.
        ok: Whether the stage succeeded. If not, at least one error comes back.
        log: The information log.
        error_log: The error log.
        stderr: The text that native code wrote to file descriptor 2.
        header_folders: Where the headers of the compiler lie. What is wrong in an instance of a
            template of theirs is told where the author's text asks for that.
    """
    if tool is Tool.PYTHON:
        # What a script prints is its own affair; how it ended is said with the end of its stage.
        return ()
    # What is made for one target of several is called by its module's name all the same.
    source, _, _ = split_variant(source)
    parsed = [d for text in (log, error_log) for d in _read(text, tool, source, header_folders)]
    # The tool holds this to be an error, and then goes on as if it were none.
    parsed += [
        Diagnostic(Severity.WARNING, source, None, None, match["message"], tool)
        for line in (stderr.splitlines() if tool is Tool.NVJITLINK else ())
        if (match := _ON_STDERR.match(line))
    ]
    if not ok and not any(d.severity is Severity.ERROR for d in parsed):
        message = error_log.strip() or log.strip() or f"{tool.value} failed and said nothing."
        if message.startswith(_EXHAUSTED):
            message = f"{tool.value} ran out of memory. {message}"
        parsed.append(Diagnostic(Severity.ERROR, source, None, None, message, tool))
    return once(parsed)


def once(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Returns the diagnostics without repetitions for the same line of a source.

    A template gives a line of PTX for each instance, and a fault in it an error for each of those.
    """
    first: dict[Diagnostic, Diagnostic] = {}
    for diagnostic in diagnostics:
        message, _, place = diagnostic.message.rpartition(" (")
        is_made = diagnostic.line is not None and f"{CodeKind.PTX.ending}:" in place
        said = _LINE_OF_PTX.sub("line", message) if is_made else diagnostic.message
        first.setdefault(replace(diagnostic, message=said), diagnostic)
    return tuple(first.values())


def _read(
    text: str, tool: Tool, source: str, header_folders: Sequence[str]
) -> Iterator[Diagnostic]:
    pending: list[Diagnostic] = []
    lines = text.splitlines()
    spellings = _OF_NVVM if tool is Tool.NVVM else _SPELLINGS
    for number, line in enumerate(line[:_LONGEST] for line in lines):
        trailer = _LINKER_TRAILER.match(line)
        if trailer is not None:
            yield from _named(pending, trailer, tool, source)
            pending.clear()
            continue
        match = next((m for spelling in spellings if (m := spelling.match(line))), None)
        if match is None or match["message"].startswith(_SUMMARIES):
            continue
        following = lines[number + 1 : number + 4]
        said = _diagnostic(match, following, tool, source)
        if match.re is _NVVM_VERIFIER:
            more = takewhile(lambda line: line.startswith("  "), following)
            words = " ".join((said.message, *(line.strip() for line in more)))
            said = replace(said, message=words[:_LONGEST])
        if match.re is _EDG and in_folders(said.file, header_folders):
            paragraph = takewhile(str.strip, lines[number + 1 : number + _LONGEST_CHAIN])
            if asker := who_asks(paragraph, header_folders):
                here = f"{said.message} (in {said.file}:{said.line})"
                said = replace(said, file=asker[0], line=asker[1], column=None, message=here)
        pending.append(said)
    yield from pending


# `instantiation of class "S<T> [with T=int]" at line 8 of k.cu`: the last line is the outermost.
_ASKER = re.compile(r"[ \t]+(?:detected during )?\S.* at line (?P<line>\d+) of (?P<file>\S[^\n]*)")
_LONGEST_CHAIN = 400


def who_asks(paragraph: Iterable[str], header_folders: Sequence[str]) -> tuple[str, int] | None:
    """Returns the place in the author's texts that leads to an error in a compiler's header.

    Args:
        paragraph: The lines below the error.
        header_folders: Where the headers of the compiler lie.
    """
    places = [match for line in paragraph if (match := _ASKER.fullmatch(line[:_LONGEST]))]
    own = (place for place in places if not in_folders(place["file"], header_folders))
    return next(((place["file"], int(place["line"])) for place in own), None)


def in_folders(file: str, folders: Sequence[str]) -> bool:
    """Returns whether the name of a file begins with a folder of `folders`."""
    return any(file.startswith(f"{folder}/") for folder in folders)


def _diagnostic(match: re.Match[str], following: list[str], tool: Tool, source: str) -> Diagnostic:
    groups = match.groupdict()
    file = groups.get("file") or source
    line = int(groups["line"]) if groups.get("line") else None
    message = match["message"].strip()
    number = groups.get("number") or ""
    if match.re is _PTXAS_REMARK:
        # Of a link that names no module nobody knows which PTX the line is of.
        line = None if source == LINKED else line
        file = _NAMELESS_PTX if line else source
        groups["severity"] = "warning" if message.startswith(_LOSS) else "info"
        message = f"{message} [{number}]"
    elif number:
        message = f"{message} [#{number}]"
    # nvcc's front end shows, and points into, a line in which macros are expanded.
    column = _column(groups) or (None if tool is Tool.NVCC else _caret_column(following))
    if file == NAME_MAP:
        # The line is one of NVRTC's own list of name expressions, not of the user's source.
        file, line, column = source, None, None
        message = f"In the name expression '{expression_in(''.join(following[:1]))}': {message}"
    if file == _NAMELESS_PTX:
        # The line is one of the PTX made from the source, not of the source.
        file = ptx_file(source)
    below = "".join(following[:1])
    if match[0].startswith(_PLACED) and below.startswith(_FROM):
        source_part, _, ptx = below.removeprefix(_FROM).partition(_COMPILED)
        first, inlined, calls = source_part.partition(_INLINED)
        file, line = _place(first)
        if ptx:
            message = "{} ({}:{}{}{})".format(message, *_place(ptx), inlined, calls)
    severity = _SEVERITIES[groups.get("severity") or "error"]
    return Diagnostic(severity, file, line, column, message, tool, number)


def _place(spelling: str) -> tuple[str, int | None]:
    """Returns file and line of a place: `k.cu(3)`."""
    match = _PLACE.fullmatch(spelling)
    return (match["file"], int(match["line"])) if match else (spelling, None)


def ptx_file(source: str) -> str:
    """Returns the name of the PTX that is made of a module."""
    return str(PurePath(source).with_suffix(CodeKind.PTX.ending))


def _column(groups: dict[str, str | None]) -> int | None:
    """Returns the column from 1: libNVVM counts from 0, NVRTC's optimiser from 1."""
    if column := groups.get("column"):
        return int(column) + 1
    if character := groups.get("character"):
        return int(character)
    return None


def _caret_column(following: list[str]) -> int | None:
    """Returns the column that a caret line points at; NVRTC indents source and caret by two."""
    for line in following[:2]:
        if _CARET.fullmatch(line):
            return max(1, line.index("^") - 1)
    return None


def _named(
    pending: list[Diagnostic], trailer: re.Match[str], tool: Tool, source: str
) -> Iterator[Diagnostic]:
    """Yields the diagnostics of ptxas with the file that nvJitLink names afterwards."""
    if not pending:
        yield Diagnostic(
            Severity.ERROR, trailer["file"] or source, None, None, trailer["message"].strip(), tool
        )
    named = trailer["file"]
    for diagnostic in pending:
        is_ptx = diagnostic.line is not None and diagnostic.file.endswith(CodeKind.PTX.ending)
        # Of all else the place is in a source, and the message has that in the PTX.
        is_nameless = named not in (None, _PTX_BY_LTO) and is_ptx
        yield replace(diagnostic, file=named) if is_nameless else diagnostic


def fixes_at_once(diagnostics: Iterable[Diagnostic]) -> tuple[Fix, ...]:
    """Returns the fixes that can be carried out together, without a question to the user.

    Each is there once. Of several targets it is the newest, as that has what older ones have, and
    of directives that PTX has once, such as ``.version``, the first. Lines and texts of fixes are
    those of the text that was built: all changes are found in that, before any of them is made.
    """
    offered = dict.fromkeys(d.fix for d in diagnostics if d.fix and d.fix.kind not in _ASKING)
    archs = [fix for fix in offered if fix.kind is FixKind.SET_ARCH]
    newest = max(archs, key=lambda fix: Arch.parse(fix.value), default=None)
    chosen: dict[object, Fix] = {}
    for fix in offered:
        only = fix.kind in (FixKind.SET_ARCH, FixKind.SET_LINK_MODE)
        directive = fix.kind is FixKind.INSERT_TEXT and fix.value.startswith(".")
        key = fix.kind if only else (fix.file, fix.value.split()[0]) if directive else fix
        chosen.setdefault(key, newest if fix in archs and newest else fix)
    return tuple(chosen.values())


def edits_for(fixes: Iterable[Fix], text: str) -> list[Edit]:
    """Returns the edits of a text by fixes, from the end of the text to the beginning.

    A text to be replaced that is missing, or that an earlier edit changes, stays unchanged.
    """
    by_start = sorted(filter(None, (edit_for(fix, text) for fix in fixes)), key=lambda e: e.start)
    edits: list[Edit] = []
    for edit in by_start:
        if not edits or edit.start >= edits[-1].end:
            edits.append(edit)
    return edits[::-1]
