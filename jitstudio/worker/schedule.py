"""The plan of one build as it is carried out: what can be done next, and with which input."""

from __future__ import annotations

from collections.abc import Iterable

from jitstudio.core.code import LINKED, Artifact, Source, split_variant
from jitstudio.core.job import Job
from jitstudio.core.plan import Ref, Step
from jitstudio.core.request import BuildRequest, LinkMode
from jitstudio.core.tools import Tool


class Schedule:
    """Steps and what they wait for. Steps are numbered from 1, in the order of the plan."""

    def __init__(self, request: BuildRequest, steps: tuple[Step, ...]) -> None:
        self._request = request
        self._waiting = dict(enumerate(steps, 1))
        self._steps = steps
        self._made = dict(map(_given, request.sources))
        self._given = frozenset(self._made)

    @property
    def total(self) -> int:
        """The number of steps in the plan."""
        return len(self._steps)

    def take_ready(self) -> list[tuple[int, Job]]:
        """The steps that have all they need, each told once, in the order of the plan."""
        ready = [
            number
            for number, step in self._waiting.items()
            if all(ref in self._made for ref in step.inputs)
        ]
        return [(number, self._job(self._waiting.pop(number))) for number in ready]

    def add(self, artifacts: Iterable[Artifact]) -> None:
        """Something was made that others may wait for."""
        self._made.update({Ref(a.kind, a.name): a.content for a in artifacts})

    def _job(self, step: Step) -> Job:
        request = self._request
        module, _, _ = split_variant(step.name)
        source = next((s for s in request.sources if s.name == module), None)
        nvrtc, nvvm = step.tool is Tool.NVRTC, step.tool is Tool.NVVM
        return Job(
            tool=step.tool,
            name=step.name,
            inputs=tuple((ref, self._made[ref]) for ref in step.inputs),
            makes=step.makes,
            options=step.options,
            headers=request.headers if nvrtc else (),
            name_expressions=source.name_expressions if nvrtc and source else (),
            libraries=tuple(map(_given, request.libraries)) if nvvm else (),
            libdevice=nvvm and request.libdevice,
            precompile=nvrtc and request.precompile_headers,
            final=self._is_final(step, module),
            confined_to=request.confined_to,
        )

    def _is_final(self, step: Step, module: str) -> bool:
        if step.tool is Tool.NVDISASM and not self._given.issuperset(step.inputs):
            return False  # who built the cubin has listed its kernels
        return self._request.link is LinkMode.NONE or module == LINKED


def _given(source: Source) -> tuple[Ref, bytes]:
    return Ref(source.kind, source.name), source.content
