"""`jitstudio.show`: hands a kernel over to the open window, or shows it in the notebook."""

from __future__ import annotations

import os
import sys
import threading
from typing import Any

from jitstudio.api import html
from jitstudio.api.commands import inspect
from jitstudio.api.reports import InspectReport
from jitstudio.commands.handover import NoWindow, StartedWindow, hand_over, start_window
from jitstudio.core.handover import Handover, HandoverAnswer, HandoverError
from jitstudio.python.things import found_in, is_path, sources_of
from jitstudio.system.terminal import print_error, say


class Shown:
    """Something that was handed over to a window, or could not be.

    Attributes:
        tabs: The tabs of the window, by their names; empty until `wait` returns where a window
            has to be started first.
        problem: Why no window shows it; empty where one does.
    """

    def __init__(self, thing: object, handover: Handover) -> None:
        self.tabs: tuple[str, ...] = ()
        self.problem = ""
        self._thing = thing
        self._handover = handover
        self._report: InspectReport | None = None
        self._done = threading.Event()
        self._cell: object = None

    def wait(self, timeout: float | None = None) -> Shown:
        """Waits until the kernel is open in the window.

        Args:
            timeout: Seconds to wait at most; None for as long as a window takes to start.

        Raises:
            TimeoutError: It is not open by then.
            RuntimeError: It will not be; the message says why.
        """
        if not self._done.wait(timeout):
            raise TimeoutError("The window is still starting.")
        if self.problem:
            raise RuntimeError(self.problem)
        return self

    def report(self) -> InspectReport:
        """Returns the report of `jitstudio.inspect` about the kernel."""
        if self._report is None:
            self._report = inspect(self._thing)
        return self._report

    def __repr__(self) -> str:
        if not self._done.is_set():
            return "A window is starting."
        return self.problem or f"Shown in the window: {', '.join(self.tabs)}"

    def _repr_html_(self) -> str:
        """Returns the place where the kernel is shown, and without a window also the report."""
        said = html.page(repr(self), ())
        return said + self.report()._repr_html_() if self.problem else said

    def display(self) -> None:
        """Shows the report here: in a notebook as HTML, otherwise as text."""
        if notebook := _notebook():
            display, self._cell = notebook
            display.display(display.HTML(self._repr_html_()))
        else:
            print_error(f"jitstudio: {self.problem}")
            say(str(self.report()))

    def _ipython_display_(self) -> None:
        """Shows this at the end of a cell, but for the cell in which `display` has done so."""
        notebook = _notebook()
        if notebook is None:
            say(repr(self))
        elif self._cell is None or notebook[1] != self._cell:
            notebook[0].display(notebook[0].HTML(self._repr_html_()))

    def deliver(self) -> None:
        """Hands the kernel over, to a window that is started where none is open.

        Raises:
            HandoverError: The window has refused it.
        """
        self._done.clear()
        try:
            self._end(hand_over(self._handover))
        except NoWindow:
            self._start()
        except HandoverError as error:
            self._end(HandoverAnswer(problem=str(error)))
            raise

    def _start(self) -> None:
        try:
            window = start_window()
        except NoWindow as error:
            self._end(HandoverAnswer(problem=str(error)))
            self.display()
            return
        # No daemon: a program that ends after this waits until its kernel is in the window.
        threading.Thread(target=self._follow, args=(window,), name="jitstudio.show").start()

    def _follow(self, window: StartedWindow) -> None:
        try:
            self._end(window.hand_over(self._handover))
        except HandoverError as error:
            self._end(HandoverAnswer(problem=str(error)))
            print_error(f"jitstudio: {error}")

    def _end(self, answer: HandoverAnswer) -> None:
        self.tabs, self.problem = answer.tabs, answer.problem
        self._done.set()


def show(thing: object, *, name: str = "") -> Shown:
    """Opens a kernel in the window, with its source, its IR, its PTX and its machine code.

    The window that was used last gets it; where none is open, one is started and the call returns
    at once. Where none can be, a notebook shows the report as HTML, and a terminal as text.

    Args:
        thing: What `jitstudio.inspect` takes.
        name: What to call code that has no name of its own.

    Raises:
        TypeError: The thing holds no kernel that is known; the message lists what is taken.
        ValueError: Nothing was compiled so far, or the window has refused it.
        OSError: A file cannot be read.
    """
    if is_path(thing):
        # It is opened as a file, which can be saved again.
        os.stat(thing)
        shown = Shown(thing, Handover(paths=(os.path.abspath(os.fspath(thing)),)))
    else:
        # Read once: what an object holds may change until it is asked for a report.
        sources = sources_of(found_in(thing, name))
        shown = Shown(sources, Handover.of(sources))
    shown.deliver()
    return shown


def _notebook() -> tuple[Any, object] | None:
    """Returns the display of a notebook, and the cell that runs; None elsewhere."""
    interactive: Any = sys.modules.get("IPython")
    shell = interactive.get_ipython() if interactive is not None else None
    if shell is None or "IPKernelApp" not in getattr(shell, "config", ()):
        return None
    return interactive.display, shell.execution_count
