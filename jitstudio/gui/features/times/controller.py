"""Measures where the compile time of the current text goes, at the user's request."""

from __future__ import annotations

from functools import partial
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event

from PySide6.QtCore import QObject, Slot

from jitstudio.commands.build_time import ModuleTime, Traces, module_times, traced
from jitstudio.core.tools import Tool
from jitstudio.gui.context import Context
from jitstudio.gui.features.times.view import TimesPage, TimesView
from jitstudio.gui.kit.background import Background
from jitstudio.gui.services.build_service import BuildOutput
from jitstudio.gui.services.request_queue import RequestHandle
from jitstudio.gui.state.build_controller import BuildController
from jitstudio.gui.state.outputs import SHOWN_KINDS, Outputs
from jitstudio.gui.state.side_builds import SideBuilds
from jitstudio.gui.state.toolchain import Toolchain


def install(context: Context) -> None:
    """Makes the pane "Compile time"."""
    state, shell = context.state, context.shell
    view = TimesView(parent=shell.layout.place("times"))
    shell.layout.fill("times", view)
    controller = TimesController(
        view, state.build_controller, state.side_builds, state.outputs, state.toolchain
    )
    shell.stale_marks.add(view, lambda: controller.is_old)
    for changed in (state.outputs.result_changed, view.times_changed):
        changed.connect(shell.stale_marks.update)
    shell.context_menus.add_to_tables(view.table)


class TimesController(QObject):
    """Builds with a trace, and has it read in the background."""

    def __init__(
        self,
        view: TimesView,
        build_controller: BuildController,
        side_builds: SideBuilds,
        outputs: Outputs,
        toolchain: Toolchain,
    ) -> None:
        super().__init__(view)
        self._view = view
        self._build_controller = build_controller
        self._side_builds = side_builds
        self._outputs = outputs
        self._toolchain = toolchain
        self._handle: RequestHandle | None = None
        self._measured: object = None
        self._reading = Background(self)
        self._reading.done.connect(self._on_read)
        view.measure_wanted.connect(self._measure)
        view.stop_wanted.connect(self._stop)

    @property
    def is_old(self) -> bool:
        """Whether the times are of another text than the newest build."""
        return bool(self._view.modules_shown) and (
            self._outputs.is_behind or self._outputs.good is not self._measured
        )

    @Slot()
    def _measure(self) -> None:
        try:
            request = self._build_controller.request(frozenset(SHOWN_KINDS))
        except ValueError as error:
            self._view.show_hint(str(error))
            return
        folder = TemporaryDirectory(prefix="jitstudio-")
        asked, traces = traced(request, Path(folder.name), self._nvrtc)
        self._handle = handle = self._side_builds.build(
            asked, self.tr("Measuring the compile time")
        )
        self._view.begin()
        handle.finished.connect(partial(self._on_built, folder, traces, self._outputs.good))
        for end in (handle.failed, handle.dropped):
            end.connect(partial(self._on_failed, folder))

    def _on_built(
        self,
        folder: TemporaryDirectory[str],
        traces: Traces,
        measured: object,
        output: BuildOutput,
    ) -> None:
        self._handle, self._measured = None, measured
        result = output.result
        if not result.ok:
            folder.cleanup()
            self._view.show_hint(result.reason)
            return

        def read(_stop: Event) -> tuple[ModuleTime, ...]:
            with folder:
                modules = module_times(result, traces)
            # The parts are kept once they are known.
            for module, page in product(modules, TimesPage):
                page.parts(module)
            return modules

        self._reading.start(read)

    @property
    def _nvrtc(self) -> str:
        info = self._toolchain.info
        tools = info.tools if info else ()
        return next((tool.version for tool in tools if tool.tool is Tool.NVRTC), "")

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
