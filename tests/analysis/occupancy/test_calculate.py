import random
from dataclasses import replace
from shutil import which

import pytest

from jitstudio.analysis.occupancy.calculate import (
    Resource,
    Usage,
    allocated_registers,
    allocated_shared,
    limits_of,
    occupancy,
)
from jitstudio.core.arch import Arch
from tests.analysis.occupancy.reference import CAPABILITIES, asked, compiled, header_folder

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
    cases = [(arch, usage) for arch in ARCHS for usage in usages(arch.number + 13, 4000)]
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
