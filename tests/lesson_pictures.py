"""Draws the pictures in the texts of lessons: `python3 -m tests.lesson_pictures`.

Between ``<!-- picture WORDS -->`` and ``<!-- end -->`` goes a picture of the lesson as it begins.
By ``access FILE:LINE read`` it is the costliest access of a warp at a line, as the simulator sees
it in the lesson's launch; by ``pipeline`` it is the plan of the build. `tests/test_lessons.py`
finds pictures that are not so any more.

To add a kind of picture: a function in `_PICTURES`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from string import ascii_lowercase, digits

from jitstudio.command_options.launch import RunOptions
from jitstudio.commands.project_request import project_of, project_request
from jitstudio.commands.run import launch
from jitstudio.core.code import CodeKind
from jitstudio.core.launch.simulation import (
    LINE_BYTES,
    AccessSample,
    PictureRow,
    Simulation,
    StateSpace,
)
from jitstudio.core.plan import PlanStep, plan
from jitstudio.help.lessons import TEXT, Lesson, lessons

_PICTURE = re.compile(r"<!-- picture (\w+)((?: [\w.:-]+)*) -->\n.*?<!-- end -->", re.S)
_LANES = digits + ascii_lowercase
_COLUMNS, _PART = 32, 8
_LABEL = 11
# As many sectors as a narrow pane shows side by side.
_BESIDE = 2
_SHOWN = 4
_USES = {"read": "load", "write": "store", "atomic": "atomic"}
_CODE_NAMES = {
    CodeKind.CUDA: "CUDA C++",
    CodeKind.LLVM_IR: "LLVM IR",
    CodeKind.PTX: "PTX",
    CodeKind.LTOIR: "LTO-IR",
    CodeKind.CUBIN: "cubin",
    CodeKind.SASS: "SASS",
}


def drawn(lesson: Lesson) -> str:
    """The text of a lesson, with its pictures as the lesson begins now."""
    text = (lesson.folder / TEXT).read_text(encoding="utf-8")

    def picture(match: re.Match[str]) -> str:
        kind, words = match[1], match[2].split()
        lines = "".join(f"    {line}".rstrip() + "\n" for line in _PICTURES[kind](lesson, *words))
        return f"<!-- picture {kind}{match[2]} -->\n\n{lines}\n<!-- end -->"

    return _PICTURE.sub(picture, text)


def with_pictures() -> tuple[Lesson, ...]:
    """The lessons with a picture."""
    return tuple(
        lesson for lesson in lessons() if _PICTURE.search((lesson.folder / TEXT).read_text())
    )


@cache
def _simulated(project: Path) -> Simulation:
    _, result, _ = launch(RunOptions(sources=(str(project),), device="sim"))
    assert result is not None
    assert result.simulation is not None, project
    return result.simulation


def _access(lesson: Lesson, place: str, kind: str) -> Iterator[str]:
    file, _, line = place.partition(":")
    assert lesson.project is not None
    samples = (
        sample
        for sample in _simulated(lesson.project).samples
        if (Path(sample.place.file).name, sample.place.line) == (file, int(line))
        and sample.kind.value == kind
    )
    sample = max(samples, key=lambda sample: (sample.cost, _most_at_a_word(sample)))
    is_shared, most = sample.space is StateSpace.SHARED, _most_at_a_word(sample)
    cost = f"{sample.cost} {'passes' if is_shared else 'sectors'}"
    together = f", {most} lanes at a word" if most > 1 else ""
    yield f"{file}, line {line}, as it begins:"
    yield f"{_USES[kind]} of a warp, {cost}{together}"
    yield ""
    rows = tuple(_banks(sample) if is_shared else _sectors(sample))
    yield from rows
    yield ""
    cells = "".join(row[_LABEL:] for row in rows[1:])
    first = ", the first of those at a word" if most > 1 else ""
    yield f"0 to 9, a to v: lanes 0 to 31{first}"
    if "-" in cells:
        yield "-: moved, but not asked for"


def _most_at_a_word(sample: AccessSample) -> int:
    return max(len(lanes) for row in sample.words() for lanes in row.lanes.values())


def _sectors(sample: AccessSample) -> Iterator[str]:
    rows = sample.words()
    first = rows[0].address
    heads = (f"sector {n}" for n in range(_BESIDE))
    yield f"{'bytes':{_LABEL}}" + "  ".join(f"{head:{_PART}}" for head in heads).rstrip()
    for row in rows:
        cells = _cells(row)
        parts = [cells[n : n + _PART] for n in range(0, _COLUMNS, _PART)]
        moved = [part.replace(".", "-") if part.strip(".") else part for part in parts]
        size = LINE_BYTES // len(parts)
        for n in range(0, len(parts), _BESIDE):
            if not "".join(moved[n : n + _BESIDE]).strip("."):
                continue
            at = row.address - first + n * size
            label = f"{at}-{at + _BESIDE * size - 1}"
            yield f"{label:{_LABEL}}{'  '.join(moved[n : n + _BESIDE])}"


def _banks(sample: AccessSample) -> Iterator[str]:
    rows = sample.words()
    yield (
        f"{'bank':{_LABEL}}" + "".join(f"{n:<{_PART}}" for n in range(0, _COLUMNS, _PART)).rstrip()
    )
    alike = {tuple(row.lanes) for row in rows[_SHOWN:]} == {tuple(rows[0].lanes)}
    shown = _SHOWN if alike else len(rows)
    for number, row in enumerate(rows[:shown], 1):
        yield f"{f'pass {number}':{_LABEL}}{_cells(row)}"
    if len(rows) > shown:
        yield f"and {len(rows) - shown} more passes like these"


def _cells(row: PictureRow) -> str:
    """A letter for each word of a row: the lane that touches it, the first of several."""
    return "".join(
        _LANES[row.lanes[column][0]] if column in row.lanes else "." for column in range(_COLUMNS)
    )


def _pipeline(lesson: Lesson) -> Iterator[str]:
    opened = project_of((str(lesson.project),))
    assert opened is not None
    request = project_request(opened, RunOptions(sources=(str(lesson.project),)))
    steps = plan(replace(request, emit=frozenset((CodeKind.PTX, CodeKind.SASS))))
    rows = [(_name(step), _codes(r.kind for r in step.inputs), step.tool.value) for step in steps]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row, step in zip(rows, steps, strict=True):
        name, code, tool = (f"{word:{width}}" for word, width in zip(row, widths, strict=True))
        yield f"{name}  {code} > {tool} > {_codes(step.makes)}"


def _name(step: PlanStep) -> str:
    modules = len(step.inputs)
    return f"{step.name}, {modules} modules" if modules > 1 else step.name


def _codes(kinds: Iterable[CodeKind]) -> str:
    return ", ".join(dict.fromkeys(_CODE_NAMES[kind] for kind in kinds))


_PICTURES: dict[str, Callable[..., Iterator[str]]] = {"access": _access, "pipeline": _pipeline}


def main() -> None:
    """Writes the pictures."""
    for lesson in with_pictures():
        (lesson.folder / TEXT).write_text(drawn(lesson), encoding="utf-8")


if __name__ == "__main__":
    main()
