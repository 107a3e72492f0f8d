"""The commands of a window as actions, made from the table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from jitstudio.gui.commands.table import ACTIONS, ActionSpec
from jitstudio.gui.icons import icon
from jitstudio.gui.theme import Theme


class Actions(QObject):
    """The table's rows as `QAction`s; whoever carries a command out binds it."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._actions = {spec.id: _make(spec, window) for spec in ACTIONS}
        self._bound: set[str] = set()

    def __getitem__(self, name: str) -> QAction:
        """The action with this object name."""
        return self._actions[name]

    def bind(self, slots: Mapping[str, Callable[..., object]]) -> None:
        """Say what commands do: a switch calls its slot with its state, others with nothing.

        Raises:
            ValueError: One of them does something already.
        """
        for name, slot in slots.items():
            if name in self._bound:
                raise ValueError(f"{name} is bound twice")
            self._bound.add(name)
            action = self._actions[name]
            (action.toggled if action.isCheckable() else action.triggered).connect(slot)

    @property
    def unbound(self) -> frozenset[str]:
        """The commands that do nothing yet."""
        return frozenset(self._actions) - self._bound

    def of_menu(self, menu: str) -> Iterator[tuple[ActionSpec, QAction]]:
        """The actions of one menu, in order."""
        return ((spec, self._actions[spec.id]) for spec in ACTIONS if spec.menu == menu)

    def set_theme(self, theme: Theme) -> None:
        """Draw the icons in the theme's colours."""
        for spec in ACTIONS:
            if spec.icon:
                self._actions[spec.id].setIcon(icon(spec.icon, theme.ui.text))


def _make(spec: ActionSpec, window: QWidget) -> QAction:
    action = QAction(spec.text, window, checkable=spec.checkable)
    action.setObjectName(spec.id)
    action.setShortcuts([QKeySequence(key) for key in spec.keys])
    plain = spec.text.replace("&", "").rstrip("…")
    first = f" ({QKeySequence(spec.keys[0]).toString()})" if spec.keys else ""
    action.setToolTip(f"{spec.tip or plain}{first}")
    action.setStatusTip(spec.tip)
    window.addAction(action)
    return action
