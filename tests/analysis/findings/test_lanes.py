import pytest

from jitstudio.analysis.findings.lanes import (
    ANY,
    DATA,
    SAME,
    SCALED,
    THREAD,
    literal,
    logic,
    masked,
    merge,
    mixed,
    negated,
    product,
    shifted_left,
    shifted_right,
    step,
    total,
)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (total(THREAD, SAME, SAME), THREAD),
        (total(step(4), negated(THREAD)), step(3)),
        (total(literal(3), literal(4)), literal(7)),
        (total(SCALED, step(4)), SCALED),
        (total(SCALED, SCALED), ANY),
        (total(THREAD, DATA), DATA),
        (product(THREAD, literal(12)), step(12)),
        (product(literal(0), THREAD), SAME),
        (product(THREAD, SAME), SCALED),
        (product(SAME, SAME), SAME),
        (product(THREAD, THREAD), ANY),
        (shifted_left(THREAD, literal(5)), step(32)),
        (shifted_left(THREAD, SAME), ANY),
        (shifted_right(THREAD, literal(5)), SAME),
        (shifted_right(THREAD, literal(3)), ANY),
        (shifted_right(SAME, SAME), SAME),
        (masked(THREAD, literal(31)), THREAD),
        (masked(THREAD, literal(7)), ANY),
        (masked(step(4), literal(127)), step(4)),
        (masked(THREAD, literal(-4)), ANY),
        (logic(0xFC, SAME, THREAD, SAME), THREAD),
        (logic(0xEA, THREAD, literal(31), SAME), THREAD),
        (logic(0x3C, THREAD, SAME, SAME), ANY),
        (mixed(SAME, SAME), SAME),
        (mixed(THREAD), ANY),
        (mixed(THREAD, DATA), DATA),
        (merge(step(4), step(4)), step(4)),
        (merge(literal(0), literal(1)), SAME),
        (merge(THREAD, SAME), ANY),
        (merge(SCALED, DATA), DATA),
    ],
)
def test_what_is_known_of_a_result(found, expected):
    assert found == expected
