"""Foldable parts: lines between braces of a source, and blocks of PTX, SASS and IR."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby, takewhile
from typing import NamedTuple

from jitstudio.core.code import CodeKind
from jitstudio.core.cpp_text import HIDDEN, STRING
from jitstudio.listing.line_classes import classify, is_unused_label, jump_targets
from jitstudio.listing.lines import split_at_newlines
from jitstudio.ptx.pieces import matches
from jitstudio.ptx.scanner import COMMENT as PTX_COMMENT
from jitstudio.ptx.scanner import STRING as PTX_STRING
from jitstudio.ptx.scanner import bare_ptx
from jitstudio.ptx.skimming import function_texts

_BRACE = r"(?P<brace>[{}])"
_CPP = re.compile(f"{HIDDEN}|{_BRACE}")
_PATTERNS = {
    CodeKind.CUDA: _CPP,
    CodeKind.HEADER: _CPP,
    CodeKind.PTX: re.compile(f"{PTX_COMMENT}|{PTX_STRING}|{_BRACE}"),
    CodeKind.LLVM_IR: re.compile(rf";[^\n]*+|{STRING}|{_BRACE}"),
}


def folds(kind: CodeKind, text: str) -> dict[int, int]:
    """Returns the last line before the closing brace, by the line of the opening brace, from 0.

    Of several braces in a line it is the outermost that counts. There is nothing to fold where
    the brace is closed in the next line or never.
    """
    last_lines: dict[int, int] = {}
    opened: list[int] = []
    line = at = 0
    pattern = _PATTERNS.get(kind)
    for match in matches(pattern, text) if pattern else ():
        brace = match["brace"]
        if not brace:
            continue
        line += text.count("\n", at, match.start())
        at = match.start()
        if brace == "{":
            opened.append(line)
        elif opened:
            first = opened.pop()
            if line - first > 1:
                # An outer brace is closed later.
                last_lines[first] = line - 1
    return last_lines


class FoldRange(NamedTuple):
    """Lines that belong together, counted from 0.

    Attributes:
        head: The first line, which says what it is.
        last: The last line, which is another one.
        name: What the same block is called in another build of the same code.
        is_function: Whether it is a kernel or a function, and not a part of one.
        starts_folded: Whether it is folded until somebody opens it: it is no code that runs.
    """

    head: int
    last: int
    name: str
    is_function: bool = False
    starts_folded: bool = False


def blocks(kind: CodeKind, lines: Sequence[str]) -> tuple[FoldRange, ...]:
    """Returns the blocks of a listing in the order of their heads, at most a block for a line."""
    find = _FINDERS.get(kind)
    if find is None:
        return ()
    # Of blocks with one head, the outer one ends later.
    ordered = sorted(find(lines), key=lambda block: (block.head, -block.last))
    return tuple({block.head: block for block in reversed(ordered)}.values())[::-1]


_PTX_MARKS = ("{", "}", ".entry", ".func")
_PTX_PART = re.compile(r"[{};]|\.(?:entry|func)\b")


# A line can be megabytes long.
_LONGEST_NAME = 200


class _Braces:
    """The braces of a PTX text, read part by part."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        # Where a function began whose brace is still to come.
        self._function: int | None = None
        self._open: list[FoldRange] = []
        self._inner: Counter[str] = Counter()

    @property
    def in_head(self) -> bool:
        """Whether the brace of a function is awaited."""
        return self._function is not None

    def take(self, line: int, part: str) -> FoldRange | None:
        """Takes in a part; returns the block that is closed by the part."""
        if part == "{":
            self._open.append(self._begin(line))
            self._function = None
        elif part == "}" and self._open:
            block = self._open.pop()._replace(last=line)
            return block if block.last > block.head else None
        elif part == ";":
            self._function = None
        elif part.startswith(".") and not self._open:
            self._function = line
        return None

    def _begin(self, line: int) -> FoldRange:
        if self._function is not None:
            head = " ".join(self._lines[self._function : line + 1])
            name = next((function.name for function in function_texts(head)), "")
            return FoldRange(self._function, line, name, is_function=True)
        if self._open:
            outer = self._open[0].name
            self._inner[outer] += 1
            return FoldRange(line, line, f"{outer}/{self._inner[outer]}")
        # The brace of a section is below its name.
        above = self._lines[line - 1].strip() if line else ""
        if above.startswith(".section"):
            return FoldRange(line - 1, line, above, starts_folded=True)
        title = self._lines[line][:_LONGEST_NAME].partition("{")[0].strip()
        return FoldRange(line, line, title, starts_folded=title.startswith(".section"))


_HEADER = "header"


def _ptx_header(lines: Sequence[str]) -> Iterator[FoldRange]:
    """Yields the comments that the text begins with."""
    is_comment = (line.startswith("//") or not line.strip() for line in lines)
    count = sum(1 for _ in takewhile(bool, is_comment))
    yield from _closed(lines, FoldRange(0, 0, _HEADER, starts_folded=True), count - 1)


def _ptx_blocks(lines: Sequence[str]) -> Iterator[FoldRange]:
    yield from _ptx_header(lines)
    bare = split_at_newlines(bare_ptx("\n".join(lines)))
    braces = _Braces(bare)
    for number, line in enumerate(bare):
        if braces.in_head or any(map(line.__contains__, _PTX_MARKS)):
            for match in matches(_PTX_PART, line):
                if block := braces.take(number, match[0]):
                    yield block


