"""The JSON objects of the command line, documented in README.md and kept stable.

Fields are only ever added. Text stays readable. Bytes are left out, but for their number, and so
are contents of buffers, which `--save` keeps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from jitstudio.core.code import TEXT_KINDS, Artifact
from jitstudio.core.diagnostics import Diagnostic, Fix
from jitstudio.core.launch.device import Device, DeviceList
from jitstudio.core.launch.result import (
    BufferResult,
    CheckResult,
    KernelFacts,
    LaunchResult,
    Timing,
)
from jitstudio.core.result import BuildResult, Crash, Kernel, LoweredName, Resources, StageResult
from jitstudio.core.sweep.result import COLUMNS, SweepResult
from jitstudio.core.tools import ToolchainInfo, ToolInfo

Json = dict[str, Any]


def build_object(result: BuildResult, runs: Sequence[BuildResult] = ()) -> Json:
    """One build; with `runs`, also the times of each repetition."""
    told: Json = {
        "ok": result.ok,
        "outcome": result.outcome.value,
        "arch": result.arch.sm,
        "stages": [_stage(stage) for stage in result.stages],
        "artifacts": [_artifact(artifact) for artifact in result.artifacts],
        "lowered_names": [_lowered_name(name) for name in result.lowered_names],
        "kernels": [_kernel(kernel) for kernel in result.kernels],
        "diagnostics": [diagnostic_object(diagnostic) for diagnostic in result.diagnostics],
        "crash": _crash(result.crash),
    }
    if runs:
        told["runs"] = [
            {"ok": run.ok, "total_ms": round(run.total_ms, 3), "tool_ms": round(run.tool_ms, 3)}
            for run in runs
        ]
    return told


def toolchain_object(info: ToolchainInfo) -> Json:
    """What `doctor` found of tools, driver and GPUs."""
    driver, sandbox = info.driver, info.sandbox
    return {
        "tools": [_tool(tool) for tool in info.tools],
        "archs": [{"arch": a.arch.sm, "llvm": a.llvm} for a in info.archs],
        "driver": driver
        and {
            "cuda_version": driver.driver_version or None,
            "problem": driver.problem or None,
            "devices": [
                {
                    "ordinal": device.ordinal,
                    "name": device.name,
                    "compute_capability": device.capability,
                    "memory_bytes": device.memory,
                }
                for device in driver.devices
            ],
        },
        "sandbox": sandbox
        and {
            "landlock": sandbox.landlock or None,
            "seccomp": sandbox.seccomp,
            "problem": sandbox.problem or None,
        },
    }


def _tool(tool: ToolInfo) -> Json:
    return {
        "tool": tool.tool.value,
        "version": tool.version or None,
        "package": tool.package or None,
        "path": tool.path or None,
        "found_via": tool.found_via or None,
        "problem": tool.problem or None,
    }


def _stage(stage: StageResult) -> Json:
    return {
        "tool": stage.tool.value,
        "version": stage.version,
        "source": stage.source,
        "options": list(stage.options),
        "ok": stage.ok,
        "ms": round(stage.ms, 3),
        "log": stage.log,
        "error_log": stage.error_log,
        "stdout": stage.stdout,
        "stderr": stage.stderr,
        "crash": _crash(stage.crash),
        "cached": stage.cached,
        "phases": [{"name": phase.name, "ms": round(phase.ms, 3)} for phase in stage.phases],
    }


def _artifact(artifact: Artifact) -> Json:
    told: Json = {
        "kind": artifact.kind.value,
        "name": artifact.name,
        "bytes": len(artifact.content),
    }
    if artifact.kind in TEXT_KINDS:
        told["text"] = artifact.text
    return told


def _lowered_name(name: LoweredName) -> Json:
    return {
        "source": name.source,
        "expression": name.expression,
        "lowered": name.lowered or None,
        "demangled": name.demangled or None,
        "error": name.error or None,
    }


def _kernel(kernel: Kernel) -> Json:
    told: Json = {"module": kernel.module, "name": kernel.name, "demangled": kernel.demangled}
    # Always all keys: null where no tool has told.
    return told | asdict(kernel.resources or Resources())


def diagnostic_object(diagnostic: Diagnostic) -> Json:
    """One error, warning or remark."""
    return {
        "severity": diagnostic.severity.value,
        "tool": diagnostic.tool.value if diagnostic.tool else None,
        "file": diagnostic.file or None,
        "line": diagnostic.line,
        "column": diagnostic.column,
        "message": diagnostic.message,
        "number": diagnostic.number or None,
        "explanation": diagnostic.explanation,
        "fix": _fix(diagnostic.fix),
    }


def _fix(fix: Fix | None) -> Json | None:
    if fix is None:
        return None
    return {
        "label": fix.label,
        "kind": fix.kind.value,
        "value": fix.value,
        "file": fix.file or None,
        "line": fix.line,
        "replaces": fix.replaces,
    }


def _crash(crash: Crash | None) -> Json | None:
    if crash is None:
        return None
    return {
        "tool": crash.tool.value if crash.tool else None,
        "signal": crash.signal,
        "message": crash.message,
    }


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
