"""Completes the option at the cursor of a text field, and shows the option's help."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QRect, Slot
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QCompleter, QHeaderView, QLineEdit, QTreeView

from jitstudio.core.options.parsing import OPTIONS, addressed, find, read, split_options
from jitstudio.core.options.spec import OptionSpec, ValueKind
from jitstudio.gui.kit.fonts import code_font
from jitstudio.gui.kit.presentation import plain_tooltip

_WORDS_OF_TRUTH = ("true", "false")


@dataclass(frozen=True)
class Suggestion:
    """A word to offer.

    Attributes:
        word: The completed word.
        help: The meaning of the word.
    """

    word: str
    help: str


def suggestions(word: str) -> tuple[Suggestion, ...]:
    """Returns the options, or the values after `=`, that a word could become.

    The word may be addressed to a tool, as in ``nvjitlink:-l``; then that tool's are offered.
    """
    tool, typed = addressed(word)
    if not typed.startswith("-"):
        return ()
    address = word[: len(word) - len(typed)]
    return tuple(
        Suggestion(address + text, f"{spec.name}: {spec.help}")
        for text, spec in (_values(typed) if "=" in typed else _flags())
        if text.startswith(typed) and text != typed and (tool is None or tool in spec.spellings)
    )


def is_half_typed(text: str, cursor: int) -> bool:
    """Whether the word at the cursor is not yet a complete option, with value, of the table.

    One that the table does not know is typed to its end once a blank follows it.
    """
    typed = text[:cursor] + text[cursor:].partition(" ")[0]
    try:
        options = read(split_options(typed))
    except ValueError:
        return True  # a quote is open
    if not options:
        return False
    last = options[-1]
    if last.spec is None:
        return not typed[-1:].isspace()
    return not (last.spec.accepts(last.value) and last.value != "")


def _flags() -> Iterator[tuple[str, OptionSpec]]:
    for spec in OPTIONS:
        if not spec.managed:
            for flag in sorted(spec.flags):
                yield f"{flag}=" if spec.takes_value and not spec.glued else flag, spec


def _values(typed: str) -> Iterator[tuple[str, OptionSpec]]:
    spec, _ = find(typed)
    if spec is None:
        return
    flag = typed.partition("=")[0]
    words = _WORDS_OF_TRUTH if spec.value.kind is ValueKind.TRUTH else spec.value.choices
    for value in words:
        yield f"{flag}={value}", spec


_CODE_SIZE = 9.5
_MOST_ROWS = 12
_WIDEST = 110


def attach(line_edit: QLineEdit) -> OptionCompleter:
    """Completes options while the user types into a field."""
    return OptionCompleter(line_edit)


class OptionCompleter(QObject):
    """Offers completions of the word at the cursor, and inserts the chosen completion."""

    def __init__(self, line_edit: QLineEdit) -> None:
        super().__init__(line_edit)
        self._edit = line_edit
        self._offered = QStandardItemModel(0, 2, self)
        self._completer = QCompleter(self._offered, self)
        self._completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self._completer.setMaxVisibleItems(_MOST_ROWS)
        # Set as the field's own completer, it would replace all that was typed.
        self._completer.setWidget(line_edit)
        self._popup = self._make_popup()
        self._completer.setPopup(self._popup)
        self._popup.installEventFilter(self)
        self._completer.activated.connect(self._on_activated)
        line_edit.textEdited.connect(self._on_edited)

    @property
    def popup(self) -> QTreeView:
        """The list of completions."""
        return self._popup

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Ends the editing with the list if the keyboard has gone meanwhile.

        A completer keeps from its field that it has lost the keyboard, as long as it offers things.
        """
        if event.type() == QEvent.Type.Hide and not self._edit.hasFocus():
            self._edit.editingFinished.emit()
        return super().eventFilter(watched, event)

    def _make_popup(self) -> QTreeView:
        popup = QTreeView()
        popup.setAccessibleName(self.tr("Options that fit"))
        popup.setStyleSheet("QTreeView::item { padding: 2px 5px; }")
        popup.setRootIsDecorated(False)
        popup.setUniformRowHeights(True)
        popup.setHeaderHidden(True)
        popup.header().setStretchLastSection(True)
        popup.header().setMinimumSectionSize(0)
        return popup

    def _word(self) -> tuple[int, int]:
        """Returns where the word at the cursor begins, and where the cursor is."""
        end = self._edit.cursorPosition()
        return self._edit.text().rfind(" ", 0, end) + 1, end

    @Slot()
    def _on_edited(self) -> None:
        begin, end = self._word()
        offers = suggestions(self._edit.text()[begin:end])
        if not offers:
            self._popup.hide()
            return
        self._offered.setRowCount(0)
        for offer in offers:
            word, meaning = QStandardItem(offer.word), QStandardItem(offer.help)
            word.setFont(code_font(_CODE_SIZE))
            meaning.setForeground(self._popup.palette().placeholderText())
            meaning.setToolTip(plain_tooltip(offer.help))
            self._offered.appendRow([word, meaning])
        self._popup.header().setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        self._completer.complete(self._place(begin))

    def _place(self, begin: int) -> QRect:
        """Returns the place of the list: below the word, as wide as the words and some help."""
        edit = self._edit
        left = edit.fontMetrics().horizontalAdvance(edit.text()[:begin])
        character = edit.fontMetrics().horizontalAdvance("0")
        left = min(left, max(0, edit.width() - _WIDEST * character // 2))
        return QRect(left, 0, min(_WIDEST * character, edit.window().width()), edit.height())

    @Slot(str)
    def _on_activated(self, word: str) -> None:
        begin, end = self._word()
        text = self._edit.text()
        rest = text[end:]
        tail = rest[len(rest.partition(" ")[0]) :]
        # Inserted rather than set, so that it is an edit of the user's, to be undone and built.
        self._edit.setSelection(begin, len(text) - len(tail) - begin)
        self._edit.insert(word)
        self._edit.textEdited.emit(self._edit.text())
