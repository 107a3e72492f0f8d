"""The find bar of editors and listings, for finding and replacing, with option switches.

Works on any `Searchable`; the searching itself is in `search`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from PySide6.QtCore import QEvent, QObject, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QPalette
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QLineEdit, QToolButton, QWidget

from jitstudio.gui.code.code_view import Change, Editable, Searchable
from jitstudio.gui.code.search import Matcher, PatternError, Query, TextSearch
from jitstudio.gui.kit.command_keys import COMMAND_KEYS, follow_keys
from jitstudio.gui.kit.parts import show_icon, show_tip
from jitstudio.gui.kit.theme import current_theme, follow_theme

_FIELD_WIDTH = 260
_WIDEST_COUNT = "100,000 of 100,000+"
_FORWARD, _BACK = 1, -1


class QueryOptions(QWidget):
    """Three switches, by mouse or with Alt and a letter while the field has the keyboard.

    Signals:
        changed: One has been switched.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._line = QHBoxLayout(self)
        self._line.setContentsMargins(0, 0, 0, 0)
        self._line.setSpacing(2)
        case = self._switch(self.tr("Match case (Alt+C)"), "match-case")
        word = self._switch(self.tr("Whole words (Alt+W)"), "whole-word")
        regex = self._switch(self.tr("Regular expression (Alt+R)"), "regex")
        # In the order of the fields of a query.
        self._switches = {Qt.Key.Key_C: case, Qt.Key.Key_W: word, Qt.Key.Key_R: regex}

    def query(self, text: str) -> Query:
        """Returns the query for `text` with the present options."""
        return Query(text, *(switch.isChecked() for switch in self._switches.values()))

    def take_key(self, event: QKeyEvent) -> bool:
        """Toggles the option of Alt and a letter; returns whether there is an option."""
        switch = self._switches.get(Qt.Key(event.key()))
        if switch is None or event.modifiers() != Qt.KeyboardModifier.AltModifier:
            return False
        switch.toggle()
        return True

    def _switch(self, tip: str, icon_name: str) -> QToolButton:
        button = QToolButton(self)
        button.setCheckable(True)
        button.setToolTip(tip)
        button.setAccessibleName(tip.partition(" (")[0])
        show_icon(button, icon_name)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.toggled.connect(self.changed)
        self._line.addWidget(button)
        return button


