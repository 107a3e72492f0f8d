"""Makes all that a window has besides its texts, a little at a time.

Loading this module loads nearly all of the program, so it is done in the background.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from jitstudio.core.project.project import is_project
from jitstudio.gui.features.build.part import PartController
from jitstudio.gui.features.build.results import ResultsController
from jitstudio.gui.features.build.settings import SettingsController
from jitstudio.gui.features.build.staleness import StalenessController
from jitstudio.gui.features.build.status import StatusController
from jitstudio.gui.features.compare.controller import CompareController
from jitstudio.gui.features.correlation.controller import CorrelationController
from jitstudio.gui.features.editing.context_menus import ContextMenus
from jitstudio.gui.features.editing.controller import EditingController
from jitstudio.gui.features.editing.definitions import DefinitionsController
from jitstudio.gui.features.editing.formatting import FormattingController
from jitstudio.gui.features.editing.hover import HoverController
from jitstudio.gui.features.editing.navigation import NavigationController
from jitstudio.gui.features.editing.renaming import RenamingController
from jitstudio.gui.features.editing.symbols import SymbolsController
from jitstudio.gui.features.editing.views import ViewCommands
from jitstudio.gui.features.graph.controller import GraphController
from jitstudio.gui.features.help.commands import HelpCommands
from jitstudio.gui.features.help.key_list import KeyList
from jitstudio.gui.features.help.keystrokes import KeystrokeCommands
from jitstudio.gui.features.history.controller import HistoryController
from jitstudio.gui.features.launch.controller import LaunchPaneController
from jitstudio.gui.features.link.controller import LinkController
from jitstudio.gui.features.link.inlined import InlinedController
from jitstudio.gui.features.names.controller import NamesController
from jitstudio.gui.features.options.controller import OptionsController
from jitstudio.gui.features.palette.controller import PaletteController
from jitstudio.gui.features.pipeline.controller import PipelineController
from jitstudio.gui.features.problems.controller import FilesController
from jitstudio.gui.features.problems.fixes import Fixer
from jitstudio.gui.features.problems.link_offers import LinkOffersController
from jitstudio.gui.features.project.autosave import AutosaveController
from jitstudio.gui.features.project.commands import ProjectCommands
from jitstudio.gui.features.project.controller import ProjectsController
from jitstudio.gui.features.ptx_sass.columns import ColumnsController
from jitstudio.gui.features.ptx_sass.controller import ListingsController
from jitstudio.gui.features.ptx_sass.filters import FiltersController
from jitstudio.gui.features.ptx_sass.inspections import InspectionsController
from jitstudio.gui.features.ptx_sass.pressure import PressureController
from jitstudio.gui.features.report.controller import ReportController
from jitstudio.gui.features.search.controller import SearchController
from jitstudio.gui.features.settings.controller import PreferencesController
from jitstudio.gui.features.tabs.controller import TabsController
from jitstudio.gui.features.variants.matrix_controller import MatrixController
from jitstudio.gui.features.variants.side_commands import SideCommands
from jitstudio.gui.features.variants.sweep_controller import SweepController
from jitstudio.gui.features.welcome.controller import WelcomeController
from jitstudio.gui.kit.dialogs import Dialogs
from jitstudio.gui.kit.theme import Theme
from jitstudio.gui.shell.file_commands import FileCommands
from jitstudio.gui.state.workspace import Workspace
from jitstudio.gui.window.layouts import LayoutController
from jitstudio.gui.window.menus import MenusController
from jitstudio.gui.window.panes import Panes
from jitstudio.samples import Sample, samples

if TYPE_CHECKING:
    from jitstudio.gui.window.main_window import MainWindow


class WindowBuilder(QObject):
    """Furnishes one window.

    Attributes:
        workspace: All that works on the user_state.
        panes: All views.
        files, projects: What the File menu does.
    """

    panes: Panes
    files: FileCommands
    projects: ProjectCommands

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        # First: the worker's process starts while the rest is made.
        self.workspace = Workspace(window.user_state, self)

    def steps(self) -> Iterator[None]:
        """Make the rest; between two steps the window takes events."""
        window, workspace = self._window, self.workspace
        self.panes = Panes(window, window.frame, workspace, window.keeper.theme)
        window.toolbar.addWidget(self.panes.build_bar)
        yield from self.panes.fill()
        self.files = FileCommands(
            workspace.documents,
            workspace.settings,
            workspace.preferences,
            window,
            launches=workspace.launch_specs,
        )
        self.projects = ProjectCommands(workspace, self.files, window.commands, Dialogs(window))
        for make in self._parts():
            make()
            yield
        window.keeper.theme_changed.connect(self._on_theme_changed)
        # The theme may be another one than when the first pane was made.
        self._on_theme_changed(window.keeper.theme)

    def begin(self, files: Sequence[Path], sample: Sample | None) -> None:
        """Go on from what the window came up with: open files, and build.

        Args:
            files: Those that were asked for.
            sample: The one that stands there, at the first start.
        """
        workspace = self.workspace
        self.files.open_paths(files)
        if sample is not None:
            for spec in sample.launches:
                workspace.launch_specs.suggest(spec)
        opening = any(map(is_project, files))
        if not (opening or len(workspace.documents)):
            self.files.open_sample(samples()[0])
        self.panes.bring_up(self.panes.tabs)
        if workspace.project.path is None and not opening:
            workspace.build_controller.build()
        else:
            workspace.build_controller.hold()

    def _parts(self) -> tuple[Callable[[], object], ...]:
        """What ties everything together, each a moment's work."""
        window, workspace, panes = self._window, self.workspace, self.panes
        files, actions, keeper = self.files, window.commands, window.keeper
        preferences, outputs = workspace.preferences, tuple(panes.outputs.values())
        actions.bind({"quitAction": window.close})
        return (
            lambda: ViewCommands(panes.tabs, outputs, preferences, actions, window),
            lambda: KeystrokeCommands(panes.tabs, actions, window.shortcuts, window),
            lambda: HelpCommands(workspace, keeper, actions, window),
            lambda: KeyList(actions, window.shortcuts, window),
            lambda: FilesController(
                workspace,
                panes,
                files,
                Fixer(workspace.documents, workspace.settings, files, window, self.projects.trust),
                actions,
            ),
            lambda: TabsController(workspace, panes, files, keeper, actions, window),
            lambda: ProjectsController(workspace, panes, self.projects, window),
            lambda: AutosaveController(workspace, panes),
            lambda: SettingsController(workspace, panes, actions),
            lambda: ResultsController(workspace, panes, files, actions),
            lambda: DefinitionsController(
                workspace,
                panes,
                NavigationController(workspace, panes, files, actions),
                actions,
                window,
            ),
            lambda: RenamingController(panes, actions, window),
            lambda: FormattingController(workspace, panes, actions),
            lambda: FiltersController(preferences, panes),
            lambda: ListingsController(workspace, panes, actions, window),
            lambda: InspectionsController(workspace, panes),
            lambda: CorrelationController(workspace, panes, actions),
            lambda: PressureController(
                workspace, panes, ColumnsController(workspace, panes, actions, window), actions
            ),
            lambda: ReportController(workspace, panes),
            lambda: CompareController(workspace, panes, actions),
            lambda: HistoryController(workspace, panes, actions),
            lambda: LinkController(workspace, panes.link),
            lambda: InlinedController(workspace, panes.link.inlined),
            lambda: LinkOffersController(workspace, panes),
            lambda: PartController(workspace, panes, keeper),
            lambda: NamesController(workspace, panes.names),
            lambda: OptionsController(workspace, panes.options),
            lambda: LaunchPaneController(workspace, panes, actions),
            self._make_side_windows,
            lambda: PipelineController(workspace, panes),
            lambda: GraphController(workspace, panes, actions),
            lambda: StalenessController(workspace, panes, keeper),
            self._make_preferences,
            lambda: StatusController(workspace, panes.status, actions),
            lambda: WelcomeController(workspace, panes.tabs, files, actions, keeper),
            lambda: LayoutController(panes, actions),
            lambda: EditingController(workspace, panes, actions),
            lambda: SearchController(workspace, panes, actions),
            lambda: HoverController(workspace, panes, actions),
            lambda: ContextMenus(workspace, panes, actions),
            lambda: SymbolsController(workspace, panes, keeper, actions, window),
            lambda: MenusController(window.menus, panes, actions, files, preferences, keeper),
            self._make_palette,
        )

    def _make_preferences(self) -> None:
        window = self._window
        self._preferences = PreferencesController(
            self.workspace, window.keeper, window.commands, window
        )

    def _make_palette(self) -> None:
        window, show = self._window, self._preferences.show_setting
        PaletteController(self.workspace, self.panes, window.commands, window, show)

    def _make_side_windows(self) -> None:
        window, workspace, panes = self._window, self.workspace, self.panes
        keeper, actions = window.keeper, window.commands
        sides = SideCommands(
            workspace, self.files, panes.launch.form.finish, keeper, actions, window
        )
        sweeps = SweepController(workspace, panes.launch.form, keeper, actions, window)
        matrix = MatrixController(workspace, keeper, actions, window)
        panes.link.comparison_requested.connect(sides.compare_links)
        sides.failed.connect(panes.notice.tell)
        for teller in (sides, sweeps, matrix):
            teller.told.connect(panes.status.tell)

    @Slot(object)
    def _on_theme_changed(self, theme: Theme) -> None:
        self.panes.set_theme(theme)
        self._window.commands.set_theme(theme)
