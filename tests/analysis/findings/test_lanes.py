import pytest

from jitstudio.analysis.findings.lanes import (
    ANY,
    DATA,
    SAME,
    SCALED,
    THREAD,
    WARP,
    Distance,
    literal,
    loaded,
    logic,
    masked,
    merge,
    mixed,
    negated,
    parameter,
    product,
    shifted_left,
    shifted_right,
    stairs,
    step,
    total,
)

QUOTIENT, NEAR, FAR = (
    ANY._replace(distance=distance) for distance in (Distance.NONE, Distance.SHORT, Distance.LONG)
)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (total(THREAD, SAME, SAME), THREAD),
        (total(step(4), negated(THREAD)), step(3)),
        (total(literal(3), literal(4)), literal(7)),
        (total(SCALED, step(4)), SCALED),
        (total(SCALED, SCALED), FAR),
        (total(THREAD, DATA), DATA),
        (total(stairs(1, 1, 3), literal(4)), stairs(1, 1, 3)),
        (total(stairs(1, 1, 3), negated(THREAD)), stairs(4, 4)),
        (total(stairs(4, 4), THREAD), ANY),
        (product(THREAD, literal(12)), step(12)),
        (product(literal(0), THREAD), SAME),
        (product(THREAD, SAME), SCALED),
        (product(SAME, SAME), SAME),
        (product(THREAD, THREAD), ANY),
        (shifted_left(THREAD, literal(5)), step(32)),
        (shifted_left(THREAD, SAME), SCALED),
        (shifted_left(THREAD, THREAD), ANY),
        (shifted_right(THREAD, literal(5)), SAME),
        (shifted_right(THREAD, literal(3)), stairs(8, 1)),
        (shifted_right(step(-3), literal(3)), stairs(3, 1)),
        (shifted_right(step(16), literal(3)), ANY),
        (shifted_right(SAME, SAME), SAME),
        (masked(THREAD, literal(31)), THREAD),
        (masked(THREAD, literal(7)), stairs(1, 1, 7)),
        (masked(step(4), literal(7)), ANY),
        (masked(stairs(8, 1), literal(7)), stairs(8, 1, 7)),
        (masked(stairs(2, 1), literal(-4)), stairs(8, 4)),
        (masked(stairs(4, 4), literal(7)), ANY),
        (masked(THREAD, literal(5)), ANY),
        (masked(DATA, literal(7)), DATA),
        (masked(step(4), literal(127)), step(4)),
        (masked(THREAD, literal(-4)), stairs(4, 4)),
        (masked(THREAD, literal(0x3F0)), stairs(16, 16)),
        (logic(0xFC, SAME, THREAD, SAME), THREAD),
        (logic(0xEA, THREAD, literal(31), SAME), THREAD),
        (logic(0x33, SAME, THREAD, SAME), step(-1)),
        (logic(0x3C, THREAD, SAME, SAME), ANY),
        (mixed(SAME, SAME), SAME),
        (mixed(THREAD), ANY),
        (mixed(THREAD, DATA), DATA),
        (merge(step(4), step(4)), step(4)),
        (merge(literal(0), literal(1)), SAME),
        (merge(THREAD, SAME), NEAR),
        (merge(SCALED, DATA), DATA),
        (total(QUOTIENT, THREAD), NEAR),
        (total(QUOTIENT, SCALED), FAR),
        (total(ANY, SCALED), ANY),
        (product(NEAR, SAME), FAR),
        (product(NEAR, literal(4)), NEAR),
        (product(NEAR, literal(1024)), FAR),
        (product(QUOTIENT, SAME), QUOTIENT),
        (merge(FAR, QUOTIENT), QUOTIENT),
        (loaded(THREAD), DATA._replace(distance=Distance.LONG)),
        (total(parameter("c[0x0][0x160]"), SAME), parameter("c[0x0][0x160]")),
        (product(parameter("c[0x0][0x160]"), THREAD), SCALED),
    ],
)
def test_what_is_known_of_a_result(found, expected):
    assert found == expected


@pytest.mark.parametrize(
    ("lane", "threads", "expected"),
    [
        (SAME, WARP, 0),
        (step(-4), WARP, 124),
        (step(4), 8, 28),
        (stairs(1, 1, 3), WARP, 3),
        (stairs(8, 1), WARP, 3),
        (stairs(8, 1), 8, 0),
        (stairs(4, 4), WARP, 28),
        (ANY, WARP, 0),
        (DATA, WARP, 0),
    ],
)
def test_how_far_values_lie_apart(lane, threads, expected):
    assert lane.spread(threads) == expected
