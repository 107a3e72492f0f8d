"""The switches of a search: capitals, whole words, regular expression."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from jitstudio.gui.code.search import Query
from jitstudio.gui.kit.icons import icon
from jitstudio.gui.kit.theme import Theme


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
        case = self._switch(self.tr("Match case (Alt+C)"))
        word = self._switch(self.tr("Whole words (Alt+W)"))
        regex = self._switch(self.tr("Regular expression (Alt+R)"))
        # In the order of the fields of a query.
        self._switches = {Qt.Key.Key_C: case, Qt.Key.Key_W: word, Qt.Key.Key_R: regex}
        self._icons = {case: "match-case", word: "whole-word", regex: "regex"}

    def query(self, text: str) -> Query:
        """What to search for, switched as it is."""
        return Query(text, *(switch.isChecked() for switch in self._switches.values()))

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        for switch, name in self._icons.items():
            switch.setIcon(icon(name, theme.ui.text, theme.ui.disabled_text))

    def take_key(self, event: QKeyEvent) -> bool:
        """Switch what Alt and a letter mean; whether they mean anything."""
        switch = self._switches.get(Qt.Key(event.key()))
        if switch is None or event.modifiers() != Qt.KeyboardModifier.AltModifier:
            return False
        switch.toggle()
        return True

    def _switch(self, tip: str) -> QToolButton:
        button = QToolButton(self)
        button.setCheckable(True)
        button.setToolTip(tip)
        button.setAccessibleName(tip.partition(" (")[0])
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.toggled.connect(self.changed)
        self._line.addWidget(button)
        return button
