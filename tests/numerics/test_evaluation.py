import os

import numpy as np
import pytest

from jitstudio.core.launch.request import Buffer, EvaluationContext, Fill, FillKind
from jitstudio.numerics.dtypes import NumericsError, save_buffer
from jitstudio.numerics.evaluation import evaluate, evaluate_among
from jitstudio.numerics.expression_text import ExpressionError
from tests.numerics.kinds import FLOAT, INT

X = np.arange(4, dtype=np.float32)
VALUES = {"x": X, "y": np.ones(3), "in": X, "lambda": 2, "sum": 3, "a": 2.5, "n": 4}


def value_of(expression):
    return np.asarray(evaluate(expression, VALUES)).tolist()


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("a * x + 1", [1, 3.5, 6, 8.5]),
        ("in * lambda + sum", [3, 5, 7, 9]),
        ("np.sum(x)", 6),
        ("x.sum() / n", 1.5),
        ("where(x > 1, x, 0)", [0, 0, 2, 3]),
        ("minimum(x, 1) + maximum(x, 2)", [2, 3, 3, 4]),
        ("clip(x, 1, 2)", [1, 1, 2, 2]),
        ("x[::-1]", [3, 2, 1, 0]),
        ("x[1:, None] * x[None, :2]", [[0, 1], [0, 2], [0, 3]]),
        ("x.reshape(2, 2).T @ ones((2, 1))", [[2], [4]]),
        ("concatenate([x[:1], full(2, n)])", [0, 4, 4]),
        ("cumsum(arange(n))", [0, 1, 3, 6]),
        ("sort(-x)", [-3, -2, -1, 0]),
        ("bincount(x.astype(int32) // 2, minlength=3)", [2, 2, 0]),
        ("histogram(x, bins=2)[0]", [2, 2]),
        ("(x > 0) & ~(x > 2)", [False, True, True, False]),
        ("x.astype(bfloat16).astype('float64')", [0, 1, 2, 3]),
        ("float32(1).view(uint32)", 0x3F800000),
        ("round(erf(1), 6)", 0.842701),
        ("x if n > 3 else -x", [0, 1, 2, 3]),
        ("(n << 3) % 5 ** 2 // 2", 3),
        ("x.shape[0]", 4),
        ("inf", float("inf")),
    ],
)
def test_numpy_expressions_give_what_numpy_gives(expression, expected):
    assert value_of(expression) == expected


def test_single_precision_stays_single():
    assert evaluate("a * x + 1", VALUES).dtype == np.float32


@pytest.mark.parametrize("expression", ["1 / x", "log(-x)", "x[:0].mean()", "exp(x * 1000)"])
def test_what_has_no_value_is_no_warning(expression, capfd):
    assert evaluate(expression, VALUES) is not None
    assert capfd.readouterr() == ("", "")


ATTACKS = [
    "open('/etc/passwd')",
    "fromfile('/etc/passwd')",
    "np.loadtxt('/etc/passwd')",
    "np.memmap('/etc/passwd')",
    "x.tofile('stolen')",
    "x.dump('stolen')",
    "np.save('stolen', x)",
    "x.ctypes",
    "x.ctypes.data",
    "x.base",
    "x.__class__",
    "x.__class__.__base__.__subclasses__()",
    "x.astype.__self__",
    "x.dtype.type",
    "x.flags",
    "x.setflags(1)",
    "x.view('O')",
    "x.astype('O')",
    "x.astype('U1000000')",
    "getattr(x, 'ctypes')",
    "vars()",
    "globals()",
    "eval('1')",
    "exec('1')",
    "__import__('os')",
    "print(x)",
    "__builtins__",
    "sqrt.__self__",
    "np.sqrt.__self__",
    "np.lib",
    "np.lib.format.open_memmap('/etc/passwd')",
    "np.ctypeslib",
    "np.f2py",
    "np",
    "(lambda: 1)()",
    "def f(): pass",
    "import os",
    "from os import system",
    "(q := 1)",
    "[v for v in x]",
    "{'a': 1}",
    "sqrt(*x)",
    "sqrt(**x)",
    "'{0.__class__}'.format(x)",
    "f'{x.__class__}'",
    "'%s' % x",
    "sqrt(x, x)",
    "sqrt(x, out=x)",
    "array([1], like=x)",
    "array([None])",
    "x; x",
    "x = 1",
    "del x",
    "9**9**9",
    "(9**99)**99",
    "10**30 * 10**30",
    "1 << 10**9",
    "'a' * 10**10",
    "[0] * 10**10",
    "x.shape * 10**10",
    "zeros(10**14)",
    "ones((10**7, 10**7))",
    "arange(10**14)",
    "tile(x, 10**13)",
    "x[[0] * 10**10]",
]


