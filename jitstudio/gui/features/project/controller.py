"""Ties projects and unsaved text to the window: title, layout and messages."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from jitstudio.gui.context import Context
from jitstudio.gui.editor.editor_tabs import EditorTabs
from jitstudio.gui.features.project.file_watch import FileWatch
from jitstudio.gui.files.project_commands import ProjectCommands
from jitstudio.gui.shell.docking.layouts import BY_NAME
from jitstudio.gui.shell.notice_bar import NoticeAction
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.build_controller import BuildController
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.file_text import ReadOnlyReason
from jitstudio.gui.state.preferences import Preferences
from jitstudio.gui.state.project import ProjectState
from jitstudio.gui.state.session import Session

_TRUST = "trust"
# More sentences than this make no notice that anybody reads.
_MOST_CONCERNS = 6


def install(context: Context) -> None:
    """Shows the project, and keeps the typed text."""
    state, shell = context.state, context.shell
    ProjectsController(state.documents, state.project, context.editors, context.projects, shell)
    AutosaveController(
        state.session, state.preferences, state.documents, state.build_controller, shell
    )


class ProjectsController(QObject):
    """Shows which project is open, and arranges the panes in the layout of the project."""

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


# ---- What becomes of unsaved text

_KEPT = "session"
_OUTSIDE = "outside"
_INTERVAL = "session.autosave_seconds"


class AutosaveController(QObject):
    """Ties the session and the watch over files to the notice and the status line."""

    def __init__(
        self,
        session: Session,
        preferences: Preferences,
        documents: Documents,
        build_controller: BuildController,
        shell: Shell,
    ) -> None:
        super().__init__(shell.notices)
        self._session = session
        self._preferences = preferences
        self._watch = FileWatch(documents, self)
        self._notice, self._tell = shell.notices, shell.status.show_message
        session, watch = self._session, self._watch
        session.save_failed.connect(self._on_save_failed)
        session.save_works.connect(self._on_save_works)
        if session.complaint:
            self._on_save_failed(session.complaint)
        watch.reloaded.connect(self._on_reloaded)
        watch.gone.connect(self._on_gone)
        watch.uneditable.connect(self._on_uneditable)
        watch.conflicts_changed.connect(self._on_conflicts_changed)
        # Native code may take the machine down with it.
        build_controller.began.connect(session.save_changes)
        preferences.changed.connect(self._on_preference_changed)
        self._on_preference_changed(_INTERVAL)

    @Slot(str)
    def _on_preference_changed(self, key: str) -> None:
        seconds = self._preferences.value(_INTERVAL)
        if key == _INTERVAL and isinstance(seconds, int):
            self._session.set_interval(seconds)

    @Slot(str)
    def _on_save_failed(self, problem: str) -> None:
        self._notice.ask(_KEPT, problem)

    @Slot()
    def _on_save_works(self) -> None:
        self._notice.withdraw(_KEPT)
        self._tell(self.tr("Unsaved text is kept again"))

    @Slot(Document)
    def _on_reloaded(self, document: Document) -> None:
        self._tell(
            self.tr("'{name}' has changed on disk and was reloaded").format(name=document.name)
        )

    @Slot(Document)
    def _on_gone(self, document: Document) -> None:
        message = self.tr("'{path}' is no longer there. Its tab shows what was in it.")
        if document.is_modified:
            message = self.tr(
                "'{path}' is no longer there. Its tab is kept as unsaved: save it to have it back."
            )
        self._notice.show_message(message.format(path=document.path))

    @Slot(Document, ReadOnlyReason)
    def _on_uneditable(self, document: Document, reason: ReadOnlyReason) -> None:
        message = self.tr(
            "'{path}' has changed on disk, but its tab keeps the text it had. {reason}"
        )
        self._notice.show_message(message.format(path=document.path, reason=reason.value))

    @Slot(tuple)
    def _on_conflicts_changed(self, documents: tuple[Document, ...]) -> None:
        if not documents:
            self._notice.withdraw(_OUTSIDE)
            return
        message = self.tr("Changed on disk, and here there is unsaved text: {names}.")
        self._notice.ask(
            _OUTSIDE,
            message.format(names=", ".join(f"'{document.name}'" for document in documents)),
            (
                NoticeAction("reloadFiles", self.tr("Reload"), self._watch.reload),
                NoticeAction("keepMine", self.tr("Keep Mine"), self._watch.keep),
            ),
        )
