"""When the panes' content counts as not of the newest text: a single answer for all panes."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from jitstudio.core.result import BuildResult
from jitstudio.gui.state.build_controller import BuildController
from jitstudio.gui.state.build_settings import BuildSettings
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.outputs import OldOutput, Outputs

QUIET_MS = 2000
"""Milliseconds without an edit and success before the reason is given: half a line fails."""


class Staleness(QObject):
    """Watches edits and builds, and tells `Outputs` about changes that are not built yet.

    Signals:
        changed: There is another reason, or more is old.
    """

    changed = Signal()

    def __init__(
        self,
        documents: Documents,
        settings: BuildSettings,
        outputs: Outputs,
        build_controller: BuildController,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._build_controller = build_controller
        self._outputs = outputs
        self._subject = outputs.subject
        # The modules and headers, None for settings: of the build on its way, and changed since.
        self._in_build: set[str | None] = set()
        self._changes: set[str | None] = set()
        self._reason: OldOutput | None = None
        self._quiet = QTimer(self, singleShot=True, interval=QUIET_MS)
        self._quiet.timeout.connect(self._on_quiet)
        documents.edited.connect(self._on_edited)
        settings.changed.connect(self._on_settings_changed)
        build_controller.began.connect(self._on_began)
        outputs.result_changed.connect(self._on_result_changed)

    @property
    def reason(self) -> OldOutput | None:
        """The reason why results are old; None while the user types, or where none is old."""
        return self._reason

    def _change(self, what: str | None) -> None:
        is_new = what not in self._changes
        self._changes.add(what)
        self._quiet.start()
        if is_new and not self._build_controller.builds_by_itself:
            self._mark({what})
            self.changed.emit()

    def _mark(self, changes: set[str | None]) -> None:
        for name in changes:
            self._outputs.mark_edited(name)

    def _report(self, reason: OldOutput | None) -> None:
        self._reason = reason
        self.changed.emit()

    @Slot(Document)
    def _on_edited(self, document: Document) -> None:
        if not document.is_preview:
            self._change(document.name)

    @Slot()
    def _on_settings_changed(self) -> None:
        self._change(None)

    @Slot()
    def _on_began(self) -> None:
        self._in_build |= self._changes
        self._changes.clear()

    @Slot(object)
    def _on_result_changed(self, result: BuildResult | None) -> None:
        if self._outputs.subject != self._subject:
            # Another tab: no text is typed, and what is shown has been old for long.
            self._subject = self._outputs.subject
            self._report(self._outputs.old_reason)
            return
        self._in_build.clear()
        if not self._build_controller.builds_by_itself:
            self._mark(self._changes)
        if not self._outputs.old_reason:
            self._report(None)
        elif not self._quiet.isActive():
            self._quiet.start()

    @Slot()
    def _on_quiet(self) -> None:
        self._mark(self._in_build | self._changes)
        self._report(self._outputs.old_reason)
