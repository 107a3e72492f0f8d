"""Formats the current tab with clang-format, in the background, as a single step of undo."""

from __future__ import annotations

from functools import partial
from threading import Event

from PySide6.QtCore import QObject, Slot
from shiboken6 import isValid

from jitstudio.core.code import CodeKind
from jitstudio.gui.editor.code_editor import CodeEditor
from jitstudio.gui.editor.editor_tabs import EditorTabs
from jitstudio.gui.editor.edits import selected_blocks, tab_width
from jitstudio.gui.kit.background import Background
from jitstudio.gui.services.formatting import FormattingResult, Style, formatted
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.documents import Document
from jitstudio.gui.state.project import ProjectState

_KINDS = (CodeKind.CUDA, CodeKind.HEADER)


class FormattingController(QObject):
    """Formats the selected lines, or all of a text where none are selected."""

    def __init__(
        self,
        project: ProjectState,
        editors: EditorTabs,
        shell: Shell,
    ) -> None:
        super().__init__(editors)
        self._shell = shell
        self._editors = editors
        self._project = project
        self._editor: CodeEditor | None = None
        self._revision = -1
        self._is_restricted = False
        self._work = Background(self)
        self._work.done.connect(self._on_formatted)
        self._work.failed.connect(shell.notices.show_message)
        shell.actions.bind({"formatAction": self._on_wanted})

    @Slot()
    def _on_wanted(self) -> None:
        page, tell = self._editors.page, self._shell.status.show_message
        if page is None or page.editor is None:
            tell(self.tr("Sources are formatted: go to one that can be edited first"))
            return
        if page.document.kind not in _KINDS:
            message = self.tr("clang-format knows CUDA C++; {kind} stays as it is")
            tell(message.format(kind=page.document.kind.title))
            return
        editor = self._editor = page.editor
        self._revision = editor.document().revision()
        self._work.start(partial(_format, *self._wanted(page.document, editor)))
        tell(self.tr("Formatting {name}…").format(name=page.document.name))

    def _wanted(
        self, document: Document, editor: CodeEditor
    ) -> tuple[str, str, Style, int, tuple[int, int] | None]:
        cursor = editor.textCursor()
        blocks = selected_blocks(cursor)
        lines = (blocks[0].blockNumber() + 1, blocks[-1].blockNumber() + 1)
        # What others have written decides nothing before the user trusts it.
        project = self._project
        is_theirs = not project.standing.trusted and not project.keeps(document)
        self._is_restricted = is_theirs or bool(document.confined_to)
        folder = document.path.parent if document.path and not self._is_restricted else None
        style = Style(tab_width(editor.document()), folder)
        raw = editor.document().toRawText()
        selected = lines if cursor.hasSelection() else None
        return raw, document.name, style, cursor.position(), selected

    @Slot(object)
    def _on_formatted(self, result: FormattingResult) -> None:
        editor, tell = self._editor, self._shell.status.show_message
        if editor is None or not isValid(editor):
            return
        if editor.document().revision() != self._revision:
            tell(self.tr("The text has changed meanwhile: format once more"))
            return
        editor.apply_edits(result.edits, result.caret)
        if not result.edits:
            message = self.tr("Already formatted")
        elif result.style_file is not None:
            message = self.tr("Formatted as {file} says").format(file=result.style_file)
        elif self._is_restricted:
            message = self.tr(
                "Formatted in the usual style: the project's own waits for your trust"
            )
        else:
            message = self.tr("Formatted in the style of LLVM: there is no .clang-format here")
        if not result.is_complete:
            message += self.tr("; clang-format could not make sense of all")
        tell(message)


def _format(
    raw: str,
    name: str,
    style: Style,
    caret: int,
    lines: tuple[int, int] | None,
    stop: Event,
) -> FormattingResult:
    return formatted(raw.replace("\u2029", "\n"), name, style, caret, lines, stop.is_set)
