"""The list of offered words, with the meaning of the chosen word."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPoint, QRect, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QLabel,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from jitstudio.gui.kit.presentation import TableColumn
from jitstudio.gui.kit.tables import RowsModel
from jitstudio.gui.kit.theme import current_theme, follow_theme
from jitstudio.listing.word import Word

_MOST_ROWS = 10
# In widths of a character.
_WIDEST_WORD, _WIDTH = 44, 84
# A signature, and help that may wrap.
_MEANING_LINES = 3
_PADDING = 6
_STYLE = """
#completionPopup {{ background: {base}; border: 1px solid {border}; }}
#completionPopup QTreeView {{ background: {base}; border: none; }}
#completionPopup QTreeView::item {{ padding: 2px 6px; }}
#completionMeaning {{ border-top: 1px solid {border}; padding: 4px 6px; color: {muted}; }}
"""


class CompletionPopup(QFrame):
    """Lies over the window of an editor; the keyboard stays with the editor.

    Signals:
        taken: This word was clicked.
    """

    taken = Signal(Word)

    def __init__(self, editor: QWidget) -> None:
        super().__init__(editor)
        self.setObjectName("completionPopup")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAutoFillBackground(True)
        self._editor = editor
        self._model: RowsModel[Word] = RowsModel(
            (
                TableColumn("", lambda word: word.text, tooltip=lambda word: word.usage),
                TableColumn("", lambda word: word.help or word.group),
            ),
            self,
        )
        self._list = self._make_list()
        self._meaning = QLabel(self, wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self._meaning.setObjectName("completionMeaning")
        self._meaning.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 1)
        column.setSpacing(0)
        column.addWidget(self._list)
        column.addWidget(self._meaning)
        self._list.clicked.connect(self._on_clicked)
        self._list.selectionModel().currentChanged.connect(self._on_current_changed)
        follow_theme(self, CompletionPopup._apply_theme)
        self.hide()

    @property
    def words(self) -> tuple[Word, ...]:
        """The words that are offered now."""
        return self._model.rows if self.isVisible() else ()

    @property
    def chosen(self) -> Word | None:
        """The chosen word, or None."""
        index = self._list.currentIndex()
        return self._model.rows[index.row()] if index.isValid() else None

    @property
    def is_at_first(self) -> bool:
        """Whether no other word than the first is chosen."""
        return self._list.currentIndex().row() < 1

    def offer(self, words: tuple[Word, ...], place: QRect, *, choose: bool) -> None:
        """Shows `words` at a place of the editor, and chooses the first if wanted."""
        self._model.set_rows(words)
        self._list.setCurrentIndex(self._model.index(0, 0) if choose else QModelIndex())
        self._list.scrollToTop()
        self._report(words[0])
        self._fit(place)
        self.show()
        self.raise_()

    def move_choice(self, rows: int) -> None:
        """Chooses the word so many rows below; from nothing on, the first or the last."""
        count, index = self._model.rowCount(), self._list.currentIndex()
        at = index.row() + rows if index.isValid() else min(rows, 0) % count
        if abs(rows) == 1:
            at %= count
        self._list.setCurrentIndex(self._model.index(min(max(at, 0), count - 1), 0))

    def _apply_theme(self) -> None:
        theme = current_theme()
        ui = theme.ui
        self.setStyleSheet(
            _STYLE.format(base=ui.base.name(), border=ui.border.name(), muted=ui.muted_text.name())
        )

    def _make_list(self) -> QTreeView:
        tree = QTreeView(self)
        tree.setObjectName("completionList")
        tree.setAccessibleName(self.tr("Words that fit"))
        tree.setModel(self._model)
        tree.setRootIsDecorated(False)
        tree.setUniformRowHeights(True)
        tree.setHeaderHidden(True)
        tree.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        tree.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        tree.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        tree.header().setStretchLastSection(True)
        tree.header().setMinimumSectionSize(0)
        tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Fixed)
        return tree

    def _report(self, word: Word) -> None:
        lines = (word.usage, word.help or word.group)
        self._meaning.setText("\n".join(filter(None, lines)))

    def _fit(self, place: QRect) -> None:
        """Resizes the list to the words, below the place or above."""
        window = self._editor.window()
        if self.parent() is not window:
            self.setParent(window)
        for part in (self._list, self._meaning):
            part.setFont(self._editor.font())
        metrics = self._editor.fontMetrics()
        character = metrics.horizontalAdvance("0")
        longest = max(len(word.text) for word in self._model.rows)
        self._list.header().resizeSection(0, min(longest, _WIDEST_WORD) * character + 3 * _PADDING)
        shown = min(self._model.rowCount(), _MOST_ROWS)
        self._list.setFixedHeight(shown * self._list.sizeHintForRow(0))
        width = min(_WIDTH * character, window.width() - 2 * _PADDING)
        # As high for all words, so that the list stays where it is.
        lines = _MEANING_LINES * metrics.lineSpacing()
        self._meaning.setFixedHeight(lines + 2 * _PADDING)
        height = self._list.height() + self._meaning.height() + 2
        below = self._editor.mapTo(window, place.bottomLeft())
        top = below.y() + 2
        if top + height > window.height():
            top = max(0, below.y() - place.height() - height)
        left = min(below.x(), window.width() - width - _PADDING)
        self.setGeometry(QRect(QPoint(max(left, 0), top), self.size()))
        self.resize(width, height)

    @Slot(QModelIndex)
    def _on_clicked(self, index: QModelIndex) -> None:
        self.taken.emit(self._model.rows[index.row()])

    @Slot(QModelIndex, QModelIndex)
    def _on_current_changed(self, current: QModelIndex, _before: QModelIndex) -> None:
        if current.isValid():
            self._report(self._model.rows[current.row()])
