import random
from dataclasses import replace
from shutil import which

import pytest

from jitstudio.analysis.occupancy.calculate import (
    HARMLESS,
    RegisterCost,
    Resource,
    Usage,
    allocated_registers,
    allocated_shared,
    limits_of,
    occupancy,
    occupancy_at,
    over_registers,
    over_shared,
    over_threads,
    register_cost_of,
)
from jitstudio.core.arch import Arch
from jitstudio.core.result import Kernel, Resources
from tests.analysis.occupancy.reference import (
    CAPABILITIES,
    asked,
    compiled,
    corrected_later,
    header_folder,
)
from tests.gui.sass_code import sass

R = Resource
ARCHS = tuple(Arch(int(c.replace(".", ""))) for c in CAPABILITIES)
HOPPER = limits_of(Arch(90))
TURING = limits_of(Arch(75))


def usages(seed, count):
    """Launches of all sizes, many of them at an edge."""
    chance = random.Random(seed)
    for _ in range(count):
        yield Usage(
            threads=chance.choice([chance.randint(1, 1100), 32 * chance.randint(1, 32)]),
            registers=chance.choice([chance.randint(0, 260), 8 * chance.randint(1, 32)]),
            shared_bytes=chance.choice(
                [
                    0,
                    chance.randint(0, 4096),
                    chance.randint(0, 240_000),
                    128 * chance.randint(0, 1900),
                ]
            ),
            barriers=chance.choice([0, 1, 1, 2, chance.randint(3, 16)]),
        )


@pytest.mark.parametrize("arch", ARCHS)
def test_a_block_above_the_bounds_of_a_kernel_is_never_resident(arch):
    """Below them the share is that of CUDA's header, to which `occupancy` is held."""
    limits, chance = limits_of(arch), random.Random(arch.number)
    for usage in usages(arch.number, 200):
        needs = Resources(registers=usage.registers, shared_bytes=0, barriers=1)
        share = occupancy_at(arch, needs, usage.threads, usage.shared_bytes)
        expected = occupancy(limits, replace(usage, barriers=1)).fraction
        assert share == pytest.approx(expected)
        most = max(1, usage.threads + chance.choice([-1, 0, 1, -32, 32]))
        bound = occupancy_at(
            arch, replace(needs, max_threads=most), usage.threads, usage.shared_bytes
        )
        assert bound == (None if usage.threads > most else share)


def test_of_needs_that_are_not_known_no_share_is_told():
    assert occupancy_at(Arch(90), Resources(), 128) is None
    assert occupancy_at(Arch(20), Resources(registers=16, shared_bytes=0), 128) is None


