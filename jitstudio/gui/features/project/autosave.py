"""Says what becomes of unsaved text, and asks what only the user can decide."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from jitstudio.gui.features.project.file_watch import FileWatch
from jitstudio.gui.shell.notice_bar import NoticeAction
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.build_controller import BuildController
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.editable import ReadOnlyReason
from jitstudio.gui.state.preferences import Preferences
from jitstudio.gui.state.session import Session

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
