"""What each pass changes in the PTX, and which pass has made a line of it.

Each run numbers its registers and labels anew, so that their numbers are no difference.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from jitstudio.analysis.diff.align import align
from jitstudio.analysis.diff.model import TOKEN, Comparison, compare_lines, ptx_lines
from jitstudio.core.code import CodeKind
from jitstudio.core.passes import Film, FilmStep
from jitstudio.listing.functions import functions
from jitstudio.listing.line_classes import classify
from jitstudio.listing.lines import LineClass

# `%rd12`, `$L__BB0_2`, `%r<12>` of a declaration
_REGISTER = re.compile(r"(?P<kind>[a-z]+)\d+")
_LABEL = re.compile(r"\$L__BB[\d_]+|\$L\w*?\d+")
_INSTRUCTION = re.compile(r"\s*[@a-z]")


def shape(line: str) -> tuple[str, ...]:
    """Returns the words of a line of PTX, without the numbers of registers and labels."""
    tokens = TOKEN.findall(line)
    words = []
    for before, token in zip(("", *tokens), tokens, strict=False):
        if before == "%" and (register := _REGISTER.fullmatch(token)):
            words.append(register["kind"])
        elif before == "<" and tokens[0] == ".reg":
            words.append("")
        else:
            words.append(_LABEL.sub("$L", token))
    return tuple(words)


def compare_step(step: FilmStep) -> Comparison:
    """Returns the PTX in front of a step and behind it, side by side, without line tables."""
    return compare_lines(ptx_lines(step.before), ptx_lines(step.after), shape)


def of_kernel(film: Film, kernel: str) -> Film:
    """Returns the film of a kernel or function alone; without PTX where there is none."""
    texts = {text: "\n".join(_function_lines(text, kernel)) for text in set(film.ptx.values())}
    return replace(film, ptx={limit: texts[text] for limit, text in film.ptx.items()})


def _function_lines(ptx: str, name: str) -> Sequence[str]:
    lines = ptx.splitlines()
    return next(
        (lines[f.line : f.end] for f in functions(CodeKind.PTX, lines) if f.name == name), ()
    )


@dataclass(frozen=True)
class LineOrigin:
    """The step that has made an instruction of the last PTX.

    Attributes:
        line: The line, counted from 1.
        step: The step; None for what was there before all passes.
        is_moved: Whether the same instruction was elsewhere before.
    """

    line: int
    step: FilmStep | None
    is_moved: bool = False


def origins(film: Film) -> tuple[LineOrigin, ...]:
    """Returns the origin of each instruction in the PTX behind the last pass."""
    steps = film.steps
    if not film.ptx:
        return ()
    texts = [step.before for step in steps] + [film.ptx[max(film.ptx)]]
    instructions = [_instructions(text) for text in texts]
    partners, counts = [], [Counter(shapes) for _, shapes in instructions]
    for (_, ours), (_, theirs) in zip(instructions, instructions[1:], strict=False):
        partners.append({right: left for left, right in align(ours, theirs)})
    numbers, shapes = instructions[-1]
    result = []
    for place, number in enumerate(numbers):
        at, step = place, len(steps)
        while step and (before := partners[step - 1].get(at)) is not None:
            at, step = before, step - 1
        if not step:
            result.append(LineOrigin(number, None))
            continue
        before_count, after_count = (counts[s][shapes[place]] for s in (step - 1, step))
        result.append(LineOrigin(number, steps[step - 1], before_count >= after_count))
    return tuple(result)


def _instructions(ptx: str) -> tuple[list[int], list[tuple[str, ...]]]:
    """Returns the lines with instructions, counted from 1, and their shapes."""
    lines = ptx.splitlines()
    kinds = classify(CodeKind.PTX, lines)
    numbers = [
        at + 1
        for at, (line, kind) in enumerate(zip(lines, kinds, strict=True))
        if kind == LineClass.CODE and _INSTRUCTION.match(line)
    ]
    return numbers, [shape(lines[number - 1]) for number in numbers]
