"""Passes through the banks by a rule on machine code, held against the simulator's."""

import numpy as np
import pytest

from jitstudio.analysis.findings.warp_rules import passes_of
from jitstudio.simulator.observers.accesses import shared_traffic


@pytest.mark.parametrize("size", [4, 8, 16])
def test_passes_are_those_of_the_simulator(size):
    threads = np.arange(32)
    for step in range(size, 4 * 264, size):
        traffic = shared_traffic(threads, threads * step, size)
        assert passes_of(step, size)[0] == traffic.wavefronts
        assert passes_of(-step, size)[0] == traffic.wavefronts


def test_a_padded_row_takes_one_pass():
    assert passes_of(128, 4) == (32, 1)
    assert passes_of(132, 4) == (1, 1)
    assert passes_of(16, 16) == (4, 4)
