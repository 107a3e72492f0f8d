"""What a test has running beside itself."""

import threading
from pathlib import Path

from tests.workers import TEMPLATES


def children() -> frozenset[int]:
    """The processes that this one has started and that still run."""
    found = Path("/proc/self/task").glob("*/children")
    started = frozenset(int(pid) for file in found for pid in file.read_text().split())
    return frozenset(pid for pid in started - TEMPLATES if _is_running(pid))


def _is_running(pid: int) -> bool:
    """Whether it is there and no zombie: what a killed worker had started ends up with us."""
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def running_threads() -> list[str]:
    """The threads of Python that a sweep waits in."""
    return [t.name for t in threading.enumerate() if t.name.startswith("jitstudio-")]
