"""The JSON objects of the commands, one function each; `resources/schema` describes them.

Those of machine code are in `commands.json_code`, of launches in `json_launch`, of budgets in
`json_check`. Fields are only ever added. What is not known is
null. Text stays readable; of bytes only their number is given.

To add a field: here, and with a sentence in `resources/schema`, among the `required` ones unless
the sentence says when it is there. What the sentence claims is held to answers: of the field alone
by keywords of the schema (`tests/test_schemas.py` says which), with others by a row of
`tests/answer_claims.py`. The manual reads the schemas.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jitstudio.commands.inlined import InlinedNamed
from jitstudio.core.code import TEXT_KINDS, Artifact, CodeKind
from jitstudio.core.cubin import cubin_target
from jitstudio.core.diagnostics import Diagnostic, Fix
from jitstudio.core.fatbin import FatbinEntry, fatbin_entries
from jitstudio.core.kernel_resources import cubin_resources
from jitstudio.core.library import CodePiece, LibraryFailure, LibraryKernel, LibraryListing
from jitstudio.core.options import OptionSpec
from jitstudio.core.result import (
    BuildResult,
    Crash,
    HostCodeAside,
    Kernel,
    LoweredName,
    Outcome,
    Resources,
    StageResult,
)
from jitstudio.core.toolchain_folders import ToolchainFolder
from jitstudio.core.toolchain_info import ToolchainInfo, ToolInfo
from jitstudio.system.display import WindowCheck
from jitstudio.system.interpreters import Interpreter

if TYPE_CHECKING:
    # They load what few commands need.
    from jitstudio.analysis.correlation.inlined import Inlining
    from jitstudio.analysis.findings.model import Finding
    from jitstudio.analysis.sass.model import InlineChain, SourceLocation
    from jitstudio.analysis.time_trace import TimedPart
    from jitstudio.commands.build_time import ModuleTime
    from jitstudio.python.capturing import LoadedModule

Json = dict[str, Any]


def build_object(
    result: BuildResult, runs: Sequence[BuildResult] = (), inlined: InlinedNamed | None = None
) -> Json:
    """Returns the object of `jitstudio build`, with the times of `runs` if there are several."""
    answer = result_object(result)
    for artifact, original in zip(answer["artifacts"], result.artifacts, strict=True):
        if original.kind is CodeKind.FATBIN:
            artifact["entries"] = [_entry(entry) for entry in fatbin_entries(original.content)]
    if runs:
        answer["runs"] = [
            {"ok": run.ok, "total_ms": round(run.total_ms, 3), "tool_ms": round(run.tool_ms, 3)}
            for run in runs
        ]
    answer["inlined"] = inlined and _inlining(inlined.inlining, inlined.names)
    return answer


def time_object(module: ModuleTime) -> Json:
    """Returns where the time of a module went."""
    trace = module.trace
    return {
        "name": module.name,
        "tool_ms": round(module.ms, 3),
        "problem": module.problem or None,
        "trace_ms": round(trace.total_ms, 3) if trace else None,
        "phases": _timed_parts(trace.phases if trace else ()),
        "includes": _timed_parts(trace.includes if trace else ()),
        "headers": _timed_parts(trace.headers if trace else ()),
        "templates": _timed_parts(trace.templates if trace else ()),
        "kernels": _timed_parts(module.kernels),
    }


def _timed_parts(parts: Iterable[TimedPart]) -> list[Json]:
    return [
        {
            "name": part.name,
            "ms": round(part.ms, 3),
            "own_ms": round(part.own_ms, 3),
            "count": part.count,
        }
        for part in parts
    ]


def result_object(result: BuildResult) -> Json:
    """Returns the object that all builds have in common."""
    return {
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


@dataclass(frozen=True)
class OtherToolchain:
    """A further version of the compilers as `jitstudio doctor` finds them.

    Attributes:
        name: The user's name for the version.
        toolchain: The content of the folder.
        info: The report of a process with these libraries; None where none could use them.
        problem: Why it cannot be used, or not for all; empty where nothing is wrong.
    """

    name: str
    toolchain: ToolchainFolder
    info: ToolchainInfo | None
    problem: str


def doctor_object(
    info: ToolchainInfo,
    window: WindowCheck,
    python: Interpreter | str,
    others: Iterable[OtherToolchain] = (),
) -> Json:
    """Returns the answer of `jitstudio doctor`: tools, driver, GPUs, whether a window opens.

    Args:
        info: What is here.
        window: Whether a window can be opened.
        python: The interpreter of scripts, or why it cannot be used.
        others: Other versions of the compilers.
    """
    driver, sandbox = info.driver, info.sandbox
    return {
        "tools": [_tool(tool) for tool in info.tools],
        "archs": _archs(info),
        "toolchains": [
            {
                "name": other.name,
                "folder": other.toolchain.folder,
                "version": other.toolchain.version or None,
                "problem": other.problem or None,
                "headers": list(other.toolchain.headers),
                "tools": [_tool(tool) for tool in other.info.tools] if other.info else [],
                "archs": _archs(other.info) if other.info else [],
            }
            for other in others
        ],
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
        "python": {"path": None, "version": None, "packages": {}, "problem": python}
        if isinstance(python, str)
        else {
            "path": python.path,
            "version": python.version,
            "packages": dict(python.packages),
            "problem": None,
        },
        "window": {
            "problem": window.problem or None,
            "missing": list(window.missing),
            "remedy": window.remedy or None,
        },
    }


def _archs(info: ToolchainInfo) -> list[Json]:
    return [{"arch": a.arch.sm, "llvm": a.llvm} for a in info.archs]


def cache_object(folder: str, size: int, limit: int, cleared: int | None, problem: str) -> Json:
    """Returns the object of `jitstudio cache`, in bytes; `cleared` is None where nothing was."""
    return {
        "folder": folder,
        "bytes": size,
        "limit_bytes": limit,
        "cleared_bytes": cleared,
        "problem": problem or None,
    }


def options_object(specs: Iterable[OptionSpec]) -> Json:
    """Returns the object of `jitstudio options`: rows of the table of options."""
    return {"options": [_option(spec) for spec in specs]}


def _option(spec: OptionSpec) -> Json:
    return {
        "name": spec.name,
        "group": spec.group.value,
        "help": spec.help,
        "usage": spec.usage,
        "flags": {tool.value: flag for tool, flag in spec.spellings.items()},
        "aliases": list(spec.aliases),
        "value": spec.value.kind.value,
        "choices": list(spec.value.choices),
        "default": spec.default or None,
        "repeated": spec.repeated,
        "since": {tool.value: version for tool, version in spec.since.items()},
        "managed": spec.managed or None,
        "effect": spec.effect.value,
    }


def _entry(entry: FatbinEntry) -> Json:
    return {
        "kind": entry.kind.value if entry.kind else None,
        "target": entry.target,
        "bytes": entry.size,
        "unpacked_bytes": entry.unpacked,
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
        "supplied": [
            {
                "module": supplied.module,
                "what": supplied.what,
                "value": supplied.value,
                "instead_of": supplied.instead_of,
            }
            for supplied in stage.supplied
        ],
        "host_code": [_host_code(part) for part in stage.host_code],
        "stand_ins": list(stage.stand_ins),
    }


def _host_code(part: HostCodeAside) -> Json:
    return {
        "name": part.name,
        "lines": part.lines,
        "ranges": [list(lines) for lines in part.ranges],
        "doubts": [{"line": line, "reason": reason} for line, reason in part.doubts],
    }


def _artifact(artifact: Artifact) -> Json:
    entry: Json = {
        "kind": artifact.kind.value,
        "name": artifact.name,
        "bytes": len(artifact.content),
    }
    if artifact.kind in TEXT_KINDS:
        entry["text"] = artifact.text
    return entry


def _lowered_name(name: LoweredName) -> Json:
    return {
        "source": name.source,
        "expression": name.expression,
        "lowered": name.lowered or None,
        "demangled": name.demangled or None,
        "error": name.error or None,
    }


def _kernel(kernel: Kernel) -> Json:
    names: Json = {"module": kernel.module, "name": kernel.name, "demangled": kernel.demangled}
    # Always all keys: null where no tool reports it.
    return names | asdict(kernel.resources or Resources())


def diagnostic_object(diagnostic: Diagnostic) -> Json:
    """Returns the object of an error, warning or remark."""
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


def library_object(
    path: str, library: LibraryListing | LibraryFailure, kernels: Iterable[LibraryKernel]
) -> Json:
    """Returns the object of `jitstudio inspect --list`: the kernels in a file or folder."""
    if isinstance(library, LibraryFailure):
        state: Json = {"ok": False, "outcome": library.outcome.value, "problem": library.message}
        return state | {"file": path, "notes": [], "kernels": []}
    return {
        "ok": True,
        "outcome": Outcome.BUILT.value,
        "problem": None,
        "file": path,
        "notes": list(library.notes),
        "kernels": [_listed(library.pieces[kernel.piece], kernel) for kernel in kernels],
    }


def utc_time(seconds: float) -> str:
    """Returns a time in seconds since 1970 as people and programs read it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def _listed(piece: CodePiece, kernel: LibraryKernel) -> Json:
    return {
        "name": kernel.name,
        "demangled": kernel.demangled,
        "kind": piece.kind.value,
        "target": piece.target,
        "member": piece.member or None,
        "section": piece.section or None,
        "offset": piece.offset,
        "relocatable": piece.relocatable,
        "origin": piece.origin or None,
        "source": piece.source or None,
        "date": utc_time(piece.date) if piece.date else None,
        **asdict(kernel.resources),
        "code_bytes": kernel.code_bytes,
    }


