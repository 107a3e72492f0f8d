"""Values of wrong kinds and sizes for each argument of Python: sentences, or messages of a report.

The arguments are read from the signatures, so that a new one is tried, too.
"""

import datetime
import decimal
import math
from inspect import signature

import numpy as np
import pytest

import jitstudio
from tests.hostile.shares import in_shares, share
from tests.hostile.test_bad_names import is_sentence
from tests.support import KERNEL

VALUES = {
    "None": None,
    "a bool": True,
    "minus one": -1,
    "zero": 0,
    "a large number": 2**80,
    "a fraction": 0.5,
    "not a number": math.nan,
    "infinite": math.inf,
    "complex": 1j,
    "a decimal": decimal.Decimal("1.5"),
    "a date": datetime.date(2026, 1, 1),
    "empty": "",
    "blank": "  ",
    "a word": "word",
    "a NUL": "a\0b",
    "half a pair": "\ud800",
    "a long text": "x" * 5_000,
    "nested": "(" * 5_000,
    "bytes": b"word",
    "an empty list": [],
    "a list of nothing": [None],
    "a list in itself": [[["a"]]],
    "a set": {1, 2},
    "a dict": {"a": "b"},
    "a dict of objects": {1: object()},
    "an object": object(),
    "a type": int,
    "a function": lambda: None,
    "a generator": (n for n in ()),
    "a scalar of NumPy": np.float32(2.5),
}
SELF = []
SELF.append(SELF)
VALUES["in itself"] = SELF

FLOATS = np.arange(32, dtype=np.float32)
ARRAYS = {
    "other elements": FLOATS.astype(np.float64),
    "integers": FLOATS.astype(np.int8),
    "complex": FLOATS.astype(np.complex64),
    "half": FLOATS.astype(np.float16),
    "big-endian": FLOATS.astype(">f4"),
    "Fortran's order": np.asfortranarray(FLOATS.reshape(4, 8)),
    "backwards": FLOATS[::-1],
    "with gaps": FLOATS[::2],
    "repeated": np.broadcast_to(FLOATS[:1], 32),
    "read only": np.frombuffer(FLOATS.tobytes(), np.float32),
    "objects": FLOATS.astype(object),
    "objects in itself": np.array([SELF], dtype=object),
    "texts": np.array(["a", "b"]),
    "dates": np.array(["2026-01-01"], "M8[D]"),
    "records": np.zeros(4, [("a", "f4"), ("b", "i8")]),
    "nothing": np.zeros(0, np.float32),
    "nothing by rows": np.zeros((0, 32), np.float32),
    "no axis": np.float32(1).reshape(()),
    "many axes": np.zeros((1,) * 32, np.float32),
    "one short": FLOATS[:-1],
    "masked": np.ma.array(FLOATS, mask=True),
    "not aligned": np.frombuffer(b"\0" * 129, np.uint8)[1:].view(np.float32),
    "NaN": np.full(32, np.nan, np.float32),
}
_FLOAT_KERNEL = """
__constant__ float c[32];
extern "C" __global__ void k(const float* x, float* y, float a)
{ y[threadIdx.x] = a * x[threadIdx.x] + c[threadIdx.x]; }
"""
_GOOD = {
    "build": {},
    "inspect": {},
    "diff": {},
    "run": {"grid": 1, "block": 32, "arguments": {"p": "32:out"}, "device": "sim"},
}
# Not tried: a thing that is no kernel has its own test, and what needs another machine or service.
_LEFT_OUT = {"session", "python"}
_PLACES = [
    (name, argument)
    for name in _GOOD
    for argument in signature(getattr(jitstudio, name)).parameters
    if argument not in _LEFT_OUT
]


def problem_of(call):
    """What is wrong with the way in which a call refuses a value; None for nothing."""
    try:
        report = call()
    except (TypeError, ValueError) as error:
        return None if is_sentence(str(error)) else f"{type(error).__name__}: {error}"
    if report.outcome in ("built", "ran") if hasattr(report, "outcome") else True:
        return None
    return None if report.messages and all(map(str.strip, report.messages)) else "no message"


@in_shares
@pytest.mark.parametrize(("name", "argument"), _PLACES)
def test_a_function_says_which_value_is_bad(name, argument, every):
    problems = {}
    for title, value in share(VALUES, f"{name} {argument}", every).items():
        things = {"a": KERNEL, "b": KERNEL} if name == "diff" else {"thing": KERNEL}
        words = things | _GOOD[name] | {argument: value}
        if problem := problem_of(lambda words=words: getattr(jitstudio, name)(**words)):
            problems[title] = problem
    assert problems == {}


@in_shares
@pytest.mark.parametrize("place", ["x", "y", "a", "c", "expect"])
def test_a_launch_says_which_array_is_bad(place, every):
    problems = {}
    for title, array in share(ARRAYS | VALUES, place, every).items():
        words = {
            "arguments": {"x": FLOATS, "y": "32:out", "a": 2.0},
            "set": {"c": "zeros"},
            "expect": {},
        }
        part = {"c": "set", "expect": "expect"}.get(place, "arguments")
        words[part] = words[part] | {"y" if place == "expect" else place: array}
        problem = problem_of(
            lambda words=words: jitstudio.run(
                _FLOAT_KERNEL, grid=1, block=32, device="sim", **words
            )
        )
        if problem:
            problems[title] = problem
    assert problems == {}
