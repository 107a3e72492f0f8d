"""Where names in a PTX or SASS listing lead: to labels, functions and declarations.

Nothing is indexed but the functions. Only lines that hold the name are looked at closely, which for
hundreds of thousands of lines takes a few milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from jitstudio.core.code import CodeKind
from jitstudio.listing.functions import Function, function_at

Place = tuple[int, int]
"""Line and column, both from 0."""


@dataclass(frozen=True)
class CodeLink:
    """A name that leads somewhere.

    Attributes:
        line: The line that it is in.
        span: Its columns.
        target: The place it leads to.
    """

    line: int
    span: tuple[int, int]
    target: Place


@dataclass(frozen=True)
class CodeText:
    """A listing to find targets in.

    Attributes:
        kind: PTX or SASS.
        lines: Its lines.
        functions: Its functions, as `functions` finds them.
    """

    kind: CodeKind
    lines: Sequence[str]
    functions: Sequence[Function] = ()


def link_at(text: CodeText, place: Place) -> CodeLink | None:
    """Returns the link at a place; None without a name that leads to another line."""
    line, column = place
    word = _word_at(text.kind, text.lines[line][: column + _LONGEST_NAME], column)
    if word is None or _in_comment(word):
        return None
    target = _TARGET_FINDERS[text.kind](text, line, word)
    if target is None or target[0] == line:
        return None
    return CodeLink(line, word.span(), target)


_LONGEST_NAME = 5000
_WORDS = {
    # What is next to a dot is a directive, an opcode or what qualifies it.
    CodeKind.PTX: re.compile(r"(?<![\w$%.])(?:%[\w$]+|[A-Za-z_$][\w$]*+(?!\.)|\d+)"),
    CodeKind.SASS: re.compile(r"0x[\da-f]+|[.$A-Za-z_][\w.$]*"),
}


def _word_at(kind: CodeKind, text: str, column: int) -> re.Match[str] | None:
    """Returns the name that is at a column or ends there."""
    start = max(0, column - _LONGEST_NAME)
    touched = (m for m in _WORDS[kind].finditer(text, start) if m.start() <= column <= m.end())
    return max(touched, key=lambda match: match.start(), default=None)


def _in_comment(word: re.Match[str]) -> bool:
    before = word.string[: word.start()]
    return "//" in before and '"' not in before


# PTX.

_FILE_INDEX = re.compile(r"(?:\.loc|\binlined_at)\s+$")
_DIRECTIVES = r"(?<!\w)\.(?:reg|param|local|shared|global|const|tex)\b"


def _ptx_target(text: CodeText, line: int, word: re.Match[str]) -> Place | None:
    name, lines = word.group(), text.lines
    if name.isdigit():
        if not _FILE_INDEX.search(word.string, 0, word.start()):
            return None
        file = re.compile(rf"\s*\.file\s+({name})\b")
        return next(_matches(file, ".file", lines, range(len(lines))), None)
    function = function_at(text.functions, line)
    if function is not None:
        within = range(function.line, function.end)
        places = [*_ptx_definitions(name, lines, within)]
        if places:
            return places[0] if len(places) == 1 else _visible(places, lines, within, line)
    outside = _outside_functions(text)
    return _function_head(text, name) or next(_ptx_definitions(name, lines, outside), None)


def _outside_functions(text: CodeText) -> Iterator[int]:
    """Returns the lines of the module itself."""
    ends = (0, *(function.end for function in text.functions))
    starts = (*(function.line for function in text.functions), len(text.lines))
    return chain.from_iterable(map(range, ends, starts))


def _ptx_definitions(name: str, lines: Sequence[str], within: Iterable[int]) -> Iterator[Place]:
    """Yields where a name is declared, or is a label."""
    if name.startswith("%"):
        yield from _registers(name, lines, within)
        return
    exact = rf"(?<![\w$.%])({re.escape(name)})(?![\w$])"
    defined = re.compile(rf"(?:{_DIRECTIVES}[^;{{}}()]*?{exact})|(?:^\s*\{{?\s*){exact}\s*:(?!:)")
    yield from _matches(defined, name, lines, within)


def _registers(name: str, lines: Sequence[str], within: Iterable[int]) -> Iterator[Place]:
    """Yields where a register is declared, alone or among many: `%r<8>` declares %r0 to %r7."""
    stem = name.rstrip("0123456789")
    many = rf"|{re.escape(stem)}(?=<)" if stem != name else ""
    declared = re.compile(rf"\.reg\b[^;]*?(?<![\w$%])({re.escape(name)}(?![\w$<]){many})")
    yield from _matches(declared, ".reg", lines, within)


def _visible(
    definitions: list[Place], lines: Sequence[str], within: range, line: int
) -> Place | None:
    """Returns the definition in the innermost block around a line, out of several."""
    blocks: list[int] = []
    opened: dict[Place, tuple[int, ...]] = dict.fromkeys(definitions, ())
    here: tuple[int, ...] = ()
    count = 0
    waiting = sorted(definitions, reverse=True)
    for number in within:
        text = lines[number]
        if number == line:
            here = tuple(blocks)
        for column, char in _braces(text):
            while waiting and waiting[-1] < (number, column):
                opened[waiting.pop()] = tuple(blocks)
            count += 1
            if char == "{":
                blocks.append(count)
            elif blocks:
                blocks.pop()
        while waiting and waiting[-1][0] == number:
            opened[waiting.pop()] = tuple(blocks)
    seen = [place for place, path in opened.items() if path == here[: len(path)]]
    return max(seen, key=lambda place: len(opened[place]), default=None)


def _braces(text: str) -> Iterator[tuple[int, str]]:
    if "{" in text or "}" in text:
        code = text.partition("//")[0]
        yield from ((match.start(), match.group()) for match in re.finditer(r"[{}]", code))


# SASS.

_BRANCH = re.compile(r"\b(?:BRA|BRX|JMP|JMX|BSSY|BREAK|CALL|CAL|SSY|PBK|PRET|RET)\b")
_IS_LABEL = (".L", "$", ".text.")


def _sass_target(text: CodeText, line: int, word: re.Match[str]) -> Place | None:
    name, lines, before = word.group(), text.lines, word.string[: word.start()]
    if name.startswith("0x"):
        function = function_at(text.functions, line)
        if function is None or not _BRANCH.search(before):
            return None
        address = re.compile(rf"\s*(/\*0*{name[2:].lstrip('0')}\*/)\s")
        within = range(function.line, function.end)
        return next(_matches(address, f"{name[2:]}*/", lines, within), None)
    if head := _function_head(text, name):
        return head
    if not name.startswith(_IS_LABEL) and not before.endswith("`("):
        return None
    label = f"{name}:"
    return next(((n, 0) for n, other in enumerate(lines) if other.startswith(label)), None)


# Both.


def _function_head(text: CodeText, name: str) -> Place | None:
    """Returns where a function begins: rather the definition than a declaration."""
    named = [function for function in text.functions if function.name == name]
    if not named:
        return None
    best = next((function for function in named if function.is_defined), named[0])
    return best.line, max(0, text.lines[best.line].find(name))


def _matches(
    pattern: re.Pattern[str], hint: str, lines: Sequence[str], within: Iterable[int]
) -> Iterator[Place]:
    """Yields where the first group that took part begins, in lines that hold the hint."""
    for number in within:
        text = lines[number]
        if hint in text and (match := pattern.search(text)):
            yield number, match.start(match.lastindex or 0)


_Finder = Callable[[CodeText, int, re.Match[str]], Place | None]
_TARGET_FINDERS: dict[CodeKind, _Finder] = {CodeKind.PTX: _ptx_target, CodeKind.SASS: _sass_target}
