"""Functions as lines of text: names, the labels that are branched to, instructions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain

from jitstudio.analysis.diff.instructions import counted
from jitstudio.analysis.sass.model import SassFunction

# `@!UP0`
_PREDICATE_COLUMNS = 5


@dataclass(frozen=True, eq=False)
class Layout:
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


def lay_out(function: SassFunction, text: list[str]) -> Layout:
    """Add the lines of a function to a text."""
    layout = Layout(function, len(text))
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
    """The line above a function."""
    return f"{'.kernel' if function.is_kernel else '.func'} {function.name}"


def instruction_line(function: SassFunction, index: int) -> str:
    """An instruction as a listing shows it."""
    address = f"  /*{function.addresses[index]:04x}*/"
    predicate = function.predicates[index].rjust(_PREDICATE_COLUMNS)
    rest = f"{function.opcodes[index]} {function.operands[index]}".rstrip()
    return f"{address} {predicate} {rest} ;"


def control_words(function: SassFunction, index: int) -> str:
    """What the control bits of an instruction say."""
    control = function[index].control
    if control is None:
        return ""
    barriers = (("writes", control.write_barrier), ("reads", control.read_barrier))
    told = [
        f"stall {control.stall}",
        *(["yield"] if control.yields else []),
        *(f"{word} {number}" for word, number in barriers if number is not None),
        *([f"waits {' '.join(map(str, control.waits_for))}"] if control.wait_mask else []),
        *([f"reuse {control.reuse:04b}"] if control.reuse else []),
    ]
    return ", ".join(told)


def _shown_names(function: SassFunction) -> Iterator[tuple[str, int]]:
    """The inner functions, and of the labels those that the code names."""
    named = " ".join(set(function.operands))
    parts = ((part.name, part.start) for part in function.parts[1:])
    labels = ((label.name, label.index) for label in function.labels if label.name in named)
    return chain(parts, labels)
