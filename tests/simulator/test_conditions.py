"""Conditions of breakpoints are read as in C, or refused."""

import random
import re

import numpy as np
import pytest

from jitstudio.simulator.stepping.conditions import StopCondition, StopConditionError
from tests.simulator.running import ptx_of, run

VARIABLES = {
    "i": ("int", np.int32), "n": ("int", np.int32), "u": ("unsigned", np.uint32),
    "c": ("signed char", np.int8), "b": ("bool", np.bool_), "w": ("long long", np.int64),
    "uw": ("unsigned long long", np.uint64), "us": ("unsigned short", np.uint16),
}  # fmt: skip
LEVELS = (
    ("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", ">", "<=", ">="), ("<<", ">>"),
    ("+", "-"), ("*", "/", "%"),
)  # fmt: skip
SHIFTS = LEVELS.index(("<<", ">>"))
THREADS, EXPRESSIONS = 32, 400


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("%r3 == 7 && tid.x < 4", [True, False, False]),
        ("r3 == -8 || !p1", [False, True, True]),
        ("f(%f1) >= 1.0", [True, False, True]),
        ("u(r3) > 0x7fffffff", [False, True, False]),
        ("(r3 & 1) != 0 and not (r3 % 7)", [True, False, False]),
        # `%` divides behind an operand, and begins a name elsewhere.
        ("r3%tid.x == 1", [False, False, False]),
        ("r3 %tid.x == 0 && %r3 > 0", [True, False, True]),
        ("r3 % %tid.x == 0", [True, True, True]),
        ("%r3%%tid.x == 0", [True, True, True]),
        # C: `(!r3) == 0`, `(!p1) & (r3 & 1)`
        ("!r3 == 0", [True, True, True]),
        ("!p1 & r3", [False, False, True]),
        ("(p1 == 1) + (tid.x == 1) == 2", [True, False, False]),
        ("~p1 == -2", [True, False, False]),
        ("%r3 == 0xfffffff8", [False, True, False]),
        ("f(f1) == 1.f || f(f1) == 20e-1", [True, False, True]),
        ("true && r3 > 7u && false == 0", [False, True, True]),
        # What C leaves undefined is unknown.
        ("r3 / (tid.x - 1) == 0 || 7 % 0 == 7 || 1 << 32 == 1", [False, False, False]),
        ("threadIdx.x + blockIdx.x >= 12 && blockDim.x == 64", [False, True, True]),
        # As C divides: to zero, and the rest has the sign of what is divided.
        ("r3 / 3 == -2 && r3 % 3 == -2", [False, True, False]),
        ("r3 / 2.0 == 3.5", [True, False, False]),
    ],
)
def test_conditions_are_read_as_in_c(text, expected):
    values = {
        "r3": np.array([7, -8, 9], np.int32),
        "tid.x": np.array([1, 2, 3]),
        "ctaid.x": np.array([10, 10, 10]),
        "ntid.x": np.array([64, 64, 64]),
        "p1": np.array([True, False, False]),
        "f1": np.array([0x3F800000, 0, 0x40000000], np.uint32),
    }
    assert StopCondition.read(text).holds(values.__getitem__, 3).tolist() == expected


@pytest.mark.parametrize(
    "text",
    [
        "1 +",
        "__import__('os')",
        "a.b()",
        "%r1 ** 9",
        "[1]",
        "x" * 501,
        "0 1",
        "r1 %",
        "a = 1",
        "010 == 8",
        "1x",
        "f(1)",
        "f(x + 1)",
        "f x",
        "(1",
        "1)",
        "--a",
        "a--b",
        "and",
        "1 not 2",
        "(" * 499,
        "99999999999999999999 > 1",
        "r3 == 1_000",
        "r3 == 1_0.5",
        "r3 == 0x1_0",
        "r3 == 1ulul",
        "r3 == 1lul",
        "r3 == 1.5fF",
        "r3 == \N{ARABIC-INDIC DIGIT THREE}",
    ],
)
def test_what_is_no_condition_is_told(text):
    with pytest.raises(StopConditionError):
        StopCondition.read(text)


def test_what_c_and_python_read_differently_is_refused():
    with pytest.raises(StopConditionError, match="put brackets around"):
        StopCondition.read("%r3 == 7 & tid.x < 4")
    for text in ("0 < a < 2", "a == b == c", "a < b == 1", "a == (b) < 2"):
        with pytest.raises(StopConditionError, match="write a < b && b < c"):
            StopCondition.read(text)
    with pytest.raises(StopConditionError, match="put brackets around what “not”"):
        StopCondition.read("not a == 1")
    values = {"r3": np.array([7, 8])}
    bracketed = StopCondition.read("(%r3 == 7) & ((r3 & 1) == 1)")
    assert bracketed.holds(values.__getitem__, 2).tolist() == [True, False]


