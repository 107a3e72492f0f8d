"""Finds Qt classes that are defined outside the thread of the window, which may end the program."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import SourceFileLoader
from types import ModuleType

from shiboken6 import Object


def defines_qt_classes(module: ModuleType) -> bool:
    """Whether a class of a module's own derives from one of Qt's."""
    own = (kind for kind in vars(module).values() if isinstance(kind, type))
    return any(kind.__module__ == module.__name__ and issubclass(kind, Object) for kind in own)


@contextmanager
def watched_imports() -> Iterator[list[str]]:
    """Gives the modules with Qt classes that a thread has imported meanwhile."""
    found: list[str] = []
    before = SourceFileLoader.exec_module

    def exec_module(self: SourceFileLoader, module: ModuleType) -> None:
        before(self, module)
        if threading.current_thread() is not threading.main_thread() and defines_qt_classes(module):
            found.append(module.__name__)

    SourceFileLoader.exec_module = exec_module
    try:
        yield found
    finally:
        SourceFileLoader.exec_module = before
