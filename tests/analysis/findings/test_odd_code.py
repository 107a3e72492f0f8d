"""Whatever stands in a listing, the rules come to an end."""

import random
from dataclasses import replace

import pytest

from jitstudio.analysis.findings.find import findings
from jitstudio.analysis.sass.model import WORD_BYTES


@pytest.fixture(scope="module")
def functions(tools, request_for):
    return tools.code(tools.cubin(request_for("sm_90")).content).functions


def cut(function, count):
    """Only the first instructions, with the labels and parts that lead to them."""
    return replace(
        function,
        addresses=function.addresses[:count],
        predicates=function.predicates[:count],
        opcodes=function.opcodes[:count],
        operands=function.operands[:count],
        place_ids=function.place_ids[:count],
        ptx_lines=function.ptx_lines[:count],
        labels=tuple(label for label in function.labels if label.index <= count),
        encodings=function.encodings[: count * WORD_BYTES],
        parts=tuple(
            part._replace(start=min(part.start, count), end=min(part.end, count))
            for part in function.parts
        ),
    )


def told(function):
    """The findings, which must be about instructions that are there."""
    found = findings(function, None)
    assert all(0 <= index < len(function) for one in found for index in one.indices)
    return found


def test_truncated_code(functions):
    for function in functions:
        for count in {0, 1, 2, len(function) // 3, len(function) // 2}:
            told(cut(function, count))


@pytest.mark.parametrize("seed", range(5))
def test_operands_of_other_instructions(functions, seed):
    chance = random.Random(seed)
    for function in functions:
        operands, predicates = list(function.operands), list(function.predicates)
        chance.shuffle(operands)
        chance.shuffle(predicates)
        told(replace(function, operands=tuple(operands), predicates=tuple(predicates)))


def test_unknown_opcodes(functions):
    for function in functions:
        told(replace(function, opcodes=tuple(f"X{opcode}" for opcode in function.opcodes)))


def test_code_without_lines(functions):
    for function in functions:
        bare = replace(function, place_ids=type(function.place_ids)("i", [-1] * len(function)))
        assert {one.rule for one in told(bare)} == {one.rule for one in told(function)}
