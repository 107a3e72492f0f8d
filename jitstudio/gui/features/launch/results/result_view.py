"""The Result pane: the outcome of a launch, and all facts besides the times.

Knows no editor: it reports a place by `location_activated`.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from jitstudio.core.launch.result import CheckResult, LaunchOutcome, LaunchResult, Mismatch
from jitstudio.gui.features.launch.models.launch_text import (
    LaunchNote,
    check_figures,
    headline,
    headline_mark,
    mismatch_columns,
    note_columns,
    notes_of,
)
from jitstudio.gui.kit.fonts import show_bold
from jitstudio.gui.kit.icons import icon
from jitstudio.gui.kit.launch_figures import facts_text
from jitstudio.gui.kit.parts import TurningSplitter, muted, text_label
from jitstudio.gui.kit.rows_table import RowsTable
from jitstudio.gui.kit.theme import current_theme, follow_theme
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP


class CheckDetails(QWidget):
    """Figures above a table of mismatches; the table is there where there are any."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("checkDetails")
        self._figures = text_label(self, "checkFigures")
        self._first = text_label(self, "checkFirst")
        muted(self._first)
        self._table = RowsTable(
            self.tr("Elements that are wrong"),
            "mismatchTable",
            mismatch_columns(),
            self,
            is_sortable=False,
        )
        self._table.set_columns(stretched=2, widths={0: 11})
        # They are compared with each other: neither may take the room of the other.
        self._table.horizontalHeader().setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        self._table.add_copying()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 0)
        column.setSpacing(4)
        for label in (self._figures, self._first):
            label.setContentsMargins(12, 0, 12, 0)
            column.addWidget(label)
        column.addWidget(self._table, 1)
        column.addStretch()
        self.setBackgroundRole(self.palette().ColorRole.Base)
        self.setAutoFillBackground(True)

    @property
    def figures(self) -> str:
        """The size of the differences."""
        return self._figures.text()

    @property
    def table(self) -> RowsTable[Mismatch]:
        """The first elements that are wrong."""
        return self._table

    def show_check(self, check: CheckResult) -> None:
        """Shows another check."""
        self._figures.setText(check_figures(check))
        self._table.set_rows(check.mismatches)
        count = len(check.mismatches)
        self._table.setVisible(bool(count))
        self._first.setVisible(0 < count < check.wrong)
        self._first.setText(self.tr("The first {count:,} of them:").format(count=count))


_ICON_SIDE = 20
_WORDS = {
    "success": QT_TRANSLATE_NOOP("ResultHeadline", "good"),
    "error": QT_TRANSLATE_NOOP("ResultHeadline", "error"),
    "warning": QT_TRANSLATE_NOOP("ResultHeadline", "warning"),
    "info": QT_TRANSLATE_NOOP("ResultHeadline", "remark"),
}


