"""Makes all of a window besides the texts, feature by feature.

Loading this module and the features loads nearly all of the program, so `kit.late_import` loads
them, first the modules that start the worker.

To add a feature without a pane: a folder whose `controller` module has `install`, and its name
here. So has the module `early` of a folder with what a feature does before its pane is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMainWindow

from jitstudio.core.code import is_project
from jitstudio.gui.code.search import SearchSources
from jitstudio.gui.context import Context
from jitstudio.gui.files.file_commands import FileCommands
from jitstudio.gui.files.fixer import Fixer
from jitstudio.gui.files.project_commands import ProjectCommands
from jitstudio.gui.kit.dialogs import Dialogs
from jitstudio.gui.kit.theme import ThemeKeeper
from jitstudio.gui.listing.saving import ListingSaver
from jitstudio.gui.shell.context_menus import ContextMenus
from jitstudio.gui.shell.navigation import Navigator
from jitstudio.gui.shell.pane_registry import EARLY
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.shell.stale_marks import StaleMarks
from jitstudio.gui.shell.status_line import StatusLine
from jitstudio.gui.state.user_state import UserState
from jitstudio.gui.state.window_state import WindowState
from jitstudio.gui.window.layout_controller import LayoutController
from jitstudio.gui.window.menus_controller import MenusController
from jitstudio.gui.window.pane_maker import PaneMaker, module_of
from jitstudio.gui.window.window_frame import WindowFrame
from jitstudio.help.samples import Sample, samples

# Folders of `features` without a pane, and what others do before their pane is made.
_FEATURES = (
    "log.early",
    "compare.early",
    "names.early",
    "tileir.early",
    "link.early",
    "launch.early",
    "step.early",
    "lessons.early",
    "tabs",
    "project",
    "build",
    "editing",
    "correlation",
    "caret_kernel",
    "figures",
    "history",
    "folder",
    "handover",
    "hand_back",
    "help",
    "settings",
    "welcome",
    "palette",
)


def installers() -> Iterator[Callable[[Context], Iterator[None] | None]]:
    """Yields the function `install` of each feature, which is imported at that moment.

    One with many widgets is a generator: where it yields, the window handles events.
    """
    for name in WindowBuilder.features():
        yield import_module(name).install


class WindowBuilder(QObject):
    """Makes the rest of a window.

    Attributes:
        state: Open documents, settings and outputs.
        context: All of the window, for the installers of features.
        panes: Makes those that are not made yet.
    """

    context: Context

    def __init__(
        self, window: QMainWindow, frame: WindowFrame, user_state: UserState, themes: ThemeKeeper
    ) -> None:
        super().__init__(window)
        self._window = window
        self._frame = frame
        self._themes = themes
        self.panes = PaneMaker(self)
        # First: the worker's process starts while the rest is made.
        self.state = WindowState(user_state, self)

    @staticmethod
    def features(late: Iterable[str] = ()) -> tuple[str, ...]:
        """Returns the modules of features that begin with the window, in order.

        Args:
            late: Folders of further features, which follow these.
        """
        return tuple(map(module_of, dict.fromkeys((*EARLY, *_FEATURES, *late))))

    def steps(self) -> Iterator[None]:
        """Makes the rest; between two steps the window handles events."""
        window, state = self._window, self.state
        shell = self._make_shell()
        files = FileCommands(
            state.documents,
            state.settings,
            state.preferences,
            window,
            launches=state.launch_specs,
        )
        projects = ProjectCommands(
            state.project,
            state.documents,
            state.preferences,
            state.session,
            state.build_controller,
            files,
            Dialogs(window),
            shell.actions,
        )
        self.context = context = Context(
            state,
            shell,
            self._frame.editors,
            {},
            ListingSaver(state.outputs, shell),
            Navigator(self.panes.lead),
            files,
            projects,
            Fixer(
                state.documents,
                state.settings,
                state.tab_options,
                state.launch_specs,
                files,
                window,
                projects.trust,
            ),
            SearchSources(),
        )
        shell.actions.bind({"quitAction": window.close})
        for install in installers():
            yield
            parts = install(context)
            if parts is not None:
                yield from parts
        yield from self.panes.begin(context)
        yield
        LayoutController(self._frame.editors, self._frame.centre, shell)
        MenusController(files, state.preferences, shell)

    def begin(self, files: Sequence[Path], sample: Sample | None) -> None:
        """Goes on from the first picture of the window: opens files, and builds.

        Args:
            files: Those that were asked for.
            sample: The one that is open already, at the first start.
        """
        state, context = self.state, self.context
        context.files.open_paths(files)
        if sample is not None:
            for spec in sample.launches:
                state.launch_specs.suggest(spec)
        opening = any(map(is_project, files))
        if not (opening or len(state.documents)):
            context.files.open_sample(samples()[0])
        context.shell.layout.bring_up(context.editors)
        if state.project.path is None and not opening:
            state.build_controller.start()
        else:
            state.build_controller.hold()

    def _make_shell(self) -> Shell:
        window, frame = self._window, self._frame
        status = StatusLine()
        window.setStatusBar(status)
        return Shell(
            window=window,
            actions=frame.actions,
            shortcuts=frame.shortcuts,
            menus=frame.menus,
            toolbar=frame.toolbar,
            themes=self._themes,
            notices=frame.notices,
            status=status,
            layout=frame.layout,
            context_menus=ContextMenus(frame.actions),
            stale_marks=StaleMarks(self.state.staleness, self),
        )
