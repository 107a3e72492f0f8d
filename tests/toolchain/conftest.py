"""A build inside the test's own process, for code that is known not to crash."""

import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from jitstudio.core.events import BuildRecord, Event, StageFinished
from jitstudio.core.plan import plan
from jitstudio.core.request import BuildRequest
from jitstudio.core.result import BuildResult
from jitstudio.toolchain.runner import run
from jitstudio.toolchain.tool_output import STDERR, STDOUT, Capture
from jitstudio.worker.execution import Schedule


@pytest.fixture
def capture() -> Iterator[Capture]:
    """File descriptors 1 and 2 are files, as they are in the worker."""
    kept = {descriptor: os.dup(descriptor) for descriptor in (STDOUT, STDERR)}
    for descriptor in kept:
        with tempfile.TemporaryFile() as file:
            os.dup2(file.fileno(), descriptor)
    yield Capture()
    for descriptor, original in kept.items():
        os.dup2(original, descriptor)
        os.close(original)


@pytest.fixture
def built(capture: Capture) -> Callable[[BuildRequest], BuildResult]:
    """Builds a request."""

    def build(request: BuildRequest) -> BuildResult:
        record = BuildRecord(request.arch, request.emit)
        schedule = Schedule(request, plan(request))
        numbers = []

        def told(event: Event) -> None:
            record.add(replace(event, step=numbers[-1]))
            if isinstance(event, StageFinished):
                schedule.add(event.artifacts)

        while ready := schedule.take_ready():
            for number, job in ready:
                numbers.append(number)
                run(job, told, capture)
        return record.result(0.0)

    return build
