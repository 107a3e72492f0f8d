"""Makes all that a window has besides its texts, a little at a time.

Loading this module loads nearly all of the program, so it is done in the background.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from jitstudio.core.project.project import is_project
from jitstudio.gui.commands.files import FileCommands
from jitstudio.gui.commands.fixes import Fixer
from jitstudio.gui.commands.help import HelpCommands
from jitstudio.gui.commands.key_list import KeyList
from jitstudio.gui.commands.keystrokes import KeystrokeCommands
from jitstudio.gui.commands.projects import ProjectCommands
from jitstudio.gui.commands.sides import SideCommands
from jitstudio.gui.commands.views import ViewCommands
from jitstudio.gui.dialogs import Dialogs
from jitstudio.gui.panes import Panes
from jitstudio.gui.presenters.columns import ColumnsPresenter
from jitstudio.gui.presenters.compare import ComparePresenter
from jitstudio.gui.presenters.context_menus import ContextMenus
from jitstudio.gui.presenters.correlation import CorrelationPresenter
from jitstudio.gui.presenters.definitions import DefinitionsPresenter
from jitstudio.gui.presenters.editing import EditingPresenter
from jitstudio.gui.presenters.files import FilesPresenter
from jitstudio.gui.presenters.filters import FiltersPresenter
from jitstudio.gui.presenters.formatting import FormattingPresenter
from jitstudio.gui.presenters.graph import GraphPresenter
from jitstudio.gui.presenters.history import HistoryPresenter
from jitstudio.gui.presenters.hover import HoverPresenter
from jitstudio.gui.presenters.inlined import InlinedPresenter
from jitstudio.gui.presenters.inspections import InspectionsPresenter
from jitstudio.gui.presenters.keeping import KeepingPresenter
from jitstudio.gui.presenters.launch import LaunchPresenter
from jitstudio.gui.presenters.layouts import LayoutPresenter
from jitstudio.gui.presenters.link import LinkPresenter
from jitstudio.gui.presenters.link_offers import LinkOffersPresenter
from jitstudio.gui.presenters.listings import ListingsPresenter
from jitstudio.gui.presenters.matrix import MatrixPresenter
from jitstudio.gui.presenters.menus import MenusPresenter
from jitstudio.gui.presenters.names import NamesPresenter
from jitstudio.gui.presenters.options import OptionsPresenter
from jitstudio.gui.presenters.palette import PalettePresenter
from jitstudio.gui.presenters.part import PartPresenter
from jitstudio.gui.presenters.pipeline import PipelinePresenter
from jitstudio.gui.presenters.places import PlacesPresenter
from jitstudio.gui.presenters.preferences import PreferencesPresenter
from jitstudio.gui.presenters.pressure import PressurePresenter
from jitstudio.gui.presenters.projects import ProjectsPresenter
from jitstudio.gui.presenters.renaming import RenamingPresenter
from jitstudio.gui.presenters.report import ReportPresenter
from jitstudio.gui.presenters.results import ResultsPresenter
from jitstudio.gui.presenters.search import SearchPresenter
from jitstudio.gui.presenters.settings import SettingsPresenter
from jitstudio.gui.presenters.staleness import StalenessPresenter
from jitstudio.gui.presenters.status import StatusPresenter
from jitstudio.gui.presenters.sweep import SweepPresenter
from jitstudio.gui.presenters.symbols import SymbolsPresenter
from jitstudio.gui.presenters.tabs import TabsPresenter
from jitstudio.gui.presenters.welcome import WelcomePresenter
from jitstudio.gui.theme import Theme
from jitstudio.gui.workspace import Workspace
from jitstudio.samples import Sample, samples

if TYPE_CHECKING:
    from jitstudio.gui.main_window import MainWindow


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
