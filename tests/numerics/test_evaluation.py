import numpy as np
import pytest

from jitstudio.core.launch.request import Buffer, EvaluationContext, Fill, FillKind
from jitstudio.numerics.dtypes import NumericsError, save_buffer
from jitstudio.numerics.evaluation import evaluate_among
from tests.numerics.kinds import FLOAT, INT

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
