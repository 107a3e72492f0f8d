"""The text of a value is read back as the same bytes."""

import pytest

from jitstudio.core.launch.c_types import FLOAT, INT, named, struct_of
from jitstudio.core.launch.types import Array, Opaque, Pointer
from jitstudio.core.launch.value_text import value_text
from jitstudio.core.launch.values import encode

PAIR = struct_of("Pair", (("n", INT), ("x", Array(FLOAT, 2))))


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (INT, "-5"),
        (named("unsigned char"), "255"),
        (named("bool"), "true"),
        (FLOAT, "0.1"),
        (FLOAT, "3.4028235e+38"),
        (FLOAT, "16777216"),
        (FLOAT, "1.1754944e-38"),
        (named("double"), "0.1"),
        (named("__half"), "0.1"),
        (Array(INT, 3), "{1, 2, 3}"),
        (Array(Array(INT, 2), 2), "{{1, 2}, {3, 4}}"),
        (PAIR, "{n=1, x={0.5, 2}}"),
        (named("float2"), "{x=1, y=2}"),
        (Pointer(FLOAT), "null"),
    ],
)
def test_a_value_is_written_as_it_is_read(kind, text):
    data = bytes(8) if text == "null" else encode(kind, text, {}).data
    assert value_text(kind, data).removesuffix(".0") == text


def test_what_is_long_is_cut_and_what_is_not_known_is_nothing():
    assert value_text(Array(INT, 20), bytes(80), 3) == "{0, 0, 0, …}"
    assert value_text(Opaque("T", 3, 1), b"abc") == ""
    assert value_text(Pointer(FLOAT), bytes([1]) * 8) == ""
    assert value_text(struct_of("S", (("p", Pointer(FLOAT)), ("n", INT))), b"\1" * 16) == ""
    assert value_text(INT, b"") == ""
