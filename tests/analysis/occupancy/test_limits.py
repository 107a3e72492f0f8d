import pytest

from jitstudio.analysis.occupancy.calculate import limits_of
from jitstudio.core.arch import Arch
from tests.analysis.occupancy.reference import CAPABILITIES

KIB = 1024


def test_every_capability_from_turing_to_blackwell_is_known():
    assert (
        *("7.5", "8.0", "8.6", "8.7", "8.9", "9.0"),
        *("10.0", "10.3", "11.0", "12.0", "12.1"),
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


@pytest.mark.parametrize("arch", ["sm_70", "sm_88", "sm_107", "sm_130"])
def test_what_nvidia_has_not_published_is_not_guessed(arch):
    assert limits_of(Arch.parse(arch)) is None
