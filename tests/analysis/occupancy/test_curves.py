import pytest

from jitstudio.analysis.occupancy.calculate import (
    Usage,
    limits_of,
    occupancy,
    over_registers,
    over_shared,
    over_threads,
)
from jitstudio.core.arch import Arch

HOPPER = limits_of(Arch(90))
USAGE = Usage(256, 40, shared_bytes=12_345)


@pytest.mark.parametrize(
    ("curve", "field", "first", "last"),
    [
        (over_threads, "threads", 32, 1024),
        (over_registers, "registers", 1, 255),
        (over_shared, "shared_bytes", 0, 227 << 10),
    ],
)
def test_a_curve_goes_over_all_values_and_agrees_with_the_calculation(curve, field, first, last):
    found = curve(HOPPER, USAGE)
    values = [point.value for point in found.points]
    assert (values[0], values[-1]) == (first, last)
    assert values == sorted(set(values))
    assert found.now == getattr(USAGE, field)
    for point in found.points:
        told = occupancy(
            HOPPER,
            Usage(
                point.value if field == "threads" else USAGE.threads,
                point.value if field == "registers" else USAGE.registers,
                point.value if field == "shared_bytes" else USAGE.shared_bytes,
            ),
        )
        assert (point.blocks, point.warps, point.fraction) == (
            told.blocks,
            told.warps,
            told.fraction,
        )


def test_the_steps_are_where_another_block_fits_no_more():
    steps = over_registers(HOPPER, Usage(256, 40)).steps
    assert [(point.value, point.blocks) for point in steps] == [
        *((1, 8), (33, 6), (41, 5), (49, 4), (65, 3), (81, 2), (129, 1))
    ]


def test_the_best_is_the_nearest_of_those_with_the_most_warps():
    best = over_registers(HOPPER, Usage(256, 40)).best
    assert (best.value, best.warps) == (32, 64)
    best = over_threads(HOPPER, Usage(100, 32)).best
    assert (best.value, best.warps) == (128, 64)
    # Six blocks of 38 KiB fill 228 KiB; 1 KiB of each is kept back.
    best = over_shared(HOPPER, Usage(256, 40, shared_bytes=100_000)).best
    assert (best.value, best.warps) == (37 << 10, 48)
