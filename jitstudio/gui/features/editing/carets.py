"""What the menu of carets does in the current editor."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal, Slot

from jitstudio.gui.editor.carets import MOST
from jitstudio.gui.editor.code_editor import CodeEditor
from jitstudio.gui.editor.editor_tabs import EditorTabs
from jitstudio.gui.shell.commands.actions import Actions


class CaretCommands(QObject):
    """Adds carets, and selects with them.

    Signals:
        reported: What came of it that cannot be seen.
    """

    reported = Signal(str)

    def __init__(self, tabs: EditorTabs, actions: Actions) -> None:
        super().__init__(tabs)
        self._tabs = tabs
        actions.bind(
            {
                "selectNextAction": self.select_next,
                "selectOccurrencesAction": self.select_all,
                "caretAboveAction": self._do(lambda editor: editor.carets.add_line(down=False)),
                "caretBelowAction": self._do(lambda editor: editor.carets.add_line(down=True)),
                "columnUpAction": self._do(lambda editor: editor.columns.extend(-1, 0)),
                "columnDownAction": self._do(lambda editor: editor.columns.extend(1, 0)),
                "columnLeftAction": self._do(lambda editor: editor.columns.extend(0, -1)),
                "columnRightAction": self._do(lambda editor: editor.columns.extend(0, 1)),
            }
        )

    @Slot()
    def select_next(self) -> None:
        """Selects what is next of the text that is selected."""
        editor = self._editor()
        if editor is not None and not editor.carets.select_next():
            self._report_missing(editor)

    @Slot()
    def select_all(self) -> None:
        """Selects all places of the text that is selected."""
        editor = self._editor()
        if editor is None:
            return
        if not editor.carets.select_all():
            message = self.tr("There are more places than the {count:,} carets that can be")
            self.reported.emit(message.format(count=MOST))
        elif editor.carets.is_many:
            self.reported.emit(self.tr("{count:,} carets").format(count=editor.carets.count))
        else:
            self._report_missing(editor)

    def _report_missing(self, editor: CodeEditor) -> None:
        if not editor.textCursor().hasSelection():
            self.reported.emit(self.tr("There is no word at the cursor"))
        elif editor.carets.count >= MOST:
            self.reported.emit(self.tr("There can be {count:,} carets").format(count=MOST))
        else:
            self.reported.emit(self.tr("There is no other place of what is selected"))

    def _editor(self) -> CodeEditor | None:
        return self._tabs.page.editor if self._tabs.page is not None else None

    def _do(self, act: Callable[[CodeEditor], None]) -> Callable[[], None]:
        def do() -> None:
            editor = self._editor()
            if editor is not None:
                act(editor)

        return do
