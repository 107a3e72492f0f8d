"""Ties projects to the window: its title, its layout and its messages."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from jitstudio.gui.context import Context
from jitstudio.gui.editor.editor_tabs import EditorTabs
from jitstudio.gui.features.project.autosave import AutosaveController
from jitstudio.gui.files.project_commands import ProjectCommands
from jitstudio.gui.shell.docking.layouts import BY_NAME
from jitstudio.gui.shell.notice_bar import NoticeAction
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.documents import Documents
from jitstudio.gui.state.project import ProjectState

_TRUST = "trust"
# More sentences than this make no notice that anybody reads.
_MOST_CONCERNS = 6


def install(context: Context) -> None:
    """Shows the project, and keeps what is typed."""
    state, shell = context.state, context.shell
    ProjectsController(state.documents, state.project, context.editors, context.projects, shell)
    AutosaveController(
        state.session, state.preferences, state.documents, state.build_controller, shell
    )


class ProjectsController(QObject):
    """Shows which project is open, and arranges the panes as it wants them."""

    def __init__(
        self,
        documents: Documents,
        project: ProjectState,
        editors: EditorTabs,
        projects: ProjectCommands,
        shell: Shell,
    ) -> None:
        super().__init__(shell.window)
        self._shell = shell
        self._editors = editors
        self._documents = documents
        self._project = project
        self._stage = shell.layout
        self._window = shell.window
        self._projects = projects
        projects.trust_wanted.connect(self._on_trust_wanted)
        projects.failed.connect(shell.notices.show_message)
        projects.reported.connect(shell.status.show_message)
        self._project.opened.connect(self._on_opened)
        self._project.changed.connect(self._on_project_changed)
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
        self._shell.layout.bring_up(self._editors)

    @Slot(str)
    def _on_layout_changed(self, name: str) -> None:
        self._project.layout = name

    @Slot()
    def _on_trust_wanted(self) -> None:
        """Asks once, with all that is unusual; the project works meanwhile, without that."""
        concerns = self._project.standing.concerns
        head = self.tr(
            "{name} asks for more than an ordinary project. Until you trust it, these are refused, "
            "and it reads no file outside its folder:"
        )
        lines = [head.format(name=self._project.title)]
        lines += [f"• {concern}" for concern in concerns[:_MOST_CONCERNS]]
        if (more := len(concerns) - _MOST_CONCERNS) > 0:
            lines.append(self.tr("There are {count} more.").format(count=more))
        choices = (
            NoticeAction("keepRestricted", self.tr("Keep it restricted"), self._keep_restricted),
            NoticeAction("trustProject", self.tr("Trust this project"), self._projects.trust),
        )
        self._shell.notices.ask(_TRUST, "\n".join(lines), choices)

    @Slot()
    def _keep_restricted(self) -> None:
        self._shell.notices.withdraw(_TRUST)

    @Slot()
    def _on_project_changed(self) -> None:
        if self._project.standing.trusted:
            self._shell.notices.withdraw(_TRUST)

    @Slot()
    def _on_title_changed(self) -> None:
        current, project = self._documents.current, self._project
        # The same mark that Qt puts behind the name of the tab.
        mark = "*" if project.is_modified else ""
        standing = project.standing
        if standing.concerns and not standing.trusted:
            mark += self.tr(" (restricted)")
        parts = (
            f"{self._documents.title(current)}[*]" if current is not None else "",
            f"{project.title}{mark}",
            "jitstudio",
        )
        self._window.setWindowTitle(" - ".join(filter(None, parts)))
        self._window.setWindowModified(current is not None and current.is_modified)
