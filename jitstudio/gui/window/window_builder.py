"""Makes all that a window has besides its texts, a little at a time.

Loading this module loads nearly all of the program, so it is done in the background.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from jitstudio.core.project.project import is_project
from jitstudio.gui.features.build.part import PartPresenter
from jitstudio.gui.features.build.results import ResultsPresenter
from jitstudio.gui.features.build.settings import SettingsPresenter
from jitstudio.gui.features.build.staleness import StalenessPresenter
from jitstudio.gui.features.build.status import StatusPresenter
from jitstudio.gui.features.compare.controller import ComparePresenter
from jitstudio.gui.features.correlation.controller import CorrelationPresenter
from jitstudio.gui.features.editing.context_menus import ContextMenus
from jitstudio.gui.features.editing.controller import EditingPresenter
from jitstudio.gui.features.editing.definitions import DefinitionsPresenter
from jitstudio.gui.features.editing.formatting import FormattingPresenter
from jitstudio.gui.features.editing.hover import HoverPresenter
from jitstudio.gui.features.editing.navigation import PlacesPresenter
from jitstudio.gui.features.editing.renaming import RenamingPresenter
from jitstudio.gui.features.editing.symbols import SymbolsPresenter
from jitstudio.gui.features.editing.views import ViewCommands
from jitstudio.gui.features.graph.controller import GraphPresenter
from jitstudio.gui.features.help.commands import HelpCommands
from jitstudio.gui.features.help.key_list import KeyList
from jitstudio.gui.features.help.keystrokes import KeystrokeCommands
from jitstudio.gui.features.history.controller import HistoryPresenter
from jitstudio.gui.features.launch.controller import LaunchPresenter
from jitstudio.gui.features.link.controller import LinkPresenter
from jitstudio.gui.features.link.inlined import InlinedPresenter
from jitstudio.gui.features.names.controller import NamesPresenter
from jitstudio.gui.features.options.controller import OptionsPresenter
from jitstudio.gui.features.palette.controller import PalettePresenter
from jitstudio.gui.features.pipeline.controller import PipelinePresenter
from jitstudio.gui.features.problems.controller import FilesPresenter
from jitstudio.gui.features.problems.fixes import Fixer
from jitstudio.gui.features.problems.link_offers import LinkOffersPresenter
from jitstudio.gui.features.project.autosave import KeepingPresenter
from jitstudio.gui.features.project.commands import ProjectCommands
from jitstudio.gui.features.project.controller import ProjectsPresenter
from jitstudio.gui.features.ptx_sass.columns import ColumnsPresenter
from jitstudio.gui.features.ptx_sass.controller import ListingsPresenter
from jitstudio.gui.features.ptx_sass.filters import FiltersPresenter
from jitstudio.gui.features.ptx_sass.inspections import InspectionsPresenter
from jitstudio.gui.features.ptx_sass.pressure import PressurePresenter
from jitstudio.gui.features.report.controller import ReportPresenter
from jitstudio.gui.features.search.controller import SearchPresenter
from jitstudio.gui.features.settings.controller import PreferencesPresenter
from jitstudio.gui.features.tabs.controller import TabsPresenter
from jitstudio.gui.features.variants.matrix_controller import MatrixPresenter
from jitstudio.gui.features.variants.side_commands import SideCommands
from jitstudio.gui.features.variants.sweep_controller import SweepPresenter
from jitstudio.gui.features.welcome.controller import WelcomePresenter
from jitstudio.gui.kit.dialogs import Dialogs
from jitstudio.gui.kit.theme import Theme
from jitstudio.gui.shell.file_commands import FileCommands
from jitstudio.gui.state.workspace import Workspace
from jitstudio.gui.window.layouts import LayoutPresenter
from jitstudio.gui.window.menus import MenusPresenter
from jitstudio.gui.window.panes import Panes
from jitstudio.samples import Sample, samples

if TYPE_CHECKING:
    from jitstudio.gui.window.main_window import MainWindow


class Furnishing(QObject):
    """Furnishes one window.

    Attributes:
        workspace: All that works on the papers.
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
        self.workspace = Workspace(window.papers, self)

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
            workspace.studio.build()
        else:
            workspace.studio.hold()

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
            lambda: FilesPresenter(
                workspace,
                panes,
                files,
                Fixer(workspace.documents, workspace.settings, files, window, self.projects.trust),
                actions,
            ),
            lambda: TabsPresenter(workspace, panes, files, keeper, actions, window),
            lambda: ProjectsPresenter(workspace, panes, self.projects, window),
            lambda: KeepingPresenter(workspace, panes),
            lambda: SettingsPresenter(workspace, panes, actions),
            lambda: ResultsPresenter(workspace, panes, files, actions),
            lambda: DefinitionsPresenter(
                workspace,
                panes,
                PlacesPresenter(workspace, panes, files, actions),
                actions,
                window,
            ),
            lambda: RenamingPresenter(panes, actions, window),
            lambda: FormattingPresenter(workspace, panes, actions),
            lambda: FiltersPresenter(preferences, panes),
            lambda: ListingsPresenter(workspace, panes, actions, window),
            lambda: InspectionsPresenter(workspace, panes),
            lambda: CorrelationPresenter(workspace, panes, actions),
            lambda: PressurePresenter(
                workspace, panes, ColumnsPresenter(workspace, panes, actions, window), actions
            ),
            lambda: ReportPresenter(workspace, panes),
            lambda: ComparePresenter(workspace, panes, actions),
            lambda: HistoryPresenter(workspace, panes, actions),
            lambda: LinkPresenter(workspace, panes.link),
            lambda: InlinedPresenter(workspace, panes.link.inlined),
            lambda: LinkOffersPresenter(workspace, panes),
            lambda: PartPresenter(workspace, panes, keeper),
            lambda: NamesPresenter(workspace, panes.names),
            lambda: OptionsPresenter(workspace, panes.options),
            lambda: LaunchPresenter(workspace, panes, actions),
            self._make_side_windows,
            lambda: PipelinePresenter(workspace, panes),
            lambda: GraphPresenter(workspace, panes, actions),
            lambda: StalenessPresenter(workspace, panes, keeper),
            self._make_preferences,
            lambda: StatusPresenter(workspace, panes.status, actions),
            lambda: WelcomePresenter(workspace, panes.tabs, files, actions, keeper),
            lambda: LayoutPresenter(panes, actions),
            lambda: EditingPresenter(workspace, panes, actions),
            lambda: SearchPresenter(workspace, panes, actions),
            lambda: HoverPresenter(workspace, panes, actions),
            lambda: ContextMenus(workspace, panes, actions),
            lambda: SymbolsPresenter(workspace, panes, keeper, actions, window),
            lambda: MenusPresenter(window.menus, panes, actions, files, preferences, keeper),
            self._make_palette,
        )

    def _make_preferences(self) -> None:
        window = self._window
        self._preferences = PreferencesPresenter(
            self.workspace, window.keeper, window.commands, window
        )

    def _make_palette(self) -> None:
        window, show = self._window, self._preferences.show_setting
        PalettePresenter(self.workspace, self.panes, window.commands, window, show)

    def _make_side_windows(self) -> None:
        window, workspace, panes = self._window, self.workspace, self.panes
        keeper, actions = window.keeper, window.commands
        sides = SideCommands(workspace, self.files, keeper, actions, window)
        sweeps = SweepPresenter(workspace, panes.launch.form, keeper, actions, window)
        matrix = MatrixPresenter(workspace, keeper, actions, window)
        panes.link.comparison_requested.connect(sides.compare_links)
        sides.failed.connect(panes.notice.tell)
        for teller in (sides, sweeps, matrix):
            teller.told.connect(panes.status.tell)

    @Slot(object)
    def _on_theme_changed(self, theme: Theme) -> None:
        self.panes.set_theme(theme)
        self._window.commands.set_theme(theme)
