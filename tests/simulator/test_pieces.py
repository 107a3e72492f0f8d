"""Long arrays are computed piece by piece, which gives what the whole array gives."""

from __future__ import annotations

import numpy as np
import pytest

from jitstudio.simulator.arithmetic import rounding
from jitstudio.simulator.arithmetic.rounding import in_pieces
from tests.simulator.forms import FORMS, MATRIX_FORMS, THREADS
from tests.simulator.test_forms import wrong


@pytest.mark.slow
@pytest.mark.parametrize(("forms", "piece"), [(FORMS, 1000), (MATRIX_FORMS, 5)])
@np.errstate(all="ignore")
def test_in_pieces_every_form_gives_the_bits_of_the_whole(monkeypatch, forms, piece):
    assert piece < THREADS < rounding._PIECE
    monkeypatch.setattr(rounding, "_PIECE", piece)
    assert wrong(forms) == []


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