@pytest.mark.parametrize("number", ["0.1", "0.05 + 0.05", "2 * 0.05", "-(0.1 - 0.2)", "1 / 10."])
def test_what_is_calculated_of_numbers_has_the_type_of_the_float_beside_it(number):
    for kind in (np.float32, np.float64):
        values = {"f": np.array([0.1, 0.2], kind)}
        condition = StopCondition.read(f"f == {number}")
        assert condition.holds(values.__getitem__, 2).tolist() == [True, False]
    # Between integers C divides integers, and a register has its type.
    values = {"i": np.array([1, 2], np.int32), "f": np.array([0.1, 0.2], np.float32)}
    for text in ("1 / 2 * 0.1 == 0", "i * 0.1 == 0.1 * i"):
        assert StopCondition.read(text).holds(values.__getitem__, 2).all()
    # As in C: the product of an int and a double is a double.
    held = StopCondition.read("f == i * 0.1").holds(values.__getitem__, 2)
    assert not held.any()


@pytest.mark.parametrize(
    ("text", "kind", "why"),
    [
        ("f(p1) == 1", np.bool_, r"f\(…\) reads 16, 32 or 64 bits, and p1 has 1\."),
        ("f(%c) > 0", np.int8, r"f\(…\) reads 16, 32 or 64 bits, and c has 8\."),
        ("u(%q) > 0", "V16", r"u\(…\) reads 8, 16, 32 or 64 bits, and q has 128\."),
    ],
)
def test_bits_that_cannot_be_read_so_are_told_in_a_sentence(text, kind, why):
    with pytest.raises(StopConditionError, match=why):
        StopCondition.read(text).holds(lambda name: np.zeros(1, kind), 1)


def test_a_name_that_stands_for_nothing_is_told_with_those_that_do():
    with pytest.raises(StopConditionError, match=r"names row, .*%r3, .*threadIdx\.x .*-G\."):
        StopCondition.read("row == 3").holds({}.__getitem__, 1)


def _expression(source, depth, outer=0):
    """Returns an expression of C, with no more brackets than it needs now and then.

    Args:
        source: Of chance.
        depth: How many operators may be around each other.
        outer: The level of the operator beside it.
    """
    if not depth or source.random() < 0.2:
        name = source.choice([*VARIABLES, "3", "1", "7u", "0x2"])
        return source.choice(["", "", "", "-", "!", "~"]) + name
    if source.random() < 0.25:
        return source.choice(["", "!", "-", "~"]) + f"({_expression(source, depth - 1)})"
    level = source.randrange(len(LEVELS))
    mark = source.choice(LEVELS[level])
    left, right = (_expression(source, depth - 1, level) for _ in "ab")
    if mark in ("/", "%"):
        # No division by zero, and none that overflows.
        right = source.choice(["3", "n", "(c * c + 1)"])
    if level == SHIFTS:
        right = source.choice(["2", "1 + 1", "(i & 3)", "3 - (c & 3)"])
    before, behind = source.choice([(" ", " "), ("", ""), (" ", ""), ("", " ")])
    # `a--b` and `a&&&b` are others.
    text = f"{left}{before}{mark}{' ' if right[0] in '-&' else behind}{right}"
    # `i << 2 * n` would shift by too much.
    return f"({text})" if level == SHIFTS < outer else text


def _is_read(text):
    try:
        StopCondition.read(text)
    except StopConditionError as error:
        return not re.search("write a < b|put brackets", str(error))
    return True


def test_conditions_have_the_values_that_the_compiler_gives_them(tools):
    """Expressions drawn at random: NVRTC's code for them says what they are in C."""
    source = random.Random(20261127)
    # What C and Python read differently is refused.
    texts = [t for t in (_expression(source, 3) for _ in range(2 * EXPRESSIONS)) if _is_read(t)]
    assert len(texts) > EXPRESSIONS
    names = ", ".join(f"const {kind} *p_{name}" for name, (kind, _) in VARIABLES.items())
    reads = " ".join(f"{k} {name} = p_{name}[t];" for name, (k, _) in VARIABLES.items())
    writes = "\n".join(
        f"y[{at} * {THREADS} + t] = ({text}) ? 1 : 0;" for at, text in enumerate(texts)
    )
    code = (
        f'extern "C" __global__ void k({names}, char *y) '
        f"{{ int t = threadIdx.x; {reads}\n{writes} }}"
    )
    draws = np.random.default_rng(7)
    lows = {"i": -9, "n": 1, "c": -9, "w": -9}
    values = {
        name: draws.integers(lows.get(name, 0), 2 if name == "b" else 10, THREADS).astype(kind)
        for name, (_, kind) in VARIABLES.items()
    }
    truths = np.zeros((len(texts), THREADS), np.int8)
    ran = run(ptx_of(tools, code), "k", (1, 1, 1), (THREADS, 1, 1), *values.values(), truths)
    wanted = ran.arrays[-1].astype(bool)
    assert 0.2 < wanted.mean() < 0.8
    for text, expected in zip(texts, wanted, strict=True):
        held = StopCondition.read(text).holds(values.__getitem__, THREADS)
        assert held.tolist() == expected.tolist(), text
