"""The hand-ins of a class: a table of pupils and goals."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import (
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from jitstudio.gui.features.lessons.answers import MARKS, JudgedPupil, goal_lines
from jitstudio.gui.features.lessons.class_run import ClassRun
from jitstudio.gui.kit.dialogs import Dialogs
from jitstudio.gui.kit.fonts import fit_dialog, follow_letters, scale_margins
from jitstudio.gui.kit.parts import explain_by, text_label
from jitstudio.gui.kit.presentation import TableColumn
from jitstudio.gui.kit.rows_table import RowsTable
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP

_SIZE = (760, 560)
_SHARES = (300, 200)
_NOTHING = "\N{EN DASH}"
_COLUMNS: tuple[TableColumn[JudgedPupil], ...] = (
    TableColumn(QT_TRANSLATE_NOOP("Columns", "Pupil"), lambda row: row.pupil),
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "Lesson"), lambda row: row.title or row.problem or _NOTHING
    ),
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "Passed"),
        lambda row: "✓" if row.passed else "✗",
        sort_key=lambda row: row.passed,
    ),
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "Reached"),
        lambda row: f"{row.reached} / {len(row.due)}" if row.goals else _NOTHING,
        sort_key=lambda row: row.reached / max(len(row.due), 1),
        number=True,
    ),
)
_STRETCHED = 1
_WIDTHS = {0: 18, 2: 8, 3: 9}
_GOAL_WIDTH = 4


def _goal_column(place: int) -> TableColumn[JudgedPupil]:
    """Returns the column of a goal, whose title is the number."""

    def mark(row: JudgedPupil) -> str:
        return MARKS[row.goals[place].state] if place < len(row.goals) else _NOTHING

    def meaning(row: JudgedPupil) -> str:
        return "\n".join(goal_lines(row.goals[place : place + 1], ()))

    return TableColumn(str(place + 1), mark, tooltip=meaning)


class ClassDialog(QDialog):
    """A folder with a folder for each pupil, and their goals as they are judged."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("classDialog")
        self.setWindowTitle(self.tr("Class"))
        self.setWindowFlag(Qt.WindowType.WindowMaximizeButtonHint)
        explain_by(self, "lessons")
        self._dialogs = Dialogs(self)
        self._folder: Path | None = None
        self._teacher: Path | None = None
        self._pupils: tuple[JudgedPupil, ...] = ()
        self._problem = ""
        self._run = ClassRun(self)
        self._place = text_label(self, "classFolder")
        self._by = text_label(self, "classTeacher")
        self._state = text_label(self, "classState")
        self._choose = self._button("chooseClass", self.tr("&Folder…"))
        self._choose.setToolTip(self.tr("Choose the folder that has one folder for each pupil"))
        self._choose_teacher = self._button("chooseTeacher", self.tr("&Teacher's lesson…"))
        self._choose_teacher.setToolTip(
            self.tr("Judge all by the conditions, target and launch of a lesson of your own")
        )
        self._stop = self._button("stopClass", self.tr("Stop"))
        self._copy = self._button("copyClass", self.tr("&Copy table"))
        self._close = self._button("closeClass", self.tr("Close"))
        self._goals = QPlainTextEdit(readOnly=True)
        self._goals.setObjectName("classGoals")
        self._goals.setAccessibleName(self.tr("Goals of the pupil"))
        self._table = self._new_table(0)
        self._parts = QSplitter(Qt.Orientation.Vertical, childrenCollapsible=False)
        self._parts.addWidget(self._table)
        self._parts.addWidget(self._goals)
        self._share_space()
        self._parts.setSizes(_SHARES)
        self._lay_out()
        self._run.judged.connect(self._on_judged)
        self._run.ended.connect(self._on_ended)
        self._choose.clicked.connect(self.ask)
        self._choose_teacher.clicked.connect(self._on_choose_teacher)
        self._stop.clicked.connect(lambda: self._run.stop())
        self._copy.clicked.connect(lambda: self._table.copy())
        self._close.clicked.connect(self.reject)
        self._show_state()

    @Slot()
    def ask(self) -> None:
        """Asks for a folder, and judges the hand-ins in there; not while others are judged."""
        if self._run.is_running:
            return
        folder = self._dialogs.folder_of_class(str(self._folder or Path.home()))
        if folder is not None:
            self._folder = folder
            self._begin()

    def done(self, result: int) -> None:
        """Closes; nobody waits for the rest of the class any more."""
        self._run.stop()
        super().done(result)

    def _lay_out(self) -> None:
        top = QGridLayout()
        for row, pair in enumerate(((self._place, self._choose), (self._by, self._choose_teacher))):
            for column, part in enumerate(pair):
                top.addWidget(part, row, column)
        top.setColumnStretch(0, 1)
        buttons = QHBoxLayout()
        buttons.addWidget(self._stop)
        buttons.addStretch(1)
        buttons.addWidget(self._copy)
        buttons.addWidget(self._close)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 14)
        layout.setSpacing(10)
        layout.addLayout(top)
        layout.addWidget(self._parts, 1)
        layout.addWidget(self._state)
        layout.addLayout(buttons)
        follow_letters(self, scale_margins)
        fit_dialog(self, _SIZE)

    def _share_space(self) -> None:
        for place, share in enumerate(_SHARES):
            self._parts.setStretchFactor(place, share)

    def _button(self, name: str, text: str) -> QPushButton:
        button = QPushButton(text)
        button.setAutoDefault(False)
        button.setObjectName(name)
        return button

    def _new_table(self, goals: int) -> RowsTable[JudgedPupil]:
        """Returns a table with columns for so many goals."""
        columns = (*_COLUMNS, *map(_goal_column, range(goals)))
        table = RowsTable(self.tr("Class"), "classTable", columns, self)
        narrow = dict.fromkeys(range(len(_COLUMNS), len(columns)), _GOAL_WIDTH)
        table.set_columns(_STRETCHED, _WIDTHS | narrow)
        table.set_hint(self.tr("Each pupil has a row here once the hand-in is judged."))
        table.add_copying()
        table.selectionModel().currentRowChanged.connect(self._show_goals)
        return table

    def _begin(self) -> None:
        assert self._folder is not None
        self._pupils, self._problem = (), ""
        self._run.start(self._folder, self._teacher)
        self._show_pupils()
        self._show_state()

    @Slot()
    def _on_choose_teacher(self) -> None:
        folder = self._dialogs.folder_of_lesson(str(self._teacher or self._folder or Path.home()))
        if folder is None:
            return
        self._teacher = folder
        if self._folder is not None:
            self._begin()
        self._show_state()

    @Slot(JudgedPupil)
    def _on_judged(self, pupil: JudgedPupil) -> None:
        self._pupils += (pupil,)
        self._show_pupils()
        self._show_state()

    @Slot(str)
    def _on_ended(self, problem: str) -> None:
        self._problem = problem
        self._show_state()

    def _show_pupils(self) -> None:
        goals = max((len(pupil.goals) for pupil in self._pupils), default=0)
        chosen = self._table.current
        if self._table.model().columnCount() != len(_COLUMNS) + goals:
            old, self._table = self._table, self._new_table(goals)
            self._parts.replaceWidget(0, self._table)
            old.deleteLater()
            self._share_space()
        self._table.set_rows(self._pupils)
        if self._pupils:
            self._table.choose(self._pupils.index(chosen) if chosen in self._pupils else 0)
        self._show_goals()

    @Slot()
    def _show_goals(self) -> None:
        pupil = self._table.current
        lines = goal_lines(pupil.goals, pupil.obstacles, is_numbered=True) if pupil else ()
        head = (pupil.pupil, pupil.problem) if pupil else ()
        self._goals.setPlainText("\n".join(filter(None, (*head, *lines))))

    def _show_state(self) -> None:
        is_running = self._run.is_running
        self._place.setText(
            str(self._folder) if self._folder else self.tr("A folder for each pupil's hand-in")
        )
        ours = self.tr("Judged by jitstudio's lesson of the same title")
        by = self.tr("Judged by {folder}").format(folder=self._teacher)
        self._by.setText(by if self._teacher else ours)
        for button in (self._choose, self._choose_teacher):
            button.setEnabled(not is_running)
        self._stop.setEnabled(is_running)
        self._copy.setEnabled(bool(self._pupils))
        self._state.setText(self._result(is_running=is_running))

    def _result(self, *, is_running: bool) -> str:
        """Returns how many have passed, why no more are judged, and by whose conditions."""
        if self._folder is None or (self._problem and not self._pupils):
            return self._problem
        if is_running:
            form = self.tr("Judging… {passed} of {count} have passed so far.")
        elif self._problem:
            form = self.tr("{problem} {passed} of the {count} judged have passed.")
        elif self._run.was_stopped:
            form = self.tr("Stopped. {passed} of the {count} judged have passed.")
        else:
            form = self.tr("{passed} of {count} pupils have passed.")
        passed = sum(pupil.passed for pupil in self._pupils)
        text = form.format(problem=self._problem, passed=passed, count=len(self._pupils))
        if own := [pupil.pupil for pupil in self._pupils if pupil.by_own]:
            warning = self.tr(
                "Judged by the conditions in their own folders, which they may have changed: "
                "{names}. Choose the teacher's lesson."
            )
            text = f"{text} {warning.format(names=', '.join(own))}"
        return text