class ResultHeadline(QWidget):
    """An icon, a sentence, and a line of facts."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._mark = "info"
        self._icon = QLabel(self)
        self._icon.setObjectName("resultMark")
        self._icon.setFixedSize(_ICON_SIDE, _ICON_SIDE)
        self._text = text_label(self, "resultHeadline")
        show_bold(self._text)
        self._facts = text_label(self, "resultFacts")
        muted(self._facts)
        for label in (self._text, self._facts):
            label.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse
                | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
        grid = QGridLayout(self)
        grid.setContentsMargins(12, 9, 12, 9)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(3)
        grid.addWidget(self._icon, 0, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(self._text, 0, 1)
        grid.addWidget(self._facts, 1, 1)
        grid.setColumnStretch(1, 1)
        follow_theme(self, ResultHeadline._draw)

    @property
    def mark(self) -> str:
        """The mark shown."""
        return self._mark

    @property
    def text(self) -> str:
        """The sentence shown."""
        return self._text.text()

    @property
    def facts(self) -> str:
        """The facts shown."""
        return self._facts.text()

    def say(self, mark: str, text: str, facts: str = "") -> None:
        """Shows a headline, with a mark that is a field of `theme.MarkColors`."""
        self._mark = mark
        self._text.setText(text)
        word = self.tr(_WORDS[mark])
        self._text.setAccessibleName(f"{word}: {text}")
        self._icon.setAccessibleName(word)
        self._facts.setText(facts)
        self._facts.setVisible(bool(facts))
        self._draw()

    def _draw(self) -> None:
        drawn = icon(self._mark, getattr(current_theme().marks, self._mark))
        self._icon.setPixmap(drawn.pixmap(_ICON_SIDE, _ICON_SIDE))


# From this ratio of width to height on, the details are next to the list.
_WIDE = 2.0
_MARGIN = 8


class ResultView(QWidget):
    """A headline, a list of notes, and the explanation of the chosen note.

    Signals:
        location_activated: The user went to a place in the source: file, line; 0 where unknown.
        step_requested: The user wants to step through a simulated thread: a `ThreadPlace`.
    """

    location_activated = Signal(str, int)
    step_requested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("resultView")
        self._result: LaunchResult | None = None
        self._headline = ResultHeadline(self)
        self._table = self._make_table()
        self._explanation = QPlainTextEdit(self, readOnly=True)
        self._explanation.setObjectName("noteExplanation")
        self._explanation.setAccessibleName(self.tr("Explanation"))
        self._explanation.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self._explanation.setTabChangesFocus(True)
        self._explanation.document().setDocumentMargin(_MARGIN)
        self._step = QPushButton(self.tr("&Step there"), self)
        self._step.setObjectName("stepThere")
        self._step.setToolTip(
            self.tr("Run the kernel in the simulator up to here, and look at this thread")
        )
        self._step.clicked.connect(self._on_step_wanted)
        self._note = self._make_note()
        self._check = CheckDetails(self)
        self._details = QStackedWidget(self)
        self._details.addWidget(self._note)
        self._details.addWidget(self._check)
        self._splitter = TurningSplitter(self._table, self._details, (12, 8), _WIDE, self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._headline)
        column.addWidget(self._splitter, 1)
        self.setFocusProxy(self._table)
        self.show_result(None)

    @property
    def headline(self) -> ResultHeadline:
        """The outcome of the launch."""
        return self._headline

    @property
    def table(self) -> RowsTable[LaunchNote]:
        """The notes."""
        return self._table

    @property
    def notes(self) -> tuple[LaunchNote, ...]:
        """The listed notes."""
        return self._table.rows

    @property
    def check(self) -> CheckDetails:
        """The chosen check in full."""
        return self._check

    @property
    def explanation(self) -> str:
        """The explanation of the chosen note; empty while a check is shown."""
        is_shown = self._details.currentWidget() is self._note
        return self._explanation.toPlainText() if is_shown else ""

    @Slot(object)
    def show_result(self, result: LaunchResult | None) -> None:
        """Shows the result of a launch; None before the first."""
        self._result = result
        notes = notes_of(result) if result else ()
        if result is None:
            self._headline.say("info", self.tr("Nothing has been run yet."))
        else:
            name = f"{result.kernel}: " if result.kernel else ""
            said = headline(result)
            self._headline.say(headline_mark(result), f"{name}{said}", facts_text(result))
        self._table.set_rows(notes)
        self._table.set_hint(self._empty_hint())
        self._details.setVisible(bool(notes))
        if notes:
            self._table.selectRow(0)
            self._show_note(notes[0])

    def choose_check(self) -> None:
        """Goes to the first check, which is one that has failed where any has."""
        checks = (at for at, note in enumerate(self.notes) if note.check is not None)
        if (first := next(checks, None)) is not None:
            self._table.selectRow(first)

    def _empty_hint(self) -> str:
        if self._result is None:
            return self.tr(
                "Choose a kernel, fill in its arguments and run it.\n"
                "How it ended, what the checks found and writes out of bounds are listed here."
            )
        if self._result.outcome is LaunchOutcome.MISSING:
            return self.tr("What can be done without a GPU is listed where one is chosen.")
        return self.tr(
            "There is nothing to look at.\n"
            "Write what a buffer should hold, such as “out = a * x + y”, to have it checked."
        )

    @Slot(str)
    def show_progress(self, doing: str) -> None:
        """Shows the progress of the running launch."""
        self._headline.say("info", self.tr("Running: {doing}…").format(doing=doing))
        self._table.set_rows(())
        self._table.set_hint(self.tr("The launch is running."))
        self._details.hide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Puts the details next to the list in a wide dock, below the list in a high dock."""
        super().resizeEvent(event)
        self._splitter.fit(event.size())

    def _make_table(self) -> RowsTable[LaunchNote]:
        name = self.tr("Results of the launch")
        table = RowsTable(name, "resultTable", note_columns(), self, is_sortable=False)
        table.set_columns(stretched=0, widths={1: 12, 2: 16})
        table.hide_when_narrow(1, least=60)
        table.selectionModel().currentRowChanged.connect(self._on_row_changed)
        table.add_activation(self.tr("&Go to source"), self._go_to_source)
        self._step_there = table.add_command(
            self.tr("&Step there"), self._on_step_wanted, "Ctrl+Return"
        )
        table.add_row_command(self.tr("&Copy"), _copy, "Ctrl+C")
        return table

    def _make_note(self) -> QWidget:
        page = QWidget(self)
        page.setBackgroundRole(self.palette().ColorRole.Base)
        page.setAutoFillBackground(True)
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._explanation, 1)
        row = QHBoxLayout()
        row.setContentsMargins(_MARGIN, 0, _MARGIN, _MARGIN)
        row.addWidget(self._step)
        row.addStretch(1)
        column.addLayout(row)
        return page

    def _show_note(self, note: LaunchNote) -> None:
        if note.check is not None:
            self._check.show_check(note.check)
            self._details.setCurrentWidget(self._check)
        else:
            # The row cuts a long message off; here it is whole.
            parts = (note.text, note.explanation)
            self._explanation.setPlainText("\n\n".join(part for part in parts if part))
            self._step.setVisible(note.thread is not None)
            self._step_there.setVisible(note.thread is not None)
            self._details.setCurrentWidget(self._note)

    @Slot()
    def _on_row_changed(self) -> None:
        if (note := self._table.current) is not None:
            self._show_note(note)

    def _go_to_source(self, note: LaunchNote) -> None:
        if note.file:
            self.location_activated.emit(note.file, note.line)

    @Slot()
    def _on_step_wanted(self) -> None:
        note = self._table.current
        if note is not None and note.thread is not None:
            self.step_requested.emit(note.thread)


def _copy(note: LaunchNote) -> None:
    """Puts a note on the clipboard, with the explanation."""
    parts = (f"{note.place}: {note.text}" if note.place else note.text, note.explanation)
    QGuiApplication.clipboard().setText("\n".join(part for part in parts if part))
