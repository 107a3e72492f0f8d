"""PTX and SASS of a function under each line of the source that they were made of.

Each instruction stands once, under the innermost line that its line table names: the line itself,
not the call that it was inlined through.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from jitstudio.analysis.correlation.index import Correlation
from jitstudio.analysis.sass.model import InlineChain, SassFunction, SourceLocation
from jitstudio.core.code import CodeKind, Header, Source
from jitstudio.core.file_names import FileNames
from jitstudio.core.plain_files import read_file
from jitstudio.core.request import BuildRequest
from jitstudio.listing.lines import NOWHERE, split_lines

SourceText = Callable[[str], Sequence[str]]
"""Returns the lines of a file, by the name in line tables; none of a file that is not known."""


@dataclass(frozen=True)
class SourceBlock:
    """A line of the source with the code made of the line.

    Attributes:
        place: The line; None for code of which no line table says where it is from.
        text: The line; empty where its file is not known.
        ptx: The lines of PTX, counted from 1, ascending.
        code: The indices of the instructions, ascending.
    """

    place: SourceLocation | None
    text: str = ""
    ptx: tuple[int, ...] = ()
    code: tuple[int, ...] = ()


class InterleavedLine(NamedTuple):
    """A line of a listing of source, PTX and SASS.

    Attributes:
        kind: The language; a header's for a line of any source.
        number: The line of the source or of PTX, from 1, or the index of the instruction.
        text: The text.
        place: Of a line of a source: where it is; None for the heading of code without a line.
    """

    kind: CodeKind
    number: int
    text: str
    place: SourceLocation | None = None


def source_text(request: BuildRequest) -> SourceText:
    """Returns a reader of the files of a build: texts of the build, then files on disk."""
    names = FileNames(request)
    parts: tuple[Source | Header, ...] = (*request.sources, *request.libraries, *request.headers)
    known = {names.path(part.name): part.content for part in parts}

    @cache
    def lines(file: str) -> Sequence[str]:
        path = names.path(file)
        content = known.get(path)
        if content is None:
            try:
                content = read_file(path)
            except (OSError, ValueError):
                # Gone, inside NVRTC, or a name that a #line directive made up.
                return ()
        return split_lines(content.decode("utf-8", "replace"))

    return lines


def source_blocks(
    correlation: Correlation, function: SassFunction, source: SourceText
) -> tuple[SourceBlock, ...]:
    """Returns the lines of the source that a function was made of.

    Those of the file that the function begins in come first, in order, then those of other files,
    and last what has no line.
    """
    ptx: dict[SourceLocation | None, list[int]] = {}
    module = correlation.module_of(function)
    lines = correlation.modules.get(module)
    own = next((f for f in lines.functions if f.name == function.name), None) if lines else None
    code: dict[SourceLocation | None, list[int]] = {}
    tied = correlation.tied(function)
    if lines is not None:
        own_lines = range(own.line + 1, own.end + 1) if own is not None else range(0)
        # ptxas inlines functions, too: their statements are elsewhere in the text.
        made = set(tied.starts[: function.code_length].tolist()) - {0}
        for line in sorted(made.union(n for n in own_lines if lines.place_id(n) != NOWHERE)):
            if line == int(lines.starts[line]):
                place = _innermost(lines.places_of(line))
                ptx.setdefault(place, []).extend(lines.statement(line))
    for index in range(function.code_length):
        chain = int(tied.ids[index])
        place = None if chain == NOWHERE else _innermost(tied.places[chain])
        if place is None and (start := int(tied.starts[index])) and lines is not None:
            # Of what has no line of its own, that of its statement is known.
            place = _innermost(lines.places_of(start))
        code.setdefault(place, []).append(index)
    first = next((place for place in code if place is not None), None)
    home = first.file if first else ""
    known = sorted(filter(None, {*ptx, *code}), key=lambda place: (place.file != home, place))
    ordered = [*known, *([None] if None in code or None in ptx else [])]
    return tuple(
        SourceBlock(
            place,
            _line(source, place) if place is not None else "",
            tuple(ptx.get(place, ())),
            tuple(code.get(place, ())),
        )
        for place in ordered
    )


def interleaved(
    blocks: Sequence[SourceBlock], ptx: Sequence[str], sass: Callable[[int], str]
) -> tuple[InterleavedLine, ...]:
    """Returns the lines of a source, with PTX and SASS behind each.

    Args:
        blocks: The lines of the source.
        ptx: The PTX.
        sass: Returns the text of an instruction, by its index.
    """
    lines: list[InterleavedLine] = []
    for block in blocks:
        number = block.place.line if block.place else 0
        in_ptx = ((n, ptx[n - 1].strip()) for n in block.ptx)
        # The machine code that makes a frame is of the brace of the PTX, which has no line.
        code = [InterleavedLine(CodeKind.PTX, n, text) for n, text in in_ptx if text != "{"]
        code += (InterleavedLine(CodeKind.SASS, at, sass(at)) for at in block.code)
        if code:
            lines.append(InterleavedLine(CodeKind.HEADER, number, block.text, block.place))
            lines += code
    return tuple(lines)


def _innermost(chain: InlineChain) -> SourceLocation | None:
    return chain[0] if chain else None


def _line(source: SourceText, place: SourceLocation) -> str:
    lines = source(place.file)
    return lines[place.line - 1].rstrip() if 0 < place.line <= len(lines) else ""
