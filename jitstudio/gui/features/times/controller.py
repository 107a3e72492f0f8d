"""Measures where the compile time of the current text goes, at the user's request."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event

from PySide6.QtCore import QObject, Slot

from jitstudio.commands.build_time import ModuleTime, module_times, traced
from jitstudio.gui.context import Context
from jitstudio.gui.features.times.view import TimesView
from jitstudio.gui.kit.background import Background
from jitstudio.gui.services.build_service import BuildOutput
from jitstudio.gui.services.request_queue import RequestHandle
from jitstudio.gui.state.build_controller import BuildController
from jitstudio.gui.state.outputs import SHOWN_KINDS
from jitstudio.gui.state.side_builds import SideBuilds


def install(context: Context) -> None:
    """Makes the pane "Compile time"."""
    state, shell = context.state, context.shell
    view = TimesView(parent=shell.layout.place("times"))
    shell.layout.fill("times", view)
    TimesController(view, state.build_controller, state.side_builds)
    shell.context_menus.add_to_tables(view.table)


class TimesController(QObject):
    """Builds with a trace, and has it read in the background."""

    def __init__(
        self, view: TimesView, build_controller: BuildController, side_builds: SideBuilds
    ) -> None:
        super().__init__(view)
        self._view = view
        self._build_controller = build_controller
        self._side_builds = side_builds
        self._handle: RequestHandle | None = None
        self._reading = Background(self)
        self._reading.done.connect(self._on_read)
        view.measure_wanted.connect(self._measure)
        view.stop_wanted.connect(self._stop)

    @Slot()
    def _measure(self) -> None:
        try:
            request = self._build_controller.request(frozenset(SHOWN_KINDS))
        except ValueError as error:
            self._view.show_hint(str(error))
            return
        folder = TemporaryDirectory(prefix="jitstudio-")
        asked, traces = traced(request, Path(folder.name))
        self._handle = handle = self._side_builds.build(
            asked, self.tr("Measuring the compile time")
        )
        self._view.begin()
        handle.finished.connect(partial(self._on_built, folder, traces))
        for end in (handle.failed, handle.dropped):
            end.connect(partial(self._on_failed, folder))

    def _on_built(
        self, folder: TemporaryDirectory[str], traces: dict[str, Path], output: BuildOutput
    ) -> None:
        self._handle = None
        result = output.result
        if not result.ok:
            folder.cleanup()
            self._view.show_hint(result.reason)
            return

        def read(_stop: Event) -> tuple[ModuleTime, ...]:
            with folder:
                return module_times(result, traces)

        self._reading.start(read)

    def _on_failed(self, folder: TemporaryDirectory[str], message: str = "") -> None:
        self._handle = None
        folder.cleanup()
        self._view.show_hint(message)

    @Slot(object)
    def _on_read(self, modules: tuple[ModuleTime, ...]) -> None:
        self._view.show_times(modules)

    @Slot()
    def _stop(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
