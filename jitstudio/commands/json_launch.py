"""The JSON objects of launches and GPUs; see `commands.json_output`."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from jitstudio.analysis.findings.measured import measured
from jitstudio.analysis.findings.model import Finding
from jitstudio.commands.json_output import Json, diagnostic_object, finding_words
from jitstudio.core.launch.device import SIMULATED_DEVICE, Device, DeviceList
from jitstudio.core.launch.result import (
    BufferResult,
    CheckResult,
    KernelFacts,
    LaunchResult,
    RunComparison,
    Timing,
)
from jitstudio.core.launch.simulation import Fault, Race, Simulation, ThreadPlace


def launch_object(result: LaunchResult) -> Json:
    """Returns the object of a launch with all repetitions."""
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
        "simulation": result.simulation and _simulation(result.simulation),
        "comparison": result.comparison and _comparison(result.comparison),
        "begins": list(result.begins),
    }


def _simulation(simulation: Simulation) -> Json:
    return {
        "instructions": simulation.instructions,
        "blocks": simulation.blocks,
        "of_blocks": simulation.of_blocks,
        "exact": simulation.exact,
        "inexact_functions": list(simulation.inexact_functions),
        "heap_left": list(simulation.heap_left),
        "lines": [
            asdict(line)
            | {
                "file": line.file or None,
                "line": line.line or None,
                "mean_active_lanes": line.mean_active_lanes,
            }
            for line in simulation.lines
        ],
        "races": [
            _between_threads(race)
            | {
                "kind": race.kind,
                "space": race.space.value,
                "address": race.address,
                "lost": race.lost or None,
                "same_value": race.same_value,
            }
            for race in simulation.races
        ],
        "faults": [
            _between_threads(fault) | {"kind": fault.kind.value, "fatal": fault.fatal}
            for fault in simulation.faults
        ],
        "findings": [_measured(finding) for finding in measured(simulation)],
        "seed": simulation.seed,
        "compared_seeds": list(simulation.compared),
        "differences": [
            asdict(difference) | {"buffer": difference.buffer or None}
            for difference in simulation.differences
        ],
    }


def _measured(finding: Finding) -> Json:
    file, line = finding.places[0] if finding.places else (None, None)
    return finding_words(finding) | {"file": file, "line": line}


def _between_threads(report: Race | Fault) -> Json:
    return {
        "message": report.message,
        "first": report.first and _thread_place(report.first),
        "second": report.second and _thread_place(report.second),
        "count": report.count,
        "seeds": list(report.seeds),
    }


def _thread_place(place: ThreadPlace) -> Json:
    return asdict(place) | {"file": place.file or None, "line": place.line or None}


def devices_object(devices: DeviceList) -> Json:
    """Returns the GPUs, or why there are none."""
    return {
        "cuda_version": devices.driver_version or None,
        "problem": devices.problem or None,
        "devices": [_device(device) for device in devices.devices],
        "simulator": {"id": SIMULATED_DEVICE.uuid, "name": SIMULATED_DEVICE.name},
    }


def _facts(facts: KernelFacts) -> Json:
    entry = asdict(facts)
    entry["parameters"] = entry.pop("slots")
    return entry


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
        "shape": list(buffer.shape),
        "direction": buffer.direction.value,
        "path": buffer.path or None,
        "unwritten": buffer.unwritten,
        "first_unwritten": buffer.first_unwritten,
        "strays": [asdict(stray) for stray in buffer.strays],
        "written_by": [{"file": file, "line": line} for file, line in buffer.writers],
    }


def _check(check: CheckResult) -> Json:
    entry: dict[str, Any] = asdict(check) | {"problem": check.problem or None}
    for name in ("largest_absolute", "largest_relative"):
        # JSON has neither NaN nor infinity.
        entry[name] = entry[name] if math.isfinite(entry[name]) else None
    return entry


def _comparison(comparison: RunComparison) -> Json:
    return {
        "with": comparison.who,
        "outcome": comparison.outcome.value,
        "buffers": [_check(check) for check in comparison.buffers],
        "differs_without_fma": comparison.differs_without_fma,
    }


def _device(device: Device) -> Json:
    entry = asdict(device) | {"peak_bandwidth": device.peak_bandwidth}
    entry["compute_capability"] = entry.pop("capability")
    entry["memory_bytes"] = entry.pop("memory")
    entry["memory_free_bytes"] = entry.pop("memory_free")
    return entry
