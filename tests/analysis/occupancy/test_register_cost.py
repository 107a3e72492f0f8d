from dataclasses import replace

import pytest

from jitstudio.analysis.occupancy.calculate import (
    HARMLESS,
    RegisterCost,
    Resource,
    Usage,
    limits_of,
    occupancy,
    register_cost_of,
)
from jitstudio.core.arch import Arch
from jitstudio.core.result import Kernel, Resources
from tests.analysis.occupancy.reference import CAPABILITIES
from tests.gui.sass_code import sass

HOPPER = limits_of(Arch(90))


@pytest.mark.parametrize("capability", CAPABILITIES)
def test_registers_strain_only_where_they_cost_warps(capability):
    limits = limits_of(Arch(int(capability.replace(".", ""))))
    cost, levels = RegisterCost(limits), []
    for live in range(1, limits.registers_per_thread + 1):
        # A warp of the block for each partition: the block takes nothing away by its size.
        found = occupancy(limits, Usage(32 * limits.partitions, live))
        (by_registers,) = (x for x in found.limiters if x.resource is Resource.REGISTERS)
        fit = by_registers.blocks * limits.partitions >= limits.warps
        levels.append(cost.level(live))
        assert (levels[-1] < HARMLESS) is fit, live
    assert levels == sorted(levels)
    assert levels[-1] <= 1


def test_a_small_kernel_is_not_strained_at_its_peak():
    # 64 warps of 32 threads share 65,536 registers on sm_90: 32 for each thread.
    assert RegisterCost(HOPPER).level(7) < HARMLESS / 2
    assert RegisterCost(HOPPER).level(32) < HARMLESS < RegisterCost(HOPPER).level(33)
    assert RegisterCost(HOPPER).level(255) > 0.9
    assert RegisterCost(None).level(255) == 0


def test_a_function_that_spills_is_strained_where_most_registers_are_alive():
    functions = sass()[1].functions
    needs = Resources(registers=24, spill_stores=8, spill_loads=8)
    kernel = Kernel("k.cu", "histogram", "", needs)
    cost = register_cost_of(functions, [kernel], HOPPER)
    assert cost.spills == {"histogram": 5}
    assert cost.spills_at("histogram", 5)
    assert not cost.spills_at("histogram", 4)
    assert not cost.spills_at("empty", 6)
    assert cost.level(5, spills=True) == 1
    whole = replace(kernel, resources=replace(needs, spill_stores=0, spill_loads=0))
    assert not register_cost_of(functions, [whole], HOPPER).spills
