"""The changes of the PTX by each pass, and the pass that has made a line.

Each run numbers its registers and labels anew, so that their numbers are no difference.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise

from jitstudio.analysis.diff.align import align
from jitstudio.analysis.diff.model import TOKEN, Comparison, compare_lines, ptx_lines
from jitstudio.analysis.sass.model import InlineChain
from jitstudio.core.code import CodeKind
from jitstudio.core.passes import Film, FilmStep
from jitstudio.listing.functions import Function, functions
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
    """Returns the PTX before and after a step, side by side, without line tables."""
    return compare_lines(ptx_lines(step.before), ptx_lines(step.after), shape)


@dataclass(frozen=True)
class LineOrigin:
    """The step that has made an instruction of the last PTX.

    Attributes:
        line: The line, counted from 1.
        text: The instruction.
        place: Where it comes from in the source; empty where no line table says.
        step: The step; None for what was there before all passes.
        is_moved: Whether the same instruction was elsewhere before.
    """

    line: int
    text: str
    place: InlineChain
    step: FilmStep | None
    is_moved: bool = False


@dataclass(frozen=True)
class FilmReading:
    """The steps and the origins of lines in a module or kernel.

    Attributes:
        film: The film; of a kernel, with the PTX of that alone.
        origins: Of the instructions behind the last pass.
    """

    film: Film
    origins: tuple[LineOrigin, ...]


def read_film(film: Film, kernel: str = "") -> FilmReading | None:
    """Returns the reading of a film; None where the PTX has no such kernel or function."""
    if not kernel or not film.ptx:
        return FilmReading(film, origins(film))
    place = _function(film.ptx[max(film.ptx)], kernel)
    if place is None:
        return None
    within = range(place.line, place.end)
    texts = {text: _text_of(text, kernel) for text in set(film.ptx.values())}
    ptx = {limit: texts[text] for limit, text in film.ptx.items()}
    own = tuple(origin for origin in origins(film) if origin.line - 1 in within)
    return FilmReading(replace(film, ptx=ptx), own)


def function_names(film: Film) -> tuple[str, ...]:
    """Returns the lowered names of the functions in the PTX after the last pass."""
    return tuple(f.name for f in _functions(film.ptx[max(film.ptx)])) if film.ptx else ()


def _function(ptx: str, name: str) -> Function | None:
    return next((function for function in _functions(ptx) if function.name == name), None)


def _functions(ptx: str) -> tuple[Function, ...]:
    # A function may be declared before.
    return tuple(f for f in functions(CodeKind.PTX, ptx.splitlines()) if f.is_defined)


def _text_of(ptx: str, name: str) -> str:
    place = _function(ptx, name)
    return "\n".join(ptx.splitlines()[place.line : place.end]) if place else ""


def origins(film: Film) -> tuple[LineOrigin, ...]:
    """Returns the origin of each instruction in the PTX after the last pass."""
    # It loads NumPy, which a table of passes does not need.
    from jitstudio.analysis.correlation.ptx_lines import read_ptx_lines  # noqa: PLC0415

    steps = film.steps
    if not film.ptx:
        return ()
    texts = [step.before for step in steps] + [film.ptx[max(film.ptx)]]
    instructions = [_instructions(text) for text in texts]
    partners, counts = [], [Counter(shapes) for _, shapes in instructions]
    for (_, ours), (_, theirs) in pairwise(instructions):
        partners.append({right: left for left, right in align(ours, theirs)})
    numbers, shapes = instructions[-1]
    lines, result = texts[-1].splitlines(), []
    table = read_ptx_lines(lines)
    for place, number in enumerate(numbers):
        text, source = lines[number - 1].strip(), table.places_of(number)
        at, step = place, len(steps)
        while step and (before := partners[step - 1].get(at)) is not None:
            at, step = before, step - 1
        if not step:
            result.append(LineOrigin(number, text, source, None))
            continue
        before_count, after_count = (counts[s][shapes[place]] for s in (step - 1, step))
        is_moved = before_count >= after_count
        result.append(LineOrigin(number, text, source, steps[step - 1], is_moved))
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
