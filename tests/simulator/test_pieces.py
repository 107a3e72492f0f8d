"""Long arrays are computed piece by piece: as many threads as there are give what few give."""

from __future__ import annotations

import numpy as np
import pytest

from jitstudio.simulator.arithmetic import rounding
from jitstudio.simulator.arithmetic.rounding import in_pieces
from tests.simulator.forms import FORMS, MATRIX_FORMS, result_of
from tests.simulator.running import HEAD, run

MANY, BLOCK = 16_384, 1024
assert rounding._PIECE < MANY


@pytest.mark.slow
@np.errstate(all="ignore")
def test_every_form_gives_16384_threads_what_it_gives_4096():
    wrong = []
    for form in FORMS:
        few = result_of(form)
        arrays = [np.resize(array, MANY) for array in form.arrays()]
        many = run(HEAD + form.kernel(), form.name, (MANY // BLOCK, 1, 1), (BLOCK, 1, 1), *arrays)
        if (many.arrays[-1] != np.resize(few, MANY)).any():
            wrong.append(form.text)
    assert wrong == []


@np.errstate(all="ignore")
def test_products_of_matrices_are_the_same_in_pieces(monkeypatch):
    whole = [result_of(form) for form in MATRIX_FORMS]
    monkeypatch.setattr(rounding, "_PIECE", 5)
    wrong = [
        form.text
        for form, result in zip(MATRIX_FORMS, whole, strict=True)
        if (result_of(form) != result).any()
    ]
    assert wrong == []


@pytest.mark.parametrize(
    "shapes", [[(40,), (40,)], [(40,), (1,)], [(8, 9), (8, 9)], [(8, 1), (1, 9)], [(3, 4, 5), (1,)]]
)
def test_arrays_of_any_shapes_go_together(monkeypatch, shapes):
    @in_pieces
    def weighed(a, b, *, factor):
        assert a.ndim == b.ndim == 1
        sizes.append(max(a.size, b.size))
        return a * factor + b

    sizes: list[int] = []
    monkeypatch.setattr(rounding, "_PIECE", 7)
    a, b = (np.arange(np.prod(shape)).reshape(shape) for shape in shapes)
    assert (weighed(a, b, factor=3) == a * 3 + b).all()
    assert weighed(a, b, factor=3).shape == np.broadcast_shapes(*shapes)
    assert max(sizes) <= 7
