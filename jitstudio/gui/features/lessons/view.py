"""A lesson: the text with the hints, the goals reached, and the solution after that."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt, QUrl, Signal, Slot
from PySide6.QtGui import QTextCharFormat, QTextCursor, QTextDocument, QTextFormat
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from jitstudio.gui.features.lessons.answers import goal_lines
from jitstudio.gui.kit.fonts import follow_letters, scale_margins
from jitstudio.gui.kit.markdown import blocks_of, set_markdown
from jitstudio.gui.kit.parts import muted, text_label
from jitstudio.gui.kit.theme import follow_theme
from jitstudio.help.lesson_goals import Goal
from jitstudio.help.lessons import Lesson

_SHARES = (3, 1)
_MARGIN = 6
_PUNCTUATION = re.compile(r"[\\`*_<>\[\]#]")
_ESCAPED = r"\\\g<0>"


class _LessonText(QTextBrowser):
    """Markdown of any author: pictures and other files are never loaded."""

    def loadResource(self, _kind: int, _name: QUrl | str) -> Any:
        """Loads nothing."""
        return None


class LessonsView(QWidget):
    """Shows a lesson, and the results of a check.

    Signals:
        open_wanted: The user wants to work on the lesson with this place in the list.
        check_wanted: The user wants his text checked.
        checks_itself: Whether the user wants the text checked after each build.
        class_wanted: The user wants the hand-ins of a class judged.
        reset_wanted: The user wants the starting text back.
        hint_shown: So many hints of the lesson are shown now.
        command_wanted: The user has clicked on a command in the text, by its id.
    """

    open_wanted = Signal(int)
    check_wanted = Signal()
    checks_itself = Signal(bool)
    class_wanted = Signal()
    reset_wanted = Signal()
    hint_shown = Signal(int)
    command_wanted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._listed: tuple[Lesson, ...] = ()
        # The one that is worked on, and its place in the list.
        self._lesson: Lesson | None = None
        self._place = -1
        self._hints = 0
        self._passed: frozenset[str] = frozenset()
        # What is shown below the text once the lesson is passed; empty before.
        self._after = ""
        self._markdown = ""
        self._choice = QComboBox()
        self._choice.setObjectName("lessonChoice")
        self._choice.setAccessibleName(self.tr("Lesson"))
        self._choice.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self._open = self._button("openLesson", self.tr("Open"))
        self._open.setToolTip(
            self.tr("Open your copy of the lesson, which stays as you have left it")
        )
        self._text = _LessonText()
        self._text.setObjectName("lessonText")
        self._text.setAccessibleName(self.tr("Text of the lesson"))
        self._text.setOpenLinks(False)
        self._progress = muted(text_label(self, "lessonProgress"))
        self._text.document().setDocumentMargin(_MARGIN)
        self._goals = QPlainTextEdit(readOnly=True)
        self._goals.setObjectName("lessonGoals")
        self._goals.setAccessibleName(self.tr("Results of the check"))
        self._goals.setPlaceholderText(self.tr("Check shows which conditions your text meets."))
        self._goals.document().setDocumentMargin(_MARGIN)
        self._check = self._button("checkLesson", self.tr("Check"))
        self._check.setToolTip(self.tr("Save your text and check the conditions"))
        self._hint = self._button("lessonHint", self.tr("Hint"))
        self._reset = self._button("resetLesson", self.tr("Reset…"))
        self._reset.setToolTip(
            self.tr("Put the starting text back; your files are kept in another folder")
        )
        self._by_itself = QCheckBox(self.tr("Check as I build"))
        self._by_itself.setObjectName("checkAsBuilt")
        self._by_itself.setToolTip(
            self.tr("Save your text and check the conditions after each build that succeeds")
        )
        self._class = self._button("lessonClass", self.tr("Class…"))
        self._class.setToolTip(self.tr("Judge the hand-ins of a class, for teachers"))
        self._next = self._button("nextLesson", self.tr("Next"))
        self._next.setToolTip(self.tr("Open the next lesson that is not passed"))
        self._lay_out()
        self._choice.currentIndexChanged.connect(self._refresh)
        self._open.clicked.connect(lambda: self.open_wanted.emit(self._choice.currentIndex()))
        self._check.clicked.connect(self.check_wanted)
        self._by_itself.toggled.connect(self.checks_itself)
        self._class.clicked.connect(self.class_wanted)
        self._hint.clicked.connect(self._on_hint)
        self._reset.clicked.connect(self.reset_wanted)
        self._next.clicked.connect(self._on_next)
        self._text.anchorClicked.connect(self._on_link)
        # Headings and links have the colours of the theme that the text was set in.
        follow_theme(self, LessonsView._retint)

    def show_list(self, lessons: Sequence[Lesson], passed: frozenset[str]) -> None:
        """Shows all lessons, marking the passed; the chosen lesson stays."""
        chosen, self._listed = self._choice.currentIndex(), tuple(lessons)
        self._passed = passed
        titles = [lesson.title for lesson in lessons]
        done = self.tr("{number}. {title} (passed)")
        words = [done if title in passed else "{number}. {title}" for title in titles]
        self._choice.blockSignals(True)  # the text below is shown once
        self._choice.clear()
        for row, (lesson, form) in enumerate(zip(lessons, words, strict=True)):
            self._choice.addItem(form.format(number=lesson.number, title=lesson.title))
            self._choice.setItemData(row, lesson.effort, Qt.ItemDataRole.ToolTipRole)
        count = sum(title in passed for title in titles)
        progress = self.tr("{count} of {total} passed")
        self._progress.setText(progress.format(count=count, total=len(titles)))
        if chosen < 0:
            opened = self._lesson.title if self._lesson else ""
            left = (at for at, title in enumerate(titles) if title not in passed)
            self._place = chosen = titles.index(opened) if opened in titles else next(left, 0)
        self._choice.setCurrentIndex(chosen)
        self._choice.blockSignals(False)
        self._refresh()

    def show_lesson(self, lesson: Lesson | None, place: int, hints: int = 0) -> None:
        """Shows the lesson that is open; None for none.

        Args:
            lesson: Which.
            place: Its place in the list; less than 0 where it is not in it.
            hints: How many hints of it were shown before.
        """
        self._lesson, self._hints, self._after = lesson, hints, ""
        if place >= 0:
            self._choice.setCurrentIndex(place)
        self._place = self._choice.currentIndex()
        self._goals.clear()
        self._refresh()

    def show_checks_itself(self, by_itself: bool) -> None:
        """Shows whether the text is checked after each build."""
        self._by_itself.setChecked(by_itself)

    def show_checking(self, *, by_itself: bool = False) -> None:
        """Shows that a check is under way; without a click, the last results stay."""
        if self._check.hasFocus():
            # A button that is disabled hands the keyboard on, here to the one that shows a hint.
            self._goals.setFocus()
        self._check.setEnabled(False)
        if not by_itself:
            self._goals.setPlainText(self.tr("Checking…"))

    def show_goals(
        self, goals: Sequence[Goal], obstacles: Sequence[str], summary: str, origin: str
    ) -> None:
        """Shows the goals as checked.

        Args:
            goals: The goals, reached or not.
            obstacles: What is in the way of goals, a sentence or more each.
            summary: A sentence on all goals.
            origin: Which conditions count, a sentence.
        """
        self.show_problem("\n".join((summary, *goal_lines(goals, obstacles), "", origin)))

    def show_passed(self, changes: Sequence[str], explained: str) -> None:
        """Shows below the text the figures before and after the change, and the solution.

        Args:
            changes: A line for each figure, with its values before and after.
            explained: Markdown; empty where the lesson has no solution.
        """
        heading = self.tr("Before → after")
        # What the lines quote, such as `LDG.*`, is no Markdown.
        rows = "\n".join(f"- {_PUNCTUATION.sub(_ESCAPED, change)}" for change in changes)
        before = f"## {heading}\n\n{rows}" if changes else ""
        self._after = "\n\n".join(filter(None, (before, explained)))
        self._refresh()
        if self._after and self._preview is None:
            first = heading if changes else explained.partition("\n")[0].lstrip("# ")
            self._text.moveCursor(QTextCursor.MoveOperation.End)
            self._text.find(first, QTextDocument.FindFlag.FindBackward)
            cursor = self._text.textCursor()
            cursor.clearSelection()
            self._text.setTextCursor(cursor)
            bar = self._text.verticalScrollBar()
            bar.setValue(bar.value() + self._text.cursorRect().top() - _MARGIN)

    def show_problem(self, text: str) -> None:
        """Shows why nothing could be checked, or the result of a check."""
        self._goals.setPlainText(text)
        self._enable()

    def _lay_out(self) -> None:
        first, second, last = QHBoxLayout(), QHBoxLayout(), QHBoxLayout()
        first.addWidget(self._choice, 1)
        first.addWidget(self._open)
        for button in (self._check, self._hint):
            last.addWidget(button)
        last.addStretch(1)
        last.addWidget(self._reset)
        second.addWidget(self._progress, 1)
        second.addWidget(self._class)
        second.addWidget(self._next)
        parts = QSplitter(Qt.Orientation.Vertical, childrenCollapsible=False)
        parts.addWidget(self._text)
        parts.addWidget(self._goals)
        for place, share in enumerate(_SHARES):
            parts.setStretchFactor(place, share)
        column = QVBoxLayout(self)
        column.setContentsMargins(_MARGIN, _MARGIN, _MARGIN, _MARGIN)
        column.addLayout(first)
        column.addLayout(second)
        column.addWidget(parts, 1)
        # Beside the buttons it would have no room in a narrow pane.
        column.addWidget(self._by_itself)
        column.addLayout(last)
        follow_letters(self, scale_margins)

    def _button(self, name: str, text: str) -> QPushButton:
        button = QPushButton(text)
        button.setObjectName(name)
        return button

    @Slot()
    def _on_hint(self) -> None:
        self._hints += 1
        self.hint_shown.emit(self._hints)
        self._refresh()
        bar = self._text.verticalScrollBar()
        bar.setValue(bar.maximum())

    @Slot()
    def _on_next(self) -> None:
        self.open_wanted.emit(self._following)

    @Slot(QUrl)
    def _on_link(self, link: QUrl) -> None:
        if link.scheme() == "action":
            self.command_wanted.emit(link.path())

    @property
    def _following(self) -> int:
        """The place of the next lesson that is not passed; less than 0 where none is left."""
        count = len(self._listed)
        places = ((self._place + step) % count for step in range(1, count))
        left = (at for at in places if self._listed[at].title not in self._passed)
        return next(left, -1)

    @property
    def _preview(self) -> Lesson | None:
        """Returns the chosen lesson, if the user works on another."""
        at = self._choice.currentIndex()
        is_open = self._lesson is not None and at == self._place
        return self._listed[at] if 0 <= at < len(self._listed) and not is_open else None

    def _enable(self) -> None:
        lesson = self._lesson if self._preview is None else None
        self._open.setEnabled(self._choice.count() > 0)
        self._check.setEnabled(lesson is not None)
        self._hint.setEnabled(lesson is not None and self._hints < len(lesson.hints))
        self._reset.setEnabled(lesson is not None)
        self._next.setEnabled(self._following >= 0)

    @Slot()
    def _refresh(self) -> None:
        self._enable()
        preview = self._preview
        self._goals.setVisible(preview is None)
        lesson = preview or self._lesson
        hints = lesson.hints[: self._hints] if lesson and not preview else ()
        heading = self.tr("Hint")
        more = (f"\n\n## {heading}\n\n{hint}" for hint in hints)
        after = f"\n\n{self._after}" if self._after and not preview else ""
        markdown = f"{lesson.text}{''.join(more)}{after}" if lesson else ""
        # Set again, the same text would begin at its top.
        if markdown != self._markdown:
            self._markdown = markdown
            set_markdown(self._text, markdown)
            self._fit_headings()

    def _retint(self) -> None:
        bar = self._text.verticalScrollBar()
        place, self._markdown = bar.value(), ""
        self._refresh()
        bar.setValue(place)

    def _fit_headings(self) -> None:
        """Makes headings as large as in the manual: a lesson has a narrow pane."""
        for block in blocks_of(self._text.document()):
            if level := block.blockFormat().headingLevel():
                cursor = QTextCursor(block)
                cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
                smaller = QTextCharFormat()
                smaller.setProperty(QTextFormat.Property.FontSizeAdjustment, max(0, 2 - level))
                cursor.mergeCharFormat(smaller)
