"""The JSON objects of the command line, documented in README.md and kept stable.

Fields are only ever added. Text stays readable; bytes are left out, their number is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from jitstudio.core.code import TEXT_KINDS, Artifact
from jitstudio.core.diagnostics import Diagnostic
from jitstudio.core.fixes import Fix
from jitstudio.core.result import BuildResult, Crash, Kernel, LoweredName, Resources, StageResult
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
