"""The marks of the tests: `tools`, `window` and `slow`; what has none of them is the inner loop.

Most marks follow from the fixtures that a test uses or the folder it is in. The rest is said by
`pytestmark` in a module or by a decorator; a test that starts a process, loads a library of
NVIDIA's or makes a QApplication without its mark fails.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

_HERE = Path(__file__).parent
# Fixtures that start processes: workers with the tools, or the program itself.
_TOOLS = {"tools", "builder", "builders", "host", "built", "run", "run_apart", "command"}
_TOOLS |= {"driver", "started"}
_FOLDERS = {"gui": "window", "hostile": "tools", "toolchain": "tools"}
_LIBRARIES = ("libnvrtc", "libnvvm", "libnvJitLink", "libnvfatbin")
# A generator's bulk takes minutes on quiet cores, and several times that beside other work.
_BENCH_S = 3600
_PROCESSES = {"subprocess.Popen", "os.posix_spawn", "os.fork"}


def add_marks(item: pytest.Item, is_retried: bool) -> None:
    """Add the marks that follow from the folder and the fixtures of a test.

    Args:
        item: The test.
        is_retried: Whether a test of a window that fails has a second try: four processes on two
            cores may keep a window waiting longer than a user's patience.
    """
    folder = item.path.relative_to(_HERE).parts[0]
    if folder in _FOLDERS:
        item.add_marker(_FOLDERS[folder])
    if _has(item, "gpu") or _TOOLS & set(getattr(item, "fixturenames", ())):
        item.add_marker("tools")
    if _has(item, "bench"):
        item.add_marker("slow")  # by -m of one's own they are not left out otherwise
        item.add_marker(pytest.mark.timeout(_BENCH_S))
    if is_retried and _has(item, "window"):
        item.add_marker(pytest.mark.flaky(reruns=1))


def is_left_out(path: Path, expression: str) -> bool:
    """Whether `pytest -m` with this expression takes nothing of a folder."""
    mark = _FOLDERS.get(path.name) if path.parent == _HERE else None
    return mark is not None and f"not {mark}" in expression.split(" and ")


def order(items: Sequence[pytest.Item]) -> Callable[[pytest.Item], int]:
    """A key to sort by: dear files first, so that no process is left with one at the end."""
    tools = {item.path for item in items if _has(item, "tools")}
    windows = {item.path for item in items if _has(item, "window")}
    return lambda item: -(item.path in tools) - (item.path in tools & windows)


def _has(item: pytest.Item, mark: str) -> bool:
    return item.get_closest_marker(mark) is not None


def _has_application() -> bool:
    core = sys.modules.get("PySide6.QtCore")
    return core is not None and core.QCoreApplication.instance() is not None


@dataclass
class Started:
    """What a test has started.

    Attributes:
        marks: The marks that the test has.
        processes: The processes that it started, and the libraries of NVIDIA's that it loaded.
        had_application: Whether there was a QApplication before.
    """

    marks: frozenset[str]
    processes: list[str] = field(default_factory=list)
    had_application: bool = field(default_factory=_has_application)

    @property
    def missing_marks(self) -> str:
        """What the test did without the mark that says so, or an empty text."""
        if _has_application() and not self.had_application and "window" not in self.marks:
            return "made a QApplication without the mark 'window'"
        if self.processes and not self.marks & {"tools", "window", "slow"}:
            return f"started {self.processes[0]} without the mark 'tools' or 'slow'"
        return ""


_current: Started | None = None


def _listen(event: str, values: tuple[object, ...]) -> None:
    if _current is None:
        return
    if event in _PROCESSES:
        _current.processes.append(f"{event}{values[:2]}")
    elif event == "ctypes.dlopen" and Path(str(values[0])).name.startswith(_LIBRARIES):
        _current.processes.append(str(values[0]))


sys.addaudithook(_listen)


@contextmanager
def started_by(item: pytest.Item) -> Iterator[Started]:
    """Note what is started within the block, in any thread of this process."""
    global _current
    started = Started(frozenset(mark.name for mark in item.iter_markers()))
    outer, _current = _current, started
    try:
        yield started
    finally:
        _current = outer
