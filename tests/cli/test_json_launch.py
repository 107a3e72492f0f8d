import json
from dataclasses import replace

from jitstudio.commands.json_launch import devices_object, launch_object
from jitstudio.core.axes import Axis, AxisKind
from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.core.launch.device import DeviceList
from jitstudio.core.launch.request import Direction, ParameterSlot
from jitstudio.core.launch.result import (
    BufferResult,
    CheckResult,
    KernelFacts,
    LaunchOutcome,
    LaunchResult,
    Mismatch,
    OutOfBoundsWrite,
    SanitizerFinding,
    Timing,
)
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.launch.types import NumberKind, Scalar
from jitstudio.variants.export import sweep_object
from jitstudio.variants.plan import VariantPlan, expand
from jitstudio.variants.rows import VariantRow, VariantTable
from tests.devices import H200
from tests.schemas import violations
from tests.support import GOOD

FLOAT = Scalar("float", "float32", 4, NumberKind.FLOATING)
RAN = LaunchResult(
    LaunchOutcome.RAN,
    "saxpy<float>",
    device="NVIDIA H200",
    facts=KernelFacts(16, 0, 0, 0, 1024, 90, 90, (ParameterSlot(0, 8, 8),), 8, 1.0, 1024),
    timing=Timing((2.0, 1.0, 3.0)),
    buffers=(BufferResult("out", FLOAT, 4, Direction.INOUT, "/x/out.npy", 0, None),),
    checks=(CheckResult("out", "x", True, 4),),
    moved_bytes=2_000_000,
    start_ms=5.0,
    total_ms=20.12345,
)
GPU = replace(H200, memory_free=None)


BUILD = {"ok": True, "outcome": "built", "arch": "sm_90", "kernels": [], "diagnostics": []}


def read(made, name, **more):
    """The object as it is read from the output, where NaN and the like have no place."""
    made = json.loads(json.dumps(made, allow_nan=False))
    assert violations(name, made | more) == []
    return made


def test_a_launch_tells_its_times_and_the_bandwidth():
    told = read(launch_object(RAN), "run", build=BUILD)
    assert told["ok"]
    assert told["outcome"] == "ran"
    assert told["timing"] == {
        "median_ms": 2.0,
        "minimum_ms": 1.0,
        "maximum_ms": 3.0,
        "first_quartile_ms": 1.5,
        "third_quartile_ms": 2.5,
        "samples_ms": [2.0, 1.0, 3.0],
    }
    assert told["bandwidth"] == 1e9
    assert told["facts"]["parameters"] == [{"offset": 0, "size": 8, "align": 8}]
    assert told["buffers"][0]["element"] == "float"


def test_a_failed_check_tells_what_differs_without_numbers_that_json_lacks():
    check = CheckResult(
        "out", "x", False, 4, 1, float("nan"), float("inf"), (Mismatch((3,), "nan", "1"),)
    )
    strays = (OutOfBoundsWrite(before=False, distance=0, count=4),)
    buffer = replace(RAN.buffers[0], path="", unwritten=2, first_unwritten=1, strays=strays)
    wrong = replace(RAN, outcome=LaunchOutcome.WRONG, checks=(check,), buffers=(buffer,))
    told = read(launch_object(wrong), "run", build=BUILD)
    assert not told["ok"]
    assert told["checks"][0]["largest_absolute"] is None
    assert told["checks"][0]["largest_relative"] is None
    assert told["checks"][0]["mismatches"] == [{"index": [3], "got": "nan", "expected": "1"}]
    assert told["buffers"][0]["path"] is None
    assert told["buffers"][0]["strays"] == [{"before": False, "distance": 0, "count": 4}]


def test_a_launch_that_never_began_has_all_fields_too():
    error = Diagnostic(Severity.ERROR, "", None, None, "No driver.", explanation="Install one.")
    told = launch_object(LaunchResult(LaunchOutcome.MISSING, "k", diagnostics=(error,)))
    assert told.keys() == launch_object(RAN).keys()
    assert (told["facts"], told["timing"], told["bandwidth"]) == (None, None, None)
    assert told["diagnostics"][0]["explanation"] == "Install one."


def test_a_finding_without_a_line_table_has_no_place():
    found = replace(RAN, findings=(SanitizerFinding("Invalid read", "k"),))
    told = read(launch_object(found), "run", build=BUILD)
    assert told["findings"] == [
        {"message": "Invalid read", "kernel": "k", "file": None, "line": None, "count": 1}
    ]


def test_devices_tell_their_limits_or_why_there_are_none():
    told = read(devices_object(DeviceList("13.0", (GPU,))), "devices")
    assert told["problem"] is None
    assert told["devices"][0]["compute_capability"] == "9.0"
    assert told["devices"][0]["memory_free_bytes"] is None
    assert told["devices"][0]["limits"]["threads_per_block"] == 1024
    assert 4.9e12 < told["devices"][0]["peak_bandwidth"] < 5e12
    assert devices_object(DeviceList(problem="No driver.")) == {
        "cuda_version": None,
        "problem": "No driver.",
        "devices": [],
        "simulator": {"id": "sim", "name": "Simulator (no GPU)"},
    }


def test_a_sweep_tells_its_axes_and_the_best():
    axes = (Axis(AxisKind.BLOCK, ("64", "128")),)
    slow, fast = expand(VariantPlan(axes, GOOD, LaunchSpec(kernel="fine")))
    rows = (VariantRow(slow, "ran", median_ms=2.0), VariantRow(fast, "ran", median_ms=1.0))
    told = read(sweep_object(VariantTable(axes, rows)), "sweep")
    assert told["ok"]
    assert told["best"] == 1
    assert told["axes"] == [{"kind": "block", "name": "block", "values": ["64", "128"]}]
    assert told["variants"][1]["label"] == "block=128"
    assert told["variants"][1]["values"] == ["128"]
    assert told["variants"][1]["occupancy"] is None
