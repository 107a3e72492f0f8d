"""All readers of PTX read a program alike however it is spelt, with ptxas as the judge."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import pytest

from jitstudio.simulator.ptx.reading import read_program
from tests.ptx.judge import Judge
from tests.ptx.readers import READERS, lines_of_instructions, tracebacks, wrong_lines
from tests.ptx.spellings import CUDA, EVERYTHING, MATRICES, Spelling
from tests.simulator.running import ptx_of, run

pytestmark = [pytest.mark.tools, pytest.mark.slow]
PAIR = np.array([(3, 0.5)], [("a", "i4"), ("b", "f4")])


@dataclass(frozen=True)
class Base:
    """A program to spell otherwise: what its readers say, and what comes of its launch."""

    spelling: Spelling
    arguments: tuple[Any, ...]
    threads: int
    answers: dict[str, Any]
    result: list[float]
    starts: tuple[int, ...]

    @classmethod
    def of(cls, text: str, *arguments: Any, threads: int = 32) -> Base:
        spelling = Spelling.of(text)
        assert spelling.text == text
        answers = {name: reader(text) for name, reader in READERS.items()}
        return cls(
            spelling, arguments, threads, answers, result(text, arguments, threads), starts_in(text)
        )


def starts_in(text: str) -> tuple[int, ...]:
    """The words that instructions begin with, of a text in which they are where they seem to be."""
    words, at, starts = Spelling.of(text).words, -1, []
    for instruction in read_program(text).instructions:
        first = "@" if instruction.guard else instruction.opcode
        at = next(n for n in range(at + 1, len(words)) if _begins(words, n, first))
        starts.append(at)
    return tuple(starts)


def _begins(words: tuple[str, ...], at: int, first: str) -> bool:
    if first == "ret" and words[at - 1 : at + 1] == ("{", "}"):
        return True  # ptxas adds it
    return words[at] == first and re.fullmatch(r"[;{}:\d]+", words[at - 1]) is not None


def result(text: str, arguments: tuple[Any, ...], threads: int) -> list[float]:
    ran = run(text, "k", (1, 1, 1), (threads, 1, 1), np.zeros(threads, np.uint32), *arguments)
    return ran.arrays[0].tolist()


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with Judge() as judge:
        yield judge


@pytest.fixture(scope="module")
def bases(tools) -> list[Base]:
    return [
        Base.of(EVERYTHING, np.uint32(5)),
        Base.of(MATRICES),
        Base.of(ptx_of(tools, CUDA), PAIR),
        Base.of(ptx_of(tools, CUDA, "sm_90", "-G"), PAIR),
    ]


def misread(base: Base, spelling: Spelling) -> list[str]:
    """What is wrong with how a valid spelling is read."""
    text, wrong = spelling.text, []
    for name, reader in READERS.items():
        try:
            answer = reader(text)
        except Exception as error:
            answer = repr(error)
        if answer != base.answers[name]:
            wrong.append(f"{name}: {str(answer)[:300]}")
    if not wrong:
        if result(text, base.arguments, base.threads) != base.result:
            wrong.append("it runs otherwise")
        lines, words = spelling.lines(), spelling.words
        own = lines_of_instructions(base.spelling.text)
        ends = [at if words[at] == "}" else words.index(";", at) for at in base.starts]
        wrong += wrong_lines(
            text,
            [
                (range(lines[at], lines[end] + 1), source)
                for at, end, (_, source) in zip(base.starts, ends, own, strict=True)
            ],
        )
    return wrong


def rounds(bases: list[Base], judge: Judge, seeds: range) -> tuple[int, dict[str, list[str]]]:
    """How many spellings ptxas takes, and those that are read wrongly."""
    taken, wrong = 0, {}
    for seed in seeds:
        random = Random(seed)
        base = bases[random.choices(range(len(bases)), (6, 2, 1, 1))[0]]
        spelling = base.spelling.respelt(random)
        if judge.refusal(spelling.text):
            found = tracebacks(spelling.text)
        else:
            taken += 1
            found = misread(base, spelling)
        if found:
            wrong[f"seed {seed}"] = found
    return taken, wrong


def test_spellings_that_ptxas_takes_are_read_alike(bases, judge):
    taken, wrong = rounds(bases, judge, range(40))
    assert taken > 10
    assert wrong == {}


@pytest.mark.bench
def test_a_thousand_spellings_that_ptxas_takes_are_read_alike(bases, judge):
    taken, wrong = rounds(bases, judge, range(1000, 2700))
    assert taken > 1000
    assert wrong == {}