class FindBar(QWidget):
    """Searches the target, and replaces in an editable target.

    Signals:
        closed: When the user closed the bar; the target has the keyboard again.
    """

    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._target: Searchable | None = None
        self._search: TextSearch | None = None
        # What went wrong, and what was done: both are shown instead of the count.
        self._problem = ""
        self._notice = ""
        # Which way to go as soon as the search has come far enough, and from where.
        self._wanted: int | None = None
        self._origin = (0, 0)
        self._strictly = False
        self._current: int | None = None
        self._field = self._make_field(self.tr("Find"))
        self._replacement = self._make_field(self.tr("Replace with"))
        self._make_buttons()
        self._status = QLabel(self, textFormat=Qt.TextFormat.PlainText)
        self._status.setMinimumWidth(self._status.fontMetrics().horizontalAdvance(_WIDEST_COUNT))
        self._lay_out()
        self._connect()
        follow_theme(self, FindBar._show_status)
        self.setAccessibleName(self.tr("Find and replace"))
        self.hide()

    # What a window asks for.

    @property
    def field(self) -> QLineEdit:
        """The field for the text to find."""
        return self._field

    @property
    def replacement(self) -> QLineEdit:
        """The field for the replacement."""
        return self._replacement

    @property
    def status(self) -> str:
        """The status text about the matches."""
        return self._status.text()

    def set_target(self, target: Searchable | None) -> None:
        """Searches another text; an open bar searches at once, without moving the cursor."""
        if target is self._target:
            return
        self._drop_search()
        if self._target is not None:
            self._target.set_matches({})
            self._target.search_text_changed.disconnect(self._on_target_changed)
        self._target = target
        if target is not None:
            target.search_text_changed.connect(self._on_target_changed)
        self._show_replace(self._is_editable and not self._replacement.isHidden())
        self._unfold.setVisible(self._is_editable)
        if self.isVisible():
            self._restart(go=None)

    def open_find(self, replace: bool = False) -> None:
        """Shows the bar, with the selected text to find, and gives the bar the keyboard.

        Args:
            replace: Whether to show the line for replacing too, where the target can be edited.
        """
        if self._target is None:
            return
        selected = self._target.search_selection()
        self._show_replace(self._is_editable and (replace or not self._replacement.isHidden()))
        self.show()
        if selected and selected != self._field.text():
            self._field.setText(selected)
        else:
            self._restart(go=None)
        self._field.selectAll()
        self._field.setFocus()

    @Slot()
    def close_bar(self) -> None:
        """Hides the bar and gives the keyboard to the target."""
        self._drop_search()
        self.hide()
        if self._target is not None:
            self._target.set_matches({})
            self._target.setFocus()
        self.closed.emit()

    @Slot()
    def find_next(self) -> None:
        """Goes to the next match; behind the last, to the first."""
        self._go(_FORWARD)

    @Slot()
    def find_previous(self) -> None:
        """Goes to the match before; from the first, to the last."""
        self._go(_BACK)

    @Slot()
    def replace_one(self) -> None:
        """Replaces the selected match and goes to the next; without any, goes to a match."""
        search, current = self._search, self._current
        if not self._is_editable or search is None or current is None:
            self.find_next()
            return
        changes = self._changes(search, current, current + 1)
        if not changes or self._selected_place() != (changes[0][0], changes[0][1][0]):
            self.find_next()
            return
        self._replace(changes)
        self._go(_FORWARD)

    @Slot()
    def replace_all(self) -> None:
        """Replaces all known matches, as a single step of undo."""
        search = self._search
        if not self._is_editable or search is None or not search.is_finished:
            return
        changes = self._changes(search, 0, len(search.matches))
        if not changes or not self._replace(changes):
            return
        self._notice = self.tr("Replaced {count:,}").format(count=len(changes))
        self._show_status()

    # Building the bar.

    def _make_field(self, name: str) -> QLineEdit:
        field = QLineEdit(self)
        field.setPlaceholderText(name)
        field.setAccessibleName(name)
        field.setMinimumWidth(_FIELD_WIDTH)
        field.installEventFilter(self)
        return field

    def _make_button(self, icon_name: str, tip: str, act: Callable[[], None]) -> QToolButton:
        button = QToolButton(self)
        button.setToolTip(tip)
        button.setAccessibleName(tip.partition(" (")[0])
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        if icon_name:
            show_icon(button, icon_name)
        button.clicked.connect(act)
        return button

    def _make_buttons(self) -> None:
        make = self._make_button
        self._unfold = make("chevron-right", self.tr("Show or hide replace"), self._on_unfold)
        self._options = QueryOptions(self)
        self._previous = make("chevron-up", self.tr("Previous match"), self.find_previous)
        self._next = make("chevron-down", self.tr("Next match"), self.find_next)
        _add_key(self._previous, "findPreviousAction")
        _add_key(self._next, "findNextAction")
        self._close = make("close", self.tr("Close (Esc)"), self.close_bar)
        self._replace_one = make("", self.tr("Replace this match"), self.replace_one)
        self._replace_one.setText(self.tr("Replace"))
        self._replace_all = make("", self.tr("Replace all matches"), self.replace_all)
        self._replace_all.setText(self.tr("Replace all"))

    def _lay_out(self) -> None:
        upper, lower = QHBoxLayout(), QHBoxLayout()
        for widget in (self._options, self._previous, self._next):
            upper.addWidget(widget)
        upper.addSpacing(6)
        upper.addWidget(self._status, 1)
        upper.addWidget(self._close)
        for widget in (self._replace_one, self._replace_all):
            lower.addWidget(widget)
        lower.addStretch(1)
        grid = QGridLayout(self)
        grid.setContentsMargins(6, 4, 6, 4)
        grid.setHorizontalSpacing(6)
        grid.setVerticalSpacing(4)
        for row in (upper, lower):
            row.setSpacing(2)
        grid.addWidget(self._unfold, 0, 0)
        grid.addWidget(self._field, 0, 1)
        grid.addLayout(upper, 0, 2)
        grid.addWidget(self._replacement, 1, 1)
        grid.addLayout(lower, 1, 2)
        grid.setColumnStretch(1, 2)
        grid.setColumnStretch(2, 3)
        self._show_replace(False)

    def _connect(self) -> None:
        self._field.textChanged.connect(self._on_query_changed)
        self._options.changed.connect(self._on_query_changed)

    def _show_replace(self, shown: bool) -> None:
        for widget in (self._replacement, self._replace_one, self._replace_all):
            widget.setVisible(shown)
        show_icon(self._unfold, "chevron-down" if shown else "chevron-right")

    # Keys.

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Takes Enter and Shift+Enter out of the fields; Alt and a letter switches an option."""
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self._replacement.hasFocus():
                self.replace_one()
            else:
                self._go(_BACK if shift else _FORWARD)
            return True
        return self._options.take_key(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Closes on Esc; F3 goes on, and Shift+F3 back."""
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.key() == Qt.Key.Key_Escape:
            self.close_bar()
        elif event.key() == Qt.Key.Key_F3:
            self._go(_BACK if shift else _FORWARD)
        else:
            super().keyPressEvent(event)

    # Searching.

    @property
    def _is_editable(self) -> bool:
        return hasattr(self._target, "replace_matches")

    def _drop_search(self) -> None:
        if self._search is not None:
            self._search.stop()
            self._search.deleteLater()
            self._search = None
        self._wanted = self._current = None

    def _restart(self, go: int | None, at_once: bool = True) -> None:
        """Searches anew; `go` says which way to go to a match then, or None to stay."""
        self._drop_search()
        self._problem = self._notice = ""
        if self._target is None or not self._field.text():
            if self._target is not None:
                self._target.set_matches({})
            self._show_status()
            return
        try:
            matcher = Matcher(self._options.query(self._field.text()))
        except PatternError as error:
            self._problem = str(error)
            self._target.set_matches({})
            self._show_status()
            return
        self._wanted, self._origin, self._strictly = go, self._selected_place(), False
        self._search = TextSearch(self._target, matcher, self)
        self._search.progressed.connect(self._on_progress)
        self._search.start(at_once)

    def _go(self, way: int) -> None:
        if self._target is None:
            return
        if self._search is None:
            self._restart(go=way)
            return
        self._wanted, self._origin, self._notice = way, self._selected_place(), ""
        # A bare cursor in front of a match is not on it yet.
        self._strictly = bool(self._target.search_selection())
        self._arrive()

    def _selected_place(self) -> tuple[int, int]:
        return (0, 0) if self._target is None else self._target.search_start()

    def _arrive(self) -> None:
        """Goes to the wanted match if the search has come so far, or waits."""
        search, target = self._search, self._target
        if search is None or target is None or self._wanted is None:
            self._show_status()
            return
        if self._wanted == _FORWARD:
            number = search.after(self._origin, self._strictly)
        else:
            # The last match before a place is known only when all before it is searched.
            number = search.before(self._origin) if search.has_reached(self._origin[0]) else None
        if number is None and search.is_finished and search.matches:
            number = 0 if self._wanted == _FORWARD else len(search.matches) - 1
        if number is not None:
            self._wanted, self._current = None, number
            target.show_match(*search.matches[number])
        elif search.is_finished:
            self._wanted = None
        self._show_status()

    def _changes(self, search: TextSearch, first: int, last: int) -> list[Change]:
        return search.changes(first, last, self._replacement.text())

    def _replace(self, changes: list[Change]) -> bool:
        return cast(Editable, self._target).replace_matches(changes)

    def _show_status(self) -> None:
        search, text = self._search, ""
        if self._problem or self._notice:
            text = self._problem or self._notice
        elif search is not None:
            more = "+" if search.is_capped else "" if search.is_finished else "…"
            count = f"{len(search.matches):,}{more}"
            if self._current is not None:
                text = self.tr("{at:,} of {count}").format(at=self._current + 1, count=count)
            elif search.matches or not search.is_finished:
                text = self.tr("{count} found").format(count=count)
            else:
                text = self.tr("No match")
            if search.skipped:
                text += self.tr(", too complex for {0:,} lines").format(search.skipped)
        nothing = bool(self._problem) or text == self.tr("No match")
        theme = current_theme()
        colors = self._status.palette()
        colors.setColor(
            QPalette.ColorRole.WindowText, theme.marks.error if nothing else theme.ui.muted_text
        )
        self._status.setPalette(colors)
        self._status.setText(text)
        show_tip(self._status, text)
        can_go = search is not None and bool(search.matches)
        for button in (self._previous, self._next, self._replace_one):
            button.setEnabled(can_go)
        self._replace_all.setEnabled(can_go and search is not None and search.is_finished)

    @Slot()
    def _on_unfold(self) -> None:
        self._show_replace(self._replacement.isHidden())

    @Slot()
    def _on_query_changed(self) -> None:
        self._restart(go=_FORWARD)

    @Slot()
    def _on_target_changed(self) -> None:
        if self.isVisible():
            # Not within the key press that changed it.
            self._restart(go=None, at_once=False)

    @Slot()
    def _on_progress(self) -> None:
        if self._search is not None and self._target is not None:
            self._target.set_matches(self._search.by_line)
        self._arrive()


def _add_key(button: QToolButton, command: str) -> None:
    """Adds to the tool tip of a button the key of the command that does the same."""
    what = button.toolTip()
    follow_keys(button, lambda it: it.setToolTip(COMMAND_KEYS.tip(what, command)))
