"""Imports modules that the window needs later, without waits of the window.

Qt classes are defined in the thread of the window: a thread that defines some while the event loop
runs ends the program by a crash now and then, as PySide looks at types without a lock. So what
knows nothing of Qt is imported in a thread, and all else a few modules a turn.
"""

from __future__ import annotations

import dis
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from sys import modules
from threading import Event
from time import perf_counter
from types import CodeType
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from jitstudio.gui.kit.background import Background, Unwanted

_OURS, _PLOTS = "jitstudio.gui.", "pyqtgraph"
# All that define Qt classes.
_OF_QT = (_OURS, _PLOTS, "PySide6.")
# What takes long and is no part of a package.
_LARGE = {_PLOTS, "numpy"}
# pyqtgraph is one stretch, as its first module imports the others: these of packages without Qt,
_USED = ("xml.etree.ElementTree", "multiprocessing.connection", "cuda.bindings.runtime", "cProfile")
# and all types of these, which PySide makes when each is asked for first: most of its time.
_ASKED = ("PySide6.QtCore", "PySide6.QtGui", "PySide6.QtWidgets", "PySide6.QtOpenGLWidgets")
# So long a turn may take, in seconds; a picture of a screen is there for 16 ms.
_TURN = 0.004
_CHECKING = "TYPE_CHECKING"


class LateImport(QObject):
    """Imports the modules of a function at a time, as `Background` runs functions.

    A thread imports the modules that know nothing of Qt, and puts the rest in order; of that a few
    modules are imported at a turn of the event loop.

    Signals:
        done: All is imported; with the result of `load`.
        failed: Why it is not, a sentence.
    """

    done = Signal(object)
    failed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._load: Callable[[], Any] = str
        self._steps: Iterator[Callable[[], object]] = iter(())
        self._planning = Background(self)
        self._planning.done.connect(self._on_planned)
        self._planning.failed.connect(self.failed)
        self._turns = QTimer(self, interval=0)
        self._turns.timeout.connect(self._on_turn)

    @property
    def is_busy(self) -> bool:
        """Whether something is being imported."""
        return self._planning.is_busy or self._turns.isActive()

    def start(self, load: Callable[[], Any], names: Iterable[str] = ()) -> None:
        """Calls `load` in the thread of the window, once all imports of `load` are done.

        Args:
            load: A function whose code imports modules by whole names.
            names: Further modules that it needs.
        """
        self.stop()
        self._load = load
        wanted = (*_imported(load.__code__), *names)
        self._planning.start(lambda stop: [*_in_order(wanted, stop)])

    def stop(self) -> None:
        """Stops importing."""
        self._planning.stop()
        self._turns.stop()

    @Slot(object)
    def _on_planned(self, names: list[str]) -> None:
        self._steps = (step for name in names for step in _steps(name))
        self._turns.start()

    @Slot()
    def _on_turn(self) -> None:
        end = perf_counter() + _TURN
        try:
            for step in self._steps:
                step()
                if perf_counter() > end:
                    return
            self._turns.stop()
            outcome = self._load()
        except ImportError as error:
            self._turns.stop()
            self.failed.emit(str(error))
        else:
            self.done.emit(outcome)


def _in_order(names: Iterable[str], stop: Event) -> Iterator[str]:
    """Yields the modules of Qt classes, each behind the own imports; imports all others."""
    seen: set[str] = set()

    def visit(name: str) -> Iterator[str]:
        if name in seen or name in modules:
            return
        seen.add(name)
        if stop.is_set():
            raise Unwanted
        if not name.startswith(_OF_QT):
            import_module(name)
            return
        if name == _PLOTS:
            for other in _USED:
                with suppress(ImportError):
                    import_module(other)
        if name.startswith(_OURS) and (code := _code_of(name)) is not None:
            for other in _imported(code):
                yield from visit(other)
        yield name

    for name in names:
        yield from visit(name)


def _steps(name: str) -> Iterator[Callable[[], object]]:
    """Yields steps that import a module, each step as short as can be."""
    if name == _PLOTS:
        for asked in _ASKED:
            yield partial(import_module, asked)
            yield from (partial(getattr, modules[asked], known) for known in dir(modules[asked]))
    yield partial(import_module, name)


def _code_of(name: str) -> CodeType | None:
    spec = find_spec(name)
    get_code = getattr(spec.loader if spec is not None else None, "get_code", None)
    return get_code(name) if get_code is not None else None


def _imported(code: CodeType) -> Iterator[str]:
    """Yields the modules that code imports when run, without imports for type checkers.

    Small ones that are no part of a package are left out: only names of modules have a dot in them.
    """
    names = (name for name in code.co_names if "." in name or name in _LARGE)
    return names if _CHECKING not in code.co_names else _ran(code)


def _ran(code: CodeType) -> Iterator[str]:
    """Yields the imports outside of `if TYPE_CHECKING`; slower than reading the names."""
    end, is_condition = 0, False
    for instruction in dis.get_instructions(code):
        if instruction.offset < end:
            continue
        match instruction.opname:
            case "IMPORT_NAME":
                yield instruction.argval
            case "LOAD_NAME" | "LOAD_GLOBAL":
                is_condition = instruction.argval == _CHECKING
            case name if name.startswith("POP_JUMP") and is_condition:
                end, is_condition = instruction.argval, False