_SASS_MARK = re.compile(
    # .L_x_1:
    r"(?P<label>[\w.$@]++):"
    # The heading of a section, and the section: //---- .text.k ----, .section .text.k
    r"|//-++ \S"
    r"|\s*+\.section\s"
    # Instructions behind which control never comes, and padding: /*0010*/ EXIT, /*0020*/ NOP
    r"|\s*+/\*[0-9a-f]{4,}\*/\s++"
    r"(?:(?P<leave>(?:EXIT|RET|JMP|BRX|JMX|KILL)\b|BRA\S*\s++(?:`|0x))|(?P<nop>NOP\b))"
)
_ENCODING = re.compile(r"\s*+/\* 0x")
_TEXT = ".text."


def _sass_blocks(lines: Sequence[str]) -> Iterator[FoldRange]:
    function: FoldRange | None = None
    basic: FoldRange | None = None
    header: FoldRange | None = FoldRange(0, 0, _HEADER, starts_folded=True)
    padding, targets = _Padding(lines), jump_targets(lines)
    for number, line in enumerate(lines):
        if (mark := _SASS_MARK.match(line)) is None:
            continue
        if mark["nop"]:
            padding.take(number)
            continue
        if mark["leave"]:
            if basic is not None:
                has_more = number + 1 < len(lines) and _ENCODING.match(lines[number + 1])
                yield from _closed(lines, basic, number + 1 if has_more else number)
            basic = None
            continue
        yield from padding.end(number, function)
        label = mark["label"]
        if label and header is None and is_unused_label(label, targets):
            # Nothing jumps here: the block above goes on.
            continue
        if basic is not None:
            yield from _closed(lines, basic, number - 1)
            basic = None
        # What is said of a section, from its heading to its first label.
        is_heading = line.startswith("//")
        if header is not None and (label or is_heading):
            yield from _closed(lines, header, number - 1)
            header = None
        if label is None and header is None:
            header = FoldRange(number, number, line.strip(), starts_folded=True)
        if label is None or label.startswith(_TEXT):
            if function is not None:
                yield from _closed(lines, function, number - 1)
            name = (label or "").removeprefix(_TEXT)
            function = FoldRange(number, number, name, is_function=True) if label else None
        elif function is not None:
            basic = FoldRange(number, number, f"{function.name}/{label}")
    yield from padding.end(len(lines), function)
    for block in (basic, function, header):
        if block is not None:
            yield from _closed(lines, block, len(lines) - 1)


class _Padding:
    """The NOPs behind the last instruction of a function, which fill the cache line."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._first = self._last = 0

    def take(self, line: int) -> None:
        """Takes in a NOP."""
        if not self._last or not self._are_rest(self._last + 1, line):
            self._first = line
        self._last = line

    def end(self, line: int, function: FoldRange | None) -> Iterator[FoldRange]:
        """Yields the NOPs up to a line that is no instruction, where no code runs into the NOPs."""
        name = function.name if function else ""
        first, last = self._first, self._last
        self._first = self._last = 0
        above = first - 1
        while above > 0 and self._are_rest(above, above + 1):
            above -= 1
        mark = _SASS_MARK.match(self._lines[above]) if last else None
        if mark is not None and mark["leave"] and self._are_rest(last + 1, line):
            block = FoldRange(first, first, f"{name}/padding", starts_folded=True)
            yield from _closed(self._lines, block, line - 1)

    def _are_rest(self, first: int, behind: int) -> bool:
        """Returns whether lines only go on with the encoding of the instruction above."""
        rest = (self._lines[number] for number in range(first, behind))
        return all(not line.strip() or _ENCODING.match(line) for line in rest)


def _closed(lines: Sequence[str], block: FoldRange, last: int) -> Iterator[FoldRange]:
    """Yields a block that ends at the last line with text, if that is behind the head."""
    while last > block.head and not lines[last].strip():
        last -= 1
    if last > block.head:
        yield block._replace(last=last)


# MLIR names the places of all operations in a table of such lines, LLVM IR in its metadata.
_NO_CODE = re.compile(r"#loc\d*+ = |!\d++ = ")
_IR_FUNCTION = re.compile(r"\s*+(?:tt\.func|func\.func|llvm\.func|gpu\.func|define)\b")


def _ir_blocks(kind: CodeKind, lines: Sequence[str]) -> Iterator[FoldRange]:
    for head, last in folds(kind, "\n".join(lines)).items():
        line = lines[head][:_LONGEST_NAME].strip()
        yield FoldRange(head, last + 1, line, is_function=bool(_IR_FUNCTION.match(line)))
    numbers = (n for n, line in enumerate(lines) if _NO_CODE.match(line))
    for _, run in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        rows = [number for _, number in run]
        if len(rows) > 1:
            yield FoldRange(rows[0], rows[-1], lines[rows[0]][:_LONGEST_NAME], starts_folded=True)


_FINDERS: dict[CodeKind, Callable[[Sequence[str]], Iterator[FoldRange]]] = {
    CodeKind.PTX: _ptx_blocks,
    CodeKind.SASS: _sass_blocks,
    # MLIR has the comments and strings of C.
    CodeKind.CUDA: partial(_ir_blocks, CodeKind.CUDA),
    CodeKind.LLVM_IR: partial(_ir_blocks, CodeKind.LLVM_IR),
}


@dataclass(frozen=True, eq=False)
class ListingOutline:
    """The classes of the lines of a text, and the blocks that they form.

    Attributes:
        classes: The `LineClass` of each line.
        blocks: What can be folded, in the order of the heads.
    """

    classes: bytes
    blocks: tuple[FoldRange, ...] = ()


def listing_outline(kind: CodeKind, lines: Sequence[str]) -> ListingOutline:
    """Reads through a listing; takes a second for 300,000 lines."""
    return ListingOutline(classify(kind, lines), blocks(kind, lines))
