"""The table of all commands, a row each, and the actions of a window, made from the table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import partial

from PySide6.QtCore import QCoreApplication, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QApplication, QWidget

from jitstudio.gui.kit.command_keys import COMMAND_KEYS
from jitstudio.gui.kit.parts import show_icon
from jitstudio.gui.shell.commands.rows.analyse import ANALYSE_ROWS
from jitstudio.gui.shell.commands.rows.build import BUILD_ROWS
from jitstudio.gui.shell.commands.rows.edit import EDIT_ROWS
from jitstudio.gui.shell.commands.rows.file import FILE_ROWS
from jitstudio.gui.shell.commands.rows.help import HELP_ROWS
from jitstudio.gui.shell.commands.rows.launch import LAUNCH_ROWS
from jitstudio.gui.shell.commands.rows.view import VIEW_ROWS
from jitstudio.gui.shell.commands.spec import ActionSpec, KeyScope

ACTIONS: tuple[ActionSpec, ...] = (
    *FILE_ROWS,
    *EDIT_ROWS,
    *BUILD_ROWS,
    *ANALYSE_ROWS,
    *LAUNCH_ROWS,
    *VIEW_ROWS,
    *HELP_ROWS,
)


class Actions(QObject):
    """The table's rows as `QAction`s; the feature that carries a command out binds the action.

    Signals:
        handler_wanted: A command was chosen, by id, that nothing is bound to yet.
    """

    handler_wanted = Signal(str)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._specs = {spec.id: spec for spec in ACTIONS}
        self._actions = {spec.id: _make(spec, window) for spec in ACTIONS}
        self._bound: set[str] = set()
        self._possible: dict[str, Callable[[], bool]] = {}
        self._early: list[tuple[QAction, bool]] = []
        self._keys = {spec.id: tuple(spec.keys) for spec in ACTIONS}
        self._is_stepping = False
        # One connection instead of one an action, which would be a tenth of the time they take.
        self._without_handler = QActionGroup(self)
        self._without_handler.setExclusionPolicy(QActionGroup.ExclusionPolicy.None_)
        for action in self._actions.values():
            self._without_handler.addAction(action)
        self._without_handler.triggered.connect(self._on_early)

    def __getitem__(self, name: str) -> QAction:
        """Returns an action by object name."""
        return self._actions[name]

    def __contains__(self, name: str) -> bool:
        return name in self._actions

    def bind(self, slots: Mapping[str, Callable[..., object]]) -> None:
        """Binds commands to slots: a switch calls the slot with the state, others with nothing.

        Raises:
            ValueError: One of them does something already.
        """
        for name, slot in slots.items():
            if name in self._bound:
                raise ValueError(f"{name} is bound twice")
            self._bound.add(name)
            action = self._actions[name]
            self._without_handler.removeAction(action)
            (action.toggled if action.isCheckable() else action.triggered).connect(slot)

    def set_keys(self, name: str, keys: Sequence[str]) -> None:
        """Gives a command keys; tool tip and all hints name the first."""
        before, self._keys[name] = self._keys[name], tuple(keys)
        self._show_keys(name)
        if self._specs[name].where is KeyScope.STEPPING:
            # Others give these keys away meanwhile, or have them back.
            self._show_keys_of_owners({*before, *keys})

    def describe(self, name: str, tip: str) -> None:
        """Says in the tool tip and the status bar what a command would do now."""
        action = self._actions[name]
        action.setStatusTip(tip)
        action.setWhatsThis(tip)
        action.setToolTip(COMMAND_KEYS.tip(tip, name))

    def set_stepping(self, on: bool) -> None:
        """Gives keys to the commands for stepping, and takes the keys from others meanwhile."""
        self._is_stepping = on
        self._show_keys_of_owners(self._stepping_keys)

    def _show_keys_of_owners(self, keys: Set[str]) -> None:
        """Shows the keys of all commands that have any of these keys."""
        for name, own in self._keys.items():
            if not keys.isdisjoint(own):
                self._show_keys(name)

    def _show_keys(self, name: str) -> None:
        spec, keys = self._specs[name], self._keys[name]
        if spec.where is KeyScope.STEPPING:
            active = keys if self._is_stepping else ()
        else:
            taken = self._stepping_keys if self._is_stepping else frozenset()
            active = tuple(key for key in keys if key not in taken)
        _set_keys(self._actions[name], spec, keys, active)

    @property
    def _stepping_keys(self) -> frozenset[str]:
        return frozenset(
            key
            for spec in ACTIONS
            if spec.where is KeyScope.STEPPING
            for key in self._keys[spec.id]
        )

    def know(self, possible: Mapping[str, Callable[[], bool]]) -> None:
        """Sets the functions that say whether a command can do anything at the cursor."""
        self._possible |= possible

    def is_possible(self, name: str) -> bool:
        """Returns whether a command has anything to do here and now, as far as that is known."""
        possible = self._possible.get(name)
        return self._actions[name].isEnabled() and (possible is None or possible())

    def catch_up(self) -> None:
        """Carries out commands that were chosen before being bound."""
        early, self._early = self._early, []
        done: set[QAction] = set()
        for action, is_on in early:
            if action.isCheckable():
                action.setChecked(is_on)
            else:
                # Some wait for an answer.
                QTimer.singleShot(0, action, partial(_trigger, action, again=action in done))
                done.add(action)

    @property
    def unbound(self) -> frozenset[str]:
        """The commands that do nothing yet."""
        return frozenset(self._actions) - self._bound

    @Slot(QAction)
    def _on_early(self, action: QAction) -> None:
        """Remembers a command without a handler yet: `catch_up` carries it out."""
        is_on = action.isChecked()
        self._early.append((action, is_on))
        if action.isCheckable():
            # The handler of a switch may leave it as it is.
            action.setChecked(not is_on)
        self.handler_wanted.emit(action.objectName())

    def of_menu(self, menu: str) -> Iterator[tuple[ActionSpec, QAction]]:
        """Returns the actions of a menu, in order."""
        return ((spec, self._actions[spec.id]) for spec in ACTIONS if spec.menu == menu)


def _trigger(action: QAction, *, again: bool) -> None:
    # A second press of a key would not have reached the window behind the question of the first.
    if not again or QApplication.activeModalWidget() is None:
        action.trigger()


def _make(spec: ActionSpec, window: QWidget) -> QAction:
    text = QCoreApplication.translate("Actions", spec.text)
    tip = QCoreApplication.translate("Actions", spec.tip) if spec.tip else ""
    action = QAction(text, window, checkable=spec.checkable)
    action.setObjectName(spec.id)
    if spec.icon:
        show_icon(action, spec.icon)
    action.setStatusTip(tip)
    action.setWhatsThis(tip or _plain(text))
    _set_keys(action, spec, spec.keys, spec.keys if spec.where is not KeyScope.STEPPING else ())
    if spec.where in (KeyScope.WINDOW, KeyScope.STEPPING):
        window.addAction(action)
    else:
        # The widget that knows these keys takes them.
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
    return action


def _set_keys(
    action: QAction, spec: ActionSpec, keys: Sequence[str], active: Sequence[str]
) -> None:
    action.setShortcuts([QKeySequence(key) for key in active])
    menu = QCoreApplication.translate("Actions", spec.menu)
    COMMAND_KEYS.learn(spec.id, f"{_plain(menu)} > {_plain(action.text())}", keys)
    action.setToolTip(COMMAND_KEYS.tip(action.whatsThis(), spec.id))


def _plain(text: str) -> str:
    return text.replace("&", "").rstrip("…")