@pytest.mark.parametrize("expression", ATTACKS)
def test_nothing_but_numbers_can_be_reached(expression, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ExpressionError) as caught:
        evaluate(expression, VALUES)
    said = str(caught.value)
    assert said.endswith(".")
    assert not any(leak in said for leak in ("Traceback", "asteval", "<class", "\n", "$"))
    assert os.listdir(tmp_path) == []
    assert capfd.readouterr() == ("", "")


def test_the_parameters_are_not_written_to():
    kept = X.copy()
    with pytest.raises(ExpressionError, match="read-only"):
        evaluate("sqrt(x, x)", VALUES)
    assert np.array_equal(X, kept)
    assert X.flags.writeable


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        (
            "1 + (x  + y)",
            "x  + y fails: operands could not be broadcast together with shapes (4,) (3,) (at char",
        ),
        ("in + x[9]", "x[9] fails: index 9 is out of bounds for axis 0 with size 4 (at character "),
        ("x['id']", "x['id'] fails: only integers"),
        ("x < 1 < 2", "x < 1 < 2 fails: The truth value of an array with more than one element"),
        ("[1] + 1", "[1] + 1 fails: lists cannot be calculated with; write array([...]) (at"),
        ("zeros(10**14)", "zeros(10**14) fails: there is not enough memory. Unable to allocate"),
        ("9**9**9", "9**9**9 fails: Invalid exponent, max exponent is 10000 (at character 1)."),
        (
            "2**63 + arange(4)",
            "2**63 + arange(4) fails: Python int too large to convert to C long. Give the array a",
        ),
        ("float32", "The expression gives no numbers."),
    ],
)
def test_what_fails_is_told_with_its_place(expression, words):
    with pytest.raises(ExpressionError) as caught:
        evaluate(expression, VALUES)
    assert str(caught.value).startswith(words)


COUNTED = Buffer("x", FLOAT, 0, 4, Fill(FillKind.RANGE))
ASKED = Buffer("y", INT, 0, 4, Fill(FillKind.EXPRESSION, text="i * i"))
NULL = Buffer("z", INT, 0, 0, Fill(FillKind.FILE, text="nowhere"))


def evaluated(expression, **more):
    context = EvaluationContext((("n", 4), ("a", 2.5)), (COUNTED, ASKED, NULL), **more)
    return np.asarray(evaluate_among(expression, context, 3)).tolist()


def test_values_buffers_and_indices_have_names():
    assert evaluated("a * x + n") == [4, 6.5, 9, 11.5]
    assert evaluated("i") == [0, 1, 2]
    assert evaluated("z.size") == 0


def test_a_parameter_named_like_the_index_comes_first():
    assert evaluate_among("i + 1", EvaluationContext((("i", 9),)), 3) == 10


def test_what_was_prepared_is_opened(tmp_path):
    save_buffer(tmp_path / "y.npy", np.array([0, 1, 4, 9], np.int32))
    assert evaluated("y", prepared=(("y", str(tmp_path / "y.npy")),)) == [0, 1, 4, 9]


def test_what_is_not_known_is_told_only_where_it_matters():
    assert evaluated("x[:1]") == [0]
    with pytest.raises(NumericsError, match=r"^The content of y is not known yet\.$"):
        evaluated("x + y")


def test_only_what_occurs_is_made():
    vast = EvaluationContext(
        buffers=(COUNTED, Buffer("v", FLOAT, 0, 10**15, Fill(FillKind.RANDOM)))
    )
    assert evaluate_among("x.size", vast, 3) == 4
    with pytest.raises(MemoryError):
        evaluate_among("v.size", vast, 3)
