import pytest

from jitstudio.core.diagnostics import Severity
from jitstudio.core.launch.host_needs import host_problems
from jitstudio.core.launch.request import HostNeeds, LaunchConfig
from jitstudio.core.result import Resources
from tests.devices import H200

NOTHING, WAITS = HostNeeds(), HostNeeds(waits=True, waits_at=10)


def said(needs=NOTHING, *, blocks=64, static=0, **fields):
    config = LaunchConfig((blocks, 1, 1), (256, 1, 1), **fields)
    facts = Resources(registers=32, shared_bytes=static)
    return [(p.where, p.severity, p.message) for p in host_problems(config, H200, facts, needs)]


@pytest.mark.parametrize(
    ("static", "dynamic", "asks"),
    [
        (0, 49_152, False),
        (0, 49_153, True),
        (40_000, 9_152, False),
        # What the driver refuses without having been asked: both together count.
        (40_000, 9_153, True),
        (49_152, 0, False),
    ],
)
def test_shared_memory_above_48_kib_is_asked_for_by_the_host(static, dynamic, asks):
    found = said(static=static, shared=dynamic)
    assert [(where, severity) for where, severity, _ in found] == (
        [("shared", Severity.INFO)] if asks else []
    )
    if asks:
        assert f"{dynamic:,} dynamic bytes" in found[0][2]


def test_a_barrier_of_the_grid_needs_a_cooperative_launch_and_says_nothing_in_one():
    needs = HostNeeds(grid_barrier=True, waits=True)
    ((where, severity, message),) = said(needs)
    assert (where, severity) == ("cooperative", Severity.WARNING)
    assert "grid.sync() needs a cooperative launch" in message
    assert said(needs, cooperative=True) == []


@pytest.mark.parametrize(
    ("blocks", "severity", "words"),
    [
        (1, None, ""),
        (1056, Severity.INFO, "All 1,056 blocks fit on NVIDIA H200"),
        (1057, Severity.WARNING, "of 1,057 blocks NVIDIA H200 keeps 1,056 resident: 8 on each"),
    ],
)
def test_a_kernel_that_waits_is_told_how_many_blocks_are_resident(blocks, severity, words):
    # 2,048 threads of a multiprocessor over 256 of a block are 8, on each of 132.
    found = said(WAITS, blocks=blocks)
    assert [each[1] for each in found] == ([severity] if severity else [])
    assert all(words in message and "at line 10" in message for *_, message in found)
    assert said(WAITS, blocks=blocks, cooperative=True) == []


def test_a_stack_that_no_compiler_knows_is_told_with_what_a_gpu_gives():
    ((where, severity, message),) = said(HostNeeds(unknown_stack=True))
    assert (where, severity) == ("kernel", Severity.INFO)
    assert "1,024 bytes" in message
