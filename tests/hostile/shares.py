"""The part of a matrix of bad values and places that the usual run tries; `-m bench` tries all."""

from zlib import crc32

import pytest

in_shares = pytest.mark.parametrize(
    "every", [pytest.param(8, id="an eighth"), pytest.param(1, id="all", marks=pytest.mark.bench)]
)


def share(values, place, every):
    """Every so many-th value by title; of several places each has others."""
    begin = crc32(place.encode()) % every
    return dict(list(values.items())[begin::every])
