import numpy as np
import pytest

from jitstudio.numerics.dtypes import NumericsError, fill_from
from tests.numerics.kinds import BFLOAT, BOOL, CHAR, FLOAT, FLOAT4, INT, PARTICLE


@pytest.mark.parametrize(
    ("element", "value", "expected"),
    [
        (FLOAT, 2, [2, 2]),
        (FLOAT, np.array([1, 2]), [1, 2]),
        (INT, np.array([1.9, -1.9]), [1, -1]),
        (CHAR, np.array([200, -200]), [-56, 56]),
        (BOOL, np.array([0.5, 0]), [True, False]),
        (BFLOAT, [1.5, 2], [1.5, 2]),
        (FLOAT4, np.array([1, 2]), [[1] * 4, [2] * 4]),
    ],
)
def test_numbers_become_the_type_as_in_c(element, value, expected):
    assert fill_from(value, element, 2).tolist() == expected


def test_a_struct_takes_a_list_of_its_fields():
    particles = fill_from([np.arange(2), 3, np.ones(2)], PARTICLE, 2)
    assert particles["id"].tolist() == [0, 1]
    assert particles["at"].tolist() == [[3] * 3] * 2
    assert fill_from(particles, PARTICLE, 2).tobytes() == particles.tobytes()


def test_numbers_that_do_not_fit_are_told():
    with pytest.raises(NumericsError, match="There are 3 numbers, not 2 elements of float"):
        fill_from(np.arange(3), FLOAT, 2)
