"""For all tests. Nothing here needs Qt: all but tests/gui runs without PySide6 and pytest-qt."""

import ctypes
import os
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec

import pytest

# Before anything imports Qt.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from jitstudio.worker.host import WorkerHost

collect_ignore = [] if find_spec("PySide6") and find_spec("pytestqt") else ["gui"]


@pytest.fixture
def host() -> Iterator[WorkerHost]:
    """A worker of the test's own."""
    worker = WorkerHost()
    yield worker
    worker.close()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs a GPU where there is none, and say so."""
    for item in items:
        if item.get_closest_marker("gpu") and (reason := _no_gpu()):
            item.add_marker(pytest.mark.skip(reason=reason))


@cache
def _no_gpu() -> str:
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return "no NVIDIA driver is installed"
    count = ctypes.c_int()
    if driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count)) or not count.value:
        return "the NVIDIA driver shows no GPU"
    return ""
