"""What a test has running beside itself."""

import threading
from pathlib import Path


def children() -> frozenset[int]:
    """The processes that this one has started and that still run."""
    found = Path("/proc/self/task").glob("*/children")
    return frozenset(int(pid) for file in found for pid in file.read_text().split())


def running_threads() -> list[str]:
    """The threads of Python that a sweep waits in."""
    return [t.name for t in threading.enumerate() if t.name.startswith("jitstudio-")]
