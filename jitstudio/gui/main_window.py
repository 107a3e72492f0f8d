"""The window: makes the parts, each of which ties itself to the others it needs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Slot
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QMainWindow

from jitstudio.gui.commands.actions import Actions
from jitstudio.gui.commands.files import FileCommands
from jitstudio.gui.commands.fixes import Fixer
from jitstudio.gui.commands.help import HelpCommands
from jitstudio.gui.commands.sides import SideCommands
from jitstudio.gui.commands.views import ViewCommands
from jitstudio.gui.menus import Menus, make_toolbar
from jitstudio.gui.panes import Panes
from jitstudio.gui.presenters.files import FilesPresenter
from jitstudio.gui.presenters.launch import LaunchPresenter
from jitstudio.gui.presenters.link import LinkPresenter
from jitstudio.gui.presenters.names import NamesPresenter
from jitstudio.gui.presenters.options import OptionsPresenter
from jitstudio.gui.presenters.places import PlacesPresenter
from jitstudio.gui.presenters.results import ResultsPresenter
from jitstudio.gui.presenters.settings import SettingsPresenter
from jitstudio.gui.presenters.sweep import SweepPresenter
from jitstudio.gui.theme import Theme, ThemeKeeper
from jitstudio.gui.workspace import Workspace
from jitstudio.samples import samples


class MainWindow(QMainWindow):
    """Shows one workspace.

    Attributes:
        workspace: What is shown.
        panes: What it is shown in.
        files: What the File menu does.
    """

    def __init__(self, workspace: Workspace, keeper: ThemeKeeper) -> None:
        super().__init__()
        self.workspace = workspace
        self.panes = panes = Panes(self, workspace, keeper.theme)
        self._actions = actions = Actions(self)
        self.files = files = FileCommands(
            workspace.documents,
            workspace.settings,
            workspace.preferences,
            self,
            launches=workspace.launch_specs,
        )
        fixer = Fixer(workspace.documents, workspace.settings, files, self)
        sides = SideCommands(workspace, files, keeper, actions, self)
        sweeps = SweepPresenter(workspace, panes.launch.form, keeper, actions, self)
        self._parts = (
            ViewCommands(
                panes.tabs, tuple(panes.outputs.values()), workspace.preferences, actions, self
            ),
            HelpCommands(workspace, actions, self),
            FilesPresenter(workspace, panes, files, fixer, actions),
            SettingsPresenter(workspace, panes, actions),
            ResultsPresenter(workspace, panes, files, actions),
            PlacesPresenter(workspace, panes, files, actions),
            LinkPresenter(workspace, panes.link),
            NamesPresenter(workspace, panes.names),
            OptionsPresenter(workspace, panes.options),
            LaunchPresenter(workspace, panes, actions),
        )
        panes.link.comparison_requested.connect(sides.compare_links)
        for teller in (sides, sweeps):
            teller.told.connect(panes.status.tell)
        sides.failed.connect(panes.notice.tell)
        actions.bind({"quitAction": self.close, "resetLayoutAction": self._on_reset_layout})
        self._menus = Menus(self, actions, files, workspace.preferences, keeper)
        self._menus.add_panes(panes.toggles())
        make_toolbar(self, actions, panes.build_bar)
        workspace.documents.current_changed.connect(self._on_title_changed)
        workspace.documents.changed.connect(self._on_title_changed)
        keeper.theme_changed.connect(self._on_theme_changed)
        self._on_theme_changed(keeper.theme)
        self.setAcceptDrops(True)
        self._on_title_changed()
        panes.restore_layout(workspace.preferences)

    def open(self, files: Sequence[Path]) -> None:
        """Bring back the last session, and open these files; without either, the first sample."""
        workspace = self.workspace
        restored = workspace.session.restore()
        self.files.open_paths(files)
        if not restored and not len(workspace.documents):
            self.files.open_sample(samples()[0])
        workspace.session.watch()
        workspace.studio.build()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Keep everything; what is unsaved comes back at the next start."""
        self.panes.save_layout(self.workspace.preferences)
        self.workspace.close()
        super().closeEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files."""
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open files."""
        urls = event.mimeData().urls()
        self.files.open_paths(Path(url.toLocalFile()) for url in urls if url.isLocalFile())
        event.acceptProposedAction()

    @Slot()
    def _on_title_changed(self) -> None:
        current = self.workspace.documents.current
        self.setWindowTitle(f"{current.name}[*] - jitstudio" if current else "jitstudio")
        self.setWindowModified(current is not None and current.is_modified)

    @Slot(object)
    def _on_theme_changed(self, theme: Theme) -> None:
        self.panes.set_theme(theme)
        self._actions.set_theme(theme)

    @Slot()
    def _on_reset_layout(self) -> None:
        self.workspace.preferences.forget_layout()
        self.panes.reset_layout()
