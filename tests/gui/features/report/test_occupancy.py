from jitstudio.analysis.occupancy.calculate import usual_block
from jitstudio.core.result import Resources
from jitstudio.gui.features.report.model import read
from jitstudio.gui.features.report.occupancy import (
    headline,
    launch_occupancy,
    limit_rows,
)
from tests.gui.readings import FAST_KERNEL, SLOW_KERNEL, reading


def with_registers(count):
    bare = reading(FAST_KERNEL)
    return read(bare.function, Resources(registers=count, shared_bytes=0, barriers=0), bare.arch)


def limiting(found):
    return [row.name for row in limit_rows(found) if row.limits]


def test_launch_bounds_give_the_block_size():
    assert usual_block(reading(SLOW_KERNEL).report.resources) == 128
    assert usual_block(reading(FAST_KERNEL).report.resources) == 256


def test_a_small_kernel_fills_the_multiprocessor():
    found = launch_occupancy(reading(FAST_KERNEL), 256, 0)
    assert headline(found) == "sm_90: 100%, 64 of 64 warps"
    assert limiting(found) == []


def test_registers_limit_a_large_kernel():
    found = launch_occupancy(with_registers(128), 256, 0)
    assert headline(found) == "sm_90: 25%, 16 of 64 warps; limited by registers"
    assert limiting(found) == ["Registers"]
    rows = {row.name: row for row in limit_rows(found)}
    assert (rows["Registers"].needed, rows["Registers"].available) == ("32,768", "65,536")
    assert rows["Registers"].blocks == 2


def test_dynamic_memory_is_added():
    found = launch_occupancy(reading(SLOW_KERNEL), 128, 100_000)
    assert found.usage.shared_bytes == 104_096
    assert limiting(found) == ["Shared memory"]


def test_a_block_that_is_too_large_is_told():
    assert "not even one block fits" in headline(launch_occupancy(reading(FAST_KERNEL), 2048, 0))


def test_an_unknown_target_has_no_prospect():
    assert launch_occupancy(reading(FAST_KERNEL, told="sm_199"), 256, 0) is None


def test_three_curves():
    threads, registers, shared = launch_occupancy(reading(FAST_KERNEL), 256, 0).curves()
    assert threads.now == 256
    assert registers.now == reading(FAST_KERNEL).report.resources.registers
    assert shared.now == 0
