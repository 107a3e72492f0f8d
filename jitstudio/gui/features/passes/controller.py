"""Films the passes of the optimiser for the current text, at the user's request."""

from __future__ import annotations

from functools import partial
from threading import Event

from PySide6.QtCore import QObject, Slot

from jitstudio.analysis.diff.model import Comparison
from jitstudio.gui.context import Context
from jitstudio.gui.features.passes.model import PassChange
from jitstudio.gui.features.passes.view import PassesView
from jitstudio.gui.kit.background import Background
from jitstudio.gui.services.pass_service import PassService, ReadFilms
from jitstudio.gui.services.request_queue import RequestHandle
from jitstudio.gui.shell.navigation import Navigator, SourcePlace
from jitstudio.gui.state.build_controller import BuildController
from jitstudio.gui.state.outputs import Outputs
from jitstudio.gui.state.preferences import Preferences


def install(context: Context) -> None:
    """Makes the pane "Passes"."""
    state, shell = context.state, context.shell
    view = PassesView(parent=shell.layout.place("passes"))
    shell.layout.fill("passes", view)
    controller = PassesController(
        view,
        state.pass_service,
        state.build_controller,
        state.outputs,
        state.preferences,
        context.navigator,
    )
    shell.stale_marks.add(view, lambda: controller.is_old)
    controller.outputs.result_changed.connect(shell.stale_marks.update)
    for table in (view.steps, view.lines, view.remarks, view.back_end):
        shell.context_menus.add_to_tables(table)


class PassesController(QObject):
    """Asks for films, and compares the code around a pass in the background."""

    def __init__(
        self,
        view: PassesView,
        service: PassService,
        builds: BuildController,
        outputs: Outputs,
        preferences: Preferences,
        navigator: Navigator,
    ) -> None:
        super().__init__(view)
        self._view = view
        self._service = service
        self._builds = builds
        self.outputs = outputs
        self._preferences = preferences
        self._navigator = navigator
        self._handle: RequestHandle | None = None
        self._filmed: object = None
        self._comparing = Background(self)
        self._comparing.done.connect(self._on_compared)
        view.film_wanted.connect(self._film)
        view.stop_wanted.connect(self._stop)
        view.change_wanted.connect(self._compare)
        view.place_wanted.connect(self._go_to)

    @property
    def is_old(self) -> bool:
        """Whether the film is of another text than the newest build."""
        return bool(self._view.readings) and (
            self.outputs.is_behind or self.outputs.good is not self._filmed
        )

    @Slot(bool)
    def _film(self, every_pass: bool) -> None:
        try:
            request = self._builds.request(frozenset())
        except ValueError as error:
            self._view.show_hint(str(error))
            return
        filmed = self.outputs.good
        timeout = float(self._preferences.value("build.time_limit"))
        self._handle = handle = self._service.film(request, every_pass=every_pass, timeout=timeout)
        self._view.begin()
        handle.progressed.connect(self._view.show_progress)
        handle.finished.connect(partial(self._on_filmed, filmed))
        handle.failed.connect(self._view.show_hint)
        handle.dropped.connect(partial(self._view.show_hint, ""))

    def _on_filmed(self, filmed: object, films: ReadFilms) -> None:
        self._handle, self._filmed = None, filmed
        if films.readings:
            self._view.show_readings(films.readings)
        else:
            self._view.show_hint(films.problem or films.result.reason)

    @Slot()
    def _stop(self) -> None:
        if self._handle is not None:
            self._handle.cancel()

    @Slot(PassChange)
    def _compare(self, change: PassChange) -> None:
        def compare(_stop: Event) -> tuple[PassChange, Comparison]:
            comparison = change.compared()
            _ = comparison.hunks
            return change, comparison

        self._comparing.start(compare)

    @Slot(object)
    def _on_compared(self, compared: tuple[PassChange, Comparison]) -> None:
        self._view.show_change(*compared)

    @Slot(str, int, int)
    def _go_to(self, file: str, line: int, column: int) -> None:
        self._navigator.go_to(SourcePlace(file, line, column))
