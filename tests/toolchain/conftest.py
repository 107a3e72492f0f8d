"""A build inside the test's own process, for code that is known not to crash."""

import os
import tempfile
from collections.abc import Callable, Iterator

import pytest

from jitstudio.core.events import BuildRecord
from jitstudio.core.request import BuildRequest
from jitstudio.core.result import BuildResult
from jitstudio.toolchain.capture import STDERR, STDOUT, Capture
from jitstudio.toolchain.pipeline import build


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

    def run(request: BuildRequest) -> BuildResult:
        record = BuildRecord(request.arch, request.emit)
        build(request, record.add, capture)
        return record.result(0.0)

    return run
