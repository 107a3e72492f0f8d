from dataclasses import replace

import pytest

from jitstudio.core.launch.result import Timing
from jitstudio.gui.kit.launch_figures import (
    bandwidth_text,
    facts_text,
    time_text,
    timing_as_csv,
    timing_as_text,
    timing_figures,
)
from tests.gui.launches import FACTS, H200, RAN


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (0.0004123, "0.412 µs"),
        (0.41234, "412.3 µs"),
        (1.5, "1.5 ms"),
        (12345.0, "12.35 s"),
        (0.0, "0 µs"),
        (0.99994, "999.9 µs"),
        (0.99999, "1 ms"),
        (999.94, "999.9 ms"),
        (999.96, "1 s"),
    ],
)
def test_times_are_told_in_the_unit_that_suits_them(ms, text):
    assert time_text(ms) == text


def test_bandwidth_is_compared_with_the_peak_of_the_device():
    result = replace(RAN, timing=Timing((1.0,)), moved_bytes=2_000_000_000)
    assert bandwidth_text(result, H200) == "2,000 GB/s, 40.7 % of the peak of 4,917 GB/s"
    assert bandwidth_text(result, None) == "2,000 GB/s"
    assert bandwidth_text(replace(result, moved_bytes=0), H200) == ""


def test_what_is_unknown_of_a_device_is_left_out():
    result = replace(RAN, timing=Timing((1.0,)), moved_bytes=2_000_000_000)
    assert bandwidth_text(result, replace(H200, memory_clock_khz=0)) == "2,000 GB/s"


def test_figures_of_a_launch():
    timing = Timing((1.0, 2.0, 3.0, 4.0))
    figures = timing_figures(replace(RAN, timing=timing, moved_bytes=0), timing, H200)
    assert [(f.name, f.text) for f in figures] == [
        ("Median", "2.5 ms"),
        ("Shortest", "1 ms"),
        ("Longest", "4 ms"),
        ("Quartiles", "1.75 ms to 3.25 ms"),
        ("Samples", "4 launches"),
    ]
    assert timing_as_text(figures).split("\n")[0] == "Median:    2.5 ms"


def test_samples_go_into_a_spreadsheet_unrounded():
    assert timing_as_csv(Timing((0.1, 0.25))) == "launch,ms\n1,0.1\n2,0.25"


def test_facts_leave_out_what_nobody_knows():
    assert facts_text(RAN) == (
        "NVIDIA H200 · 32 registers · 4,096 bytes shared · occupancy 100 % · "
        "8 blocks per multiprocessor · started after 3.21 ms · done after 57.4 ms"
    )
    unknown = replace(FACTS, occupancy=None, active_blocks=None, shared_bytes=0, registers=1)
    result = replace(RAN, facts=unknown, start_ms=None, total_ms=0.0)
    assert facts_text(result) == "NVIDIA H200 · 1 register · no static shared memory"
