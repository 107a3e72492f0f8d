"""The machine code of two programs side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, zip_longest

from jitstudio.analysis.diff.data import DataSection
from jitstudio.analysis.diff.instructions import (
    InstructionPair,
    TokenSpelling,
    compare_as_written,
    compare_normalised,
    counted,
    hides_a_difference,
)
from jitstudio.analysis.diff.model import (
    ASIDE,
    TOKEN,
    Change,
    Comparison,
    DiffRow,
    change_of,
    compare_lines,
)
from jitstudio.analysis.diff.program import CubinProgram, data_comparable, partners
from jitstudio.analysis.sass.model import SassFunction
from jitstudio.listing.lines import NOWHERE

CONTROL_SIGN = " // "
"""Stands in front of the parts of an instruction that its text hides, such as control bits."""

# `/*0010*/`
_ADDRESS_TOKENS = 5
# The end of the line of an instruction.
_END = ";"


def compare_programs(
    left: CubinProgram, right: CubinProgram, *, normalised: bool = False
) -> Comparison:
    """Compares targets where they differ, functions side by side, then data.

    Args:
        left: The first program.
        right: The second program.
        normalised: Whether to ignore names of registers, addresses and labels, and control bits.
            Otherwise all counts but the address in front of an instruction.
    """
    return _Writer(left, right, normalised=normalised).compare()


class _Writer:
    """Writes both texts and their rows."""

    def __init__(self, left: CubinProgram, right: CubinProgram, *, normalised: bool) -> None:
        self._programs = (left, right)
        self._normalised = normalised
        self._left: list[str] = []
        self._right: list[str] = []
        self._rows: list[DiffRow] = []
        self._tokens: tuple[dict[int, tuple[str, ...]], ...] = ({}, {})

    def compare(self) -> Comparison:
        left, right = self._programs
        self._targets(left.code.target, right.code.target)
        for ours, theirs in partners(left, right):
            self._function(ours, theirs)
        if data_comparable(left, right):
            self._data(left.data or (), right.data or ())
        left_words, right_words = self._tokens
        return Comparison(
            left=tuple(self._left),
            right=tuple(self._right),
            rows=tuple(self._rows),
            control_counts=not self._normalised,
            left_words=left_words,
            right_words=right_words,
        )

    def _targets(self, left: str, right: str) -> None:
        # A cut listing does not say its own.
        if left and right and left != right:
            self._left.append(f".target {left}")
            self._right.append(f".target {right}")
            self._row(0, 0)

    def _function(self, left: SassFunction | None, right: SassFunction | None) -> None:
        if left is None or right is None:
            for function, text in ((left, self._left), (right, self._right)):
                if function is not None:
                    start = len(text)
                    lay_out(function, text)
                    self._alone(range(start, len(text)), is_left=function is left)
            return
        ours, theirs = lay_out(left, self._left), lay_out(right, self._right)
        self._head(left, right, ours.start, theirs.start)
        if self._normalised:
            public = (self._programs[0].public, self._programs[1].public)
            pairs, spelling = compare_normalised(left, right, public)
        else:
            pairs, spelling = compare_as_written(left, right), TokenSpelling({}, {})
        for pair in pairs:
            self._marks(ours.marks.get(pair.left, ()), theirs.marks.get(pair.right, ()))
            self._instruction(ours, theirs, pair, spelling)
        self._rows.append(DiffRow(len(self._left) - 1, len(self._right) - 1, Change.EQUAL))

    def _head(self, left: SassFunction, right: SassFunction, at: int, their_at: int) -> None:
        ours, theirs = (
            program.public.within(head_of(function))
            for program, function in zip(self._programs, (left, right), strict=True)
        )
        self._row(at, their_at, names_count=not (self._normalised and ours == theirs))

    def _instruction(
        self,
        ours: FunctionLines,
        theirs: FunctionLines,
        pair: InstructionPair,
        spelling: TokenSpelling,
    ) -> None:
        left = ours.lines[pair.left] if pair.left != NOWHERE else NOWHERE
        right = theirs.lines[pair.right] if pair.right != NOWHERE else NOWHERE
        self._rows.append(DiffRow(left, right, pair.change))
        if pair.change not in (Change.CONTROL, Change.CHANGED):
            return
        left_tail, right_tail = _tails(ours.function, theirs.function, pair)
        self._tokens[0][left] = _tokens(self._left[left], spelling.left.get(pair.left), left_tail)
        self._tokens[1][right] = _tokens(
            self._right[right], spelling.right.get(pair.right), right_tail
        )
        self._left[left] += left_tail
        self._right[right] += right_tail

    def _marks(self, left: Iterable[int], right: Iterable[int]) -> None:
        for left_line, right_line in zip_longest(left, right, fillvalue=NOWHERE):
            self._row(left_line, right_line, names_count=not self._normalised)

    def _row(self, left: int, right: int, *, names_count: bool = True) -> None:
        same = NOWHERE in (left, right) or self._left[left] == self._right[right]
        change = change_of(left, right, same=same or not names_count)
        self._rows.append(DiffRow(left, right, change))

    def _alone(self, lines: Sequence[int], *, is_left: bool) -> None:
        rows: Callable[[int], DiffRow] = (
            (lambda line: DiffRow(line, NOWHERE, Change.REMOVED))
            if is_left
            else (lambda line: DiffRow(NOWHERE, line, Change.ADDED))
        )
        self._rows += map(rows, lines)

    def _data(self, left: Sequence[DataSection], right: Sequence[DataSection]) -> None:
        left_text, right_text = _data_text(left), _data_text(right)
        compared = compare_lines(left_text, right_text)
        at_left, at_right = len(self._left), len(self._right)
        self._left += left_text
        self._right += right_text
        self._rows += (
            DiffRow(
                row.left + at_left if row.left != NOWHERE else NOWHERE,
                row.right + at_right if row.right != NOWHERE else NOWHERE,
                row.change,
            )
            for row in compared.rows
        )


def _data_text(sections: Iterable[DataSection]) -> list[str]:
    return [
        line
        for section in sections
        for line in (f".section {section.name}", *(f"        {line}" for line in section.lines))
    ]


def _tails(left: SassFunction, right: SassFunction, pair: InstructionPair) -> tuple[str, str]:
    """Returns the differences of two instructions that their texts hide."""
    if pair.change is Change.CONTROL:
        texts = control_text(left, pair.left), control_text(right, pair.right)
    elif hides_a_difference(left, right, pair.left, pair.right):
        texts = f"{left.encoding(pair.left):#034x}", f"{right.encoding(pair.right):#034x}"
    else:
        return "", ""
    return CONTROL_SIGN + texts[0], CONTROL_SIGN + texts[1]


def _tokens(line: str, spelt: Sequence[str] | None, tail: str) -> tuple[str, ...]:
    """Returns the words by which the tokens of a line are compared; never the address."""
    if spelt is None:
        spelt = TOKEN.findall(line)[_ADDRESS_TOKENS:-1]
    return (*[ASIDE] * _ADDRESS_TOKENS, *spelt, _END, *TOKEN.findall(tail))


# ---- Functions as lines of text: names, labels that are branched to, instructions

# `@!UP0`
_PREDICATE_COLUMNS = 5


@dataclass(frozen=True, eq=False)
class FunctionLines:
    """A function as lines.

    Attributes:
        function: The function.
        start: The line of its head.
        lines: The line of each instruction.
        marks: The lines in front of an instruction, of labels and inner functions, by its index.
    """

    function: SassFunction
    start: int
    lines: list[int] = field(default_factory=list)
    marks: dict[int, list[int]] = field(default_factory=dict)


def lay_out(function: SassFunction, text: list[str]) -> FunctionLines:
    """Adds the lines of a function to a text."""
    layout = FunctionLines(function, len(text))
    text.append(head_of(function))
    names: dict[int, list[str]] = {}
    for name, index in _shown_names(function):
        names.setdefault(index, []).append(name)
    for index in counted(function):
        for name in names.get(index, ()):
            layout.marks.setdefault(index, []).append(len(text))
            text.append(f"{name}:")
        layout.lines.append(len(text))
        text.append(instruction_line(function, index))
    text.append("")
    return layout


def head_of(function: SassFunction) -> str:
    """Returns the headline of a function."""
    return f"{'.kernel' if function.is_kernel else '.func'} {function.name}"


def instruction_line(function: SassFunction, index: int) -> str:
    """Returns an instruction as a listing shows it."""
    address = f"  /*{function.addresses[index]:04x}*/"
    predicate = function.predicates[index].rjust(_PREDICATE_COLUMNS)
    rest = f"{function.opcodes[index]} {function.operands[index]}".rstrip()
    return f"{address} {predicate} {rest} ;"


def control_text(function: SassFunction, index: int) -> str:
    """Returns the control bits of an instruction in words."""
    control = function[index].control
    if control is None:
        return ""
    barriers = (("writes", control.write_barrier), ("reads", control.read_barrier))
    message = [
        f"stall {control.stall}",
        *(["yield"] if control.yields else []),
        *(f"{word} {number}" for word, number in barriers if number is not None),
        *([f"waits {' '.join(map(str, control.waits_for))}"] if control.wait_mask else []),
        *([f"reuse {control.reuse:04b}"] if control.reuse else []),
    ]
    return ", ".join(message)


def _shown_names(function: SassFunction) -> Iterator[tuple[str, int]]:
    """Returns the inner functions, and the labels that the code names."""
    named = " ".join(set(function.operands))
    parts = ((part.name, part.start) for part in function.parts[1:])
    labels = ((label.name, label.index) for label in function.labels if label.name in named)
    return chain(parts, labels)