def capture_object(
    command: Sequence[str],
    status: int,
    folder: str,
    saved: Iterable[tuple[LoadedModule, Path]],
    notes: Iterable[str],
) -> Json:
    """Returns the object of `jitstudio capture`: modules that a program loaded on the GPU."""
    return {
        "program": list(command),
        "status": status,
        "folder": folder,
        "modules": [_loaded(module, path) for module, path in saved],
        "notes": list(notes),
    }


def _loaded(module: LoadedModule, path: Path) -> Json:
    target = cubin_target(module.code)
    return {
        "file": str(path),
        "digest": module.digest,
        "target": target.sm if target else None,
        "bytes": len(module.code),
        "loads": module.loads,
        "from": module.place and asdict(module.place),
        "kernels": [
            {"name": name, **asdict(needs)} for name, needs in cubin_resources(module.code).items()
        ],
    }


def finding_words(finding: Finding) -> Json:
    """Returns a finding without the places."""
    return {
        "rule": finding.rule,
        "severity": finding.severity.value,
        "title": finding.title,
        "reason": finding.reason,
        "remedy": finding.remedy,
        "ptx_line": finding.ptx_line or None,
        "lines": [_place(line) for line in finding.lines],
    }


def _inlining(inlining: Inlining, names: Mapping[str, str]) -> Json:
    """Returns the calls that an LTO link inlined; `names` maps lowered names to demangled."""
    return {
        "calls": [
            {
                "function": call.function or None,
                "demangled": names.get(call.function, call.function) or None,
                "into": call.into,
                "into_demangled": names.get(call.into, call.into),
                **places_object((call.place, *call.calls)),
                "ptx_line": call.ptx_line,
                "ptx_instructions": call.instructions,
            }
            for call in inlining.functions
        ],
        "no_line_table": list(inlining.untold),
    }


def places_object(places: InlineChain) -> Json:
    """Returns the line, and the calls through which the code was inlined."""
    own = places[0] if places else None
    return {
        "source_file": own.file if own else None,
        "source_line": own.line if own else None,
        "inlined_at": [_place(place) for place in places[1:]],
    }


def _place(place: SourceLocation) -> Json:
    return {"file": place.file, "line": place.line}
