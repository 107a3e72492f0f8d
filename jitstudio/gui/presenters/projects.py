"""Ties projects to the window: its title, its arrangement, and what it tells."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QMainWindow

from jitstudio.gui.commands.projects import ProjectCommands
from jitstudio.gui.docking.layouts import BY_NAME
from jitstudio.gui.panes import Panes
from jitstudio.gui.workspace import Workspace


class ProjectsPresenter(QObject):
    """Shows which project is open, and arranges the panes as it wants them."""

    def __init__(
        self, workspace: Workspace, panes: Panes, projects: ProjectCommands, window: QMainWindow
    ) -> None:
        super().__init__(window)
        self._documents = workspace.documents
        self._project = workspace.project
        self._panes = panes
        self._stage = panes.stage
        self._window = window
        projects.failed.connect(panes.notice.tell)
        projects.told.connect(panes.status.tell)
        self._project.opened.connect(self._on_opened)
        self._stage.layout_changed.connect(self._on_layout_changed)
        for signal in (
            self._project.changed,
            self._documents.current_changed,
            self._documents.changed,
        ):
            signal.connect(self._on_title_changed)
        self._project.layout = self._stage.layout.name
        self._on_title_changed()

    @Slot()
    def _on_opened(self) -> None:
        if self._project.layout in BY_NAME:
            self._stage.choose(self._project.layout)
        self._panes.bring_up(self._panes.tabs)

    @Slot(str)
    def _on_layout_changed(self, name: str) -> None:
        self._project.layout = name

    @Slot()
    def _on_title_changed(self) -> None:
        current, project = self._documents.current, self._project
        # The same mark that Qt puts behind the name of the tab.
        mark = "*" if project.is_modified else ""
        parts = (
            f"{current.name}[*]" if current is not None else "",
            f"{project.title}{mark}",
            "jitstudio",
        )
        self._window.setWindowTitle(" - ".join(filter(None, parts)))
        self._window.setWindowModified(current is not None and current.is_modified)