@pytest.mark.parametrize(
    ("usage", "blocks", "limiting"),
    [
        (Usage(256, 32), 8, (R.WARPS, R.REGISTERS)),
        (Usage(256, 33), 6, (R.REGISTERS,)),
        (Usage(256, 255), 1, (R.REGISTERS,)),
        (Usage(32, 16), 32, (R.BLOCKS,)),
        (Usage(1024, 64), 1, (R.REGISTERS,)),
        (Usage(1024, 65), 0, (R.REGISTERS,)),
        (Usage(1025, 16), 0, (R.WARPS,)),
        (Usage(128, 32, shared_bytes=227 << 10), 1, (R.SHARED,)),
        (Usage(128, 32, shared_bytes=(227 << 10) + 1), 0, (R.SHARED,)),
        # 56 KiB and the 1 KiB that is kept back: four times 57 KiB are 228 KiB.
        (Usage(128, 32, shared_bytes=56 << 10), 4, (R.SHARED,)),
        (Usage(128, 32, shared_bytes=(56 << 10) + 1), 3, (R.SHARED,)),
        (Usage(64, 32, barriers=16), 4, (R.BARRIERS,)),
        (Usage(96, 128, barriers=0), 5, (R.REGISTERS,)),
    ],
)
def test_blocks_on_a_hopper_multiprocessor(usage, blocks, limiting):
    found = occupancy(HOPPER, usage)
    assert found.blocks == blocks
    assert found.limiting == limiting
    assert found.warps == blocks * -(-usage.threads // 32)
    assert found.fraction == found.warps / 64


def test_each_resource_tells_how_many_blocks_it_allows():
    found = occupancy(TURING, Usage(128, 40, shared_bytes=10_000))
    assert {each.resource: each.blocks for each in found.limiters} == {
        R.WARPS: 8,
        R.REGISTERS: 12,
        R.SHARED: 6,
        R.BLOCKS: 16,
        R.BARRIERS: None,
    }
    assert found.blocks == 6


def test_what_is_not_used_limits_nothing():
    limiters = {
        each.resource: each.blocks
        for each in occupancy(TURING, Usage(64, 0, shared_bytes=0)).limiters
    }
    assert limiters[R.REGISTERS] is None
    assert limiters[R.SHARED] is None
    assert occupancy(HOPPER, Usage(64, 32, barriers=0)).limiters[-1].blocks is None


def test_registers_and_shared_memory_are_handed_out_in_units():
    assert [allocated_registers(HOPPER, n) for n in (0, 1, 8, 9, 33, 255)] == [
        *(0, 8, 8, 16, 40, 256)
    ]
    assert [allocated_shared(HOPPER, n) for n in (0, 1, 128, 129)] == [1024, 1152, 1152, 1280]
    assert [allocated_shared(TURING, n) for n in (0, 1, 256, 257)] == [0, 256, 256, 512]


@pytest.mark.parametrize("arch", ARCHS, ids=str)
def test_what_is_resident_fits(arch):
    limits = limits_of(arch)
    for usage in usages(arch.number, 2000):
        found = occupancy(limits, usage)
        assert 0 <= found.fraction <= 1
        assert found.warps <= limits.warps
        assert found.blocks <= limits.blocks
        registers = allocated_registers(limits, usage.registers) * 32 * found.warps
        assert registers <= limits.registers
        assert allocated_shared(limits, usage.shared_bytes) * found.blocks <= limits.shared
        assert limits.barriers is None or usage.barriers * found.blocks <= limits.barriers
        assert found.limiting
        assert found.blocks == min(e.blocks for e in found.limiters if e.blocks is not None)


@pytest.mark.parametrize("arch", ARCHS, ids=str)
@pytest.mark.parametrize("field", ["registers", "shared_bytes", "barriers", "threads"])
def test_who_needs_more_gets_no_more_blocks(arch, field):
    limits = limits_of(arch)
    for usage in usages(arch.number + 7, 500):
        more = replace(usage, **{field: getattr(usage, field) + 1})
        assert occupancy(limits, more).blocks <= occupancy(limits, usage).blocks


@pytest.mark.tools
@pytest.mark.skipif(not which("gcc"), reason="there is no gcc")
@pytest.mark.skipif(header_folder() is None, reason="there is no CUDA toolkit with its headers")
def test_the_calculation_is_that_of_nvidias_own_header(tmp_path):
    program = compiled(tmp_path)
    known = [arch for arch in ARCHS if arch.capability not in corrected_later()]
    cases = [(arch, usage) for arch in known for usage in usages(arch.number + 13, 4000)]
    # The header takes 256 registers where the guide says 255.
    cases = [(a, u) for a, u in cases if u.registers != 256]
    answers = asked(program, [question(arch, usage) for arch, usage in cases])
    assert len(answers) == len(cases)
    for (arch, usage), blocks in zip(cases, answers, strict=True):
        assert occupancy(limits_of(arch), usage).blocks == blocks, (arch, usage)


def question(arch, usage):
    limits = limits_of(arch)
    return (
        *divmod(arch.number, 10),
        limits.warps,
        limits.shared,
        limits.shared_per_block,
        limits.shared_reserved,
        usage.threads,
        usage.registers,
        usage.shared_bytes,
        usage.barriers,
    )


KIB = 1024


def test_every_capability_from_turing_to_blackwell_is_known():
    assert (
        *("7.5", "8.0", "8.6", "8.7", "8.9", "9.0"),
        *("10.0", "10.3", "10.7", "11.0", "12.0", "12.1"),
    ) == CAPABILITIES


@pytest.mark.parametrize(
    ("arch", "blocks", "warps", "shared", "of_block"),
    [
        ("sm_75", 16, 32, 64, 64),
        ("sm_80", 32, 64, 164, 163),
        ("sm_86", 16, 48, 100, 99),
        ("sm_87", 16, 48, 164, 163),
        ("sm_89", 24, 48, 100, 99),
        ("sm_90a", 32, 64, 228, 227),
        ("sm_100f", 32, 64, 228, 227),
        ("sm_103", 32, 64, 228, 227),
        ("sm_107", 16, 32, 328, 327),
        ("sm_110", 24, 48, 228, 227),
        ("sm_120", 24, 48, 100, 99),
        ("sm_121", 24, 48, 100, 99),
    ],
)
def test_the_limits_are_those_of_the_programming_guide(arch, blocks, warps, shared, of_block):
    limits = limits_of(Arch.parse(arch))
    assert (limits.blocks, limits.warps) == (blocks, warps)
    assert (limits.shared, limits.shared_per_block) == (shared * KIB, of_block * KIB)
    assert (limits.registers, limits.registers_per_block) == (65536, 65536)
    assert (limits.registers_per_thread, limits.threads_per_block) == (255, 1024)
    # What a block cannot have is what is kept back for it.
    assert limits.shared - limits.shared_per_block == limits.shared_reserved


@pytest.mark.parametrize("arch", ["sm_70", "sm_88", "sm_130"])
def test_what_nvidia_has_not_published_is_not_guessed(arch):
    assert limits_of(Arch.parse(arch)) is None


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
