"""Requests to the process that runs compilers, and checks on the answers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath

from jitstudio.core.arch import Arch
from jitstudio.core.events import Event, Notice, Problem, StageFinished, StageStarted
from jitstudio.core.plan import Job, JobDependencies
from jitstudio.core.request import DemangleRequest, ProbeRequest
from jitstudio.core.toolchain_info import ToolchainInfo
from jitstudio.worker.protocol import (
    LARGEST,
    RequestType,
    Unfit,
    WorkerProgram,
    check_devices,
    check_diagnostics,
)


@dataclass(frozen=True)
class Precompile:
    """A request to make the precompiled headers that would have helped so far. Takes seconds."""


def _check_job(job: Job, said: Event | JobDependencies) -> None:
    match said:
        case StageStarted(tool, _, source):
            _check_owner(job, tool, [source])
        case StageFinished(stage, artifacts, names, kernels, diagnostics):
            sources = (a.name for a in artifacts), (n.source for n in names)
            _check_owner(job, stage.tool, [stage.source, *sources[0], *sources[1]])
            _check_owner(job, stage.tool, (kernel.module for kernel in kernels))
            if not {artifact.kind for artifact in artifacts} <= set(job.makes):
                raise Unfit("it made what nobody asked for")
            check_diagnostics(diagnostics)
        case Problem(_, diagnostic) | Notice(diagnostic):
            check_diagnostics([diagnostic])
        case JobDependencies(tool, searches):
            parts = [tool.path, *(part.path for part in tool.parts)] if tool else []
            folders = (folder for search in searches or () for folder in search.folders)
            for place in (*parts, *folders):
                if "\0" in place or not PurePath(place).is_absolute():
                    raise Unfit("it has read what lies at no place of the file system")


def _check_owner(job: Job, tool: object, sources: Iterable[str]) -> None:
    """Refuses words on other modules: a worker would have a say in other builds."""
    if tool is not job.tool or any(source != job.name for source in sources):
        raise Unfit("it speaks of work that is not its own")


def _check_probe(_: ProbeRequest, reported: ToolchainInfo) -> None:
    for info in reported.archs:
        try:
            known = Arch.parse(info.arch.sm) == info.arch
        except ValueError:
            known = False
        if not known:
            raise Unfit("it tells of an architecture with no proper name")
    if reported.driver is not None:
        check_devices(reported.driver)


def _check_names(request: DemangleRequest, names: dict[str, str]) -> None:
    if names.keys() != set(request.names):
        raise Unfit("it tells of names that nobody asked for")


BUILDING = WorkerProgram(
    "jitstudio.worker.children.build",
    (
        RequestType(Job, LARGEST // 2, JobDependencies, Event, _check_job),
        RequestType(ProbeRequest, 4 << 20, ToolchainInfo, check=_check_probe),
        RequestType(DemangleRequest, 256 << 20, dict[str, str], check=_check_names),
        RequestType(Precompile, 1 << 20),
    ),
)
