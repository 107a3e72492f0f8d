"""The JSON objects of launches, documented in README.md and kept stable.

Fields are only ever added. Contents of buffers are left out: `--save` keeps them.
"""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from jitstudio.core.json_form import Json, diagnostic_object
from jitstudio.core.launch.device import Device, DeviceList
from jitstudio.core.launch.result import (
    BufferResult,
    CheckResult,
    KernelFacts,
    LaunchResult,
    Timing,
)
from jitstudio.core.sweep.result import COLUMNS, SweepResult


def launch_object(result: LaunchResult) -> Json:
    """One launch with its repetitions."""
    return {
        "ok": result.ok,
        "outcome": result.outcome.value,
        "kernel": result.kernel,
        "device": result.device or None,
        "facts": result.facts and _facts(result.facts),
        "timing": result.timing and _timing(result.timing),
        "moved_bytes": result.moved_bytes,
        "bandwidth": result.bandwidth,
        "buffers": [_buffer(buffer) for buffer in result.buffers],
        "checks": [_check(check) for check in result.checks],
        "console": result.console,
        "jit_log": result.jit_log,
        "findings": [
            asdict(finding) | {"file": finding.file or None} for finding in result.findings
        ],
        "diagnostics": [diagnostic_object(diagnostic) for diagnostic in result.diagnostics],
        "start_ms": result.start_ms,
        "total_ms": round(result.total_ms, 3),
        "counterpart": result.counterpart
        and {
            "facts": _facts(result.counterpart.facts),
            "timing": result.counterpart.timing and _timing(result.counterpart.timing),
        },
    }


def devices_object(found: DeviceList) -> Json:
    """The GPUs, or why there are none."""
    return {
        "cuda_version": found.driver_version or None,
        "problem": found.problem or None,
        "devices": [_device(device) for device in found.devices],
    }


def sweep_object(result: SweepResult) -> Json:
    """All variants, and the index of the best."""
    return {
        "ok": result.best is not None,
        "axes": [
            {"kind": axis.kind.value, "name": axis.title, "values": list(axis.values)}
            for axis in result.axes
        ],
        "best": result.best,
        "variants": [
            {
                "index": row.variant.index,
                "label": row.variant.label,
                "values": list(row.variant.values),
                **{name: column(row) for name, column in COLUMNS.items()},
            }
            for row in result.rows
        ],
        "total_ms": round(result.total_ms, 3),
    }


def _facts(facts: KernelFacts) -> Json:
    told = asdict(facts)
    told["parameters"] = told.pop("slots")
    return told


def _timing(timing: Timing) -> Json:
    first, third = timing.quartiles
    return {
        "median_ms": timing.median,
        "minimum_ms": timing.minimum,
        "maximum_ms": timing.maximum,
        "first_quartile_ms": first,
        "third_quartile_ms": third,
        "samples_ms": list(timing.samples),
    }


def _buffer(buffer: BufferResult) -> Json:
    return {
        "name": buffer.name,
        "element": buffer.element.name,
        "length": buffer.length,
        "direction": buffer.direction.value,
        "path": buffer.path or None,
        "unwritten": buffer.unwritten,
        "first_unwritten": buffer.first_unwritten,
        "strays": [asdict(stray) for stray in buffer.strays],
    }


def _check(check: CheckResult) -> Json:
    told: dict[str, Any] = asdict(check) | {"problem": check.problem or None}
    for name in ("largest_absolute", "largest_relative"):
        # JSON has neither NaN nor infinity.
        told[name] = told[name] if math.isfinite(told[name]) else None
    return told


def _device(device: Device) -> Json:
    told = asdict(device) | {"peak_bandwidth": device.peak_bandwidth}
    told["compute_capability"] = told.pop("capability")
    told["memory_bytes"] = told.pop("memory")
    told["memory_free_bytes"] = told.pop("memory_free")
    return told
