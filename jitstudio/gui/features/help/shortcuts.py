"""The list of all keys: those of commands, which can be changed, and fixed keys of views."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, QEvent, QKeyCombination, QObject, Qt, Signal, Slot
from PySide6.QtGui import QAction, QBrush, QKeyEvent, QKeySequence, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QKeySequenceEdit,
    QLabel,
    QLineEdit,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from jitstudio.gui.editor.editor_tabs import EditorTabs
from jitstudio.gui.kit.dialogs import open_dialog
from jitstudio.gui.kit.fonts import fit_dialog
from jitstudio.gui.kit.parts import text_label
from jitstudio.gui.kit.tables import PanelTable
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP
from jitstudio.gui.shell.commands.actions import ACTIONS, Actions
from jitstudio.gui.shell.commands.shortcuts import Shortcuts, can_change, plain_text
from jitstudio.gui.shell.commands.spec import ActionSpec, KeyScope
from jitstudio.gui.shell.docking.layout_manager import LayoutManager
from jitstudio.gui.shell.synonyms import also_called

_CONTEXT = "FixedKeys"
_EDITORS = QT_TRANSLATE_NOOP("FixedKeys", "Editors")
_OFFERS = QT_TRANSLATE_NOOP("FixedKeys", "Offered words")
_LISTINGS = QT_TRANSLATE_NOOP("FixedKeys", "PTX and SASS")
_CODE = QT_TRANSLATE_NOOP("FixedKeys", "Editors, PTX and SASS")
_FINDING = QT_TRANSLATE_NOOP("FixedKeys", "Find bar")
_PICTURES = QT_TRANSLATE_NOOP("FixedKeys", "Pipeline and graph")
_ALL = QT_TRANSLATE_NOOP("FixedKeys", "Everywhere")
_CTRL_CLICK = QT_TRANSLATE_NOOP("FixedKeys", "Ctrl+click")


class FixedKey(NamedTuple):
    """A row of the list of fixed keys: a key or mouse action in a kind of view, as text."""

    text: str
    place: str
    keys: tuple[str, ...]


FIXED_KEYS = (
    FixedKey(
        QT_TRANSLATE_NOOP("FixedKeys", "Indent, or unindent, the selected lines"),
        _EDITORS,
        ("Tab", "Shift+Tab"),
    ),
    FixedKey(
        QT_TRANSLATE_NOOP("FixedKeys", "Begin a line as deep as the one before"),
        _EDITORS,
        ("Return",),
    ),
    FixedKey(
        QT_TRANSLATE_NOOP("FixedKeys", "Go to the first letter of the line, then to its beginning"),
        _EDITORS,
        ("Home",),
    ),
    FixedKey(
        QT_TRANSLATE_NOOP("FixedKeys", "Take the word that is offered"),
        _OFFERS,
        ("Return", "Tab"),
    ),
    FixedKey(QT_TRANSLATE_NOOP("FixedKeys", "Close the list"), _OFFERS, ("Esc",)),
    FixedKey(
        QT_TRANSLATE_NOOP("FixedKeys", "Put another caret; select columns"),
        _EDITORS,
        (
            QT_TRANSLATE_NOOP("FixedKeys", "Alt+click"),
            QT_TRANSLATE_NOOP("FixedKeys", "Ctrl+Alt+click"),
            QT_TRANSLATE_NOOP("FixedKeys", "Alt+Shift+drag"),
        ),
    ),
    FixedKey(
        QT_TRANSLATE_NOOP("FixedKeys", "Go to the definition of the name"),
        _EDITORS,
        (_CTRL_CLICK,),
    ),
    FixedKey(
        QT_TRANSLATE_NOOP("FixedKeys", "Make code larger or smaller"),
        _CODE,
        (QT_TRANSLATE_NOOP("FixedKeys", "Ctrl+wheel"),),
    ),
    FixedKey(
        QT_TRANSLATE_NOOP("FixedKeys", "Go where the name leads"),
        _LISTINGS,
        ("Return", _CTRL_CLICK),
    ),
    FixedKey(
        QT_TRANSLATE_NOOP("FixedKeys", "Next match; previous match"),
        _FINDING,
        ("Return", "Shift+Return"),
    ),
    FixedKey(
        QT_TRANSLATE_NOOP("FixedKeys", "Match case; whole words; regular expression"),
        _FINDING,
        ("Alt+C", "Alt+W", "Alt+R"),
    ),
    FixedKey(QT_TRANSLATE_NOOP("FixedKeys", "Close the find bar"), _FINDING, ("Esc",)),
    FixedKey(
        QT_TRANSLATE_NOOP("FixedKeys", "Go from one node to the next"),
        _PICTURES,
        ("Left", "Right", "Up", "Down", "Home", "End"),
    ),
    FixedKey(
        QT_TRANSLATE_NOOP("FixedKeys", "Open what the node stands for"),
        _PICTURES,
        ("Return", "Space"),
    ),
    FixedKey(
        QT_TRANSLATE_NOOP("FixedKeys", "Zoom in; zoom out; show all of it"),
        _PICTURES,
        ("+", "-", "0"),
    ),
    FixedKey(
        QT_TRANSLATE_NOOP("FixedKeys", "Open the context menu"),
        _ALL,
        ("Menu", "Shift+F10"),
    ),
    FixedKey(
        QT_TRANSLATE_NOOP("FixedKeys", "Bring the other panes back, or go to the editor"),
        _ALL,
        ("Esc",),
    ),
)


def fixed_keys() -> tuple[FixedKey, ...]:
    """Returns all fixed keys in the user's language, with keys as the system writes them."""
    translate = QCoreApplication.translate
    return tuple(
        FixedKey(
            translate(_CONTEXT, row.text),
            translate(_CONTEXT, row.place),
            tuple(map(_native_text, row.keys)),
        )
        for row in FIXED_KEYS
    )


def _native_text(key: str) -> str:
    sequence = QKeySequence(key)
    is_key = sequence.toString(QKeySequence.SequenceFormat.PortableText) == key
    if is_key:
        return sequence.toString(QKeySequence.SequenceFormat.NativeText)
    return QCoreApplication.translate(_CONTEXT, key)


_SIZE = (720, 620)
_ROW = Qt.ItemDataRole.UserRole
_NATIVE = QKeySequence.SequenceFormat.NativeText
_PORTABLE = QKeySequence.SequenceFormat.PortableText


@dataclass(frozen=True)
class KeyRow:
    """A row of the list of keys.

    Attributes:
        text: The effect of the keys.
        place: The menu or the view that they belong to.
        keys: The keys, in Qt's portable spelling where they can be changed.
        name: The id of the command; empty where the keys cannot be changed.
        also: Other words that it is found by.
        is_default: Whether the user has left them as they were.
    """

    text: str
    place: str
    keys: tuple[str, ...]
    name: str = ""
    also: str = ""
    is_default: bool = True

    @property
    def keys_text(self) -> str:
        """The keys as people read them."""
        keys = (QKeySequence(key).toString(_NATIVE) if self.name else key for key in self.keys)
        return ", ".join(keys)


class ShortcutsDialog(QDialog):
    """Shows keys, and reports which the user wants for which command.

    Args:
        problem: Returns the conflict of a key for a command, and whether that is final; called with
            the id of the command and the key. None where there is no conflict.

    Signals:
        keys_chosen: The user wants the command of this id to have these keys, a list.
        reset_requested: The user wants the usual keys of this command.
        reset_all_requested: The user wants the usual keys of all commands.
    """

    keys_chosen = Signal(str, list)
    reset_requested = Signal(str)
    reset_all_requested = Signal()

    def __init__(
        self,
        problem: Callable[[str, str], tuple[str, bool] | None],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("shortcutsDialog")
        self.setWindowTitle(self.tr("Keyboard shortcuts"))
        fit_dialog(self, _SIZE)
        self._problem = problem
        self._filter = QLineEdit(clearButtonEnabled=True)
        self._filter.setObjectName("shortcutsFilter")
        self._filter.setPlaceholderText(self.tr("Filter by command, place or key"))
        self._filter.setAccessibleName(self.tr("Filter commands"))
        self._table = self._make_table()
        self._title = QLabel()
        self._title.setTextFormat(Qt.TextFormat.PlainText)
        self._field = QKeySequenceEdit()
        self._field.setObjectName("shortcutField")
        self._field.setMaximumSequenceLength(1)
        self._field.setClearButtonEnabled(True)
        self._title.setBuddy(self._field)
        self._use = self._button("useShortcut", self.tr("&Use this key"))
        self._add = self._button("addShortcut", self.tr("&Add to the others"))
        self._remove = self._button("removeShortcut", self.tr("Re&move all"))
        self._reset = self._button("resetShortcut", self.tr("&Default"))
        self._note = text_label(self, "shortcutNote")
        self._lay_out()
        self._filter.textChanged.connect(self._on_filter_changed)
        self._table.currentItemChanged.connect(self._on_current_changed)
        self._table.itemActivated.connect(self._on_activated)
        self._field.keySequenceChanged.connect(self._on_key_pressed)
        self._use.clicked.connect(self._on_use)
        self._add.clicked.connect(self._on_add)
        self._remove.clicked.connect(self._on_remove)
        self._reset.clicked.connect(self._on_reset)
        self._follow()

    def show_rows(self, rows: Sequence[KeyRow]) -> None:
        """Shows `rows`; the current row stays current where still present."""
        before = self._row
        self._table.clear()
        muted = QBrush(self.palette().color(QPalette.ColorRole.PlaceholderText))
        for row in rows:
            item = QTreeWidgetItem(self._table, (row.text, row.keys_text, row.place))
            item.setData(0, _ROW, row)
            font = item.font(1)
            font.setBold(not row.is_default)
            item.setFont(1, font)
            if not row.name:
                item.setForeground(1, muted)
            if before is not None and (row.name, row.text) == (before.name, before.text):
                self._table.setCurrentItem(item)
        for column in (0, 1):
            self._table.resizeColumnToContents(column)
        self._on_filter_changed(self._filter.text())
        self._follow()

    @property
    def _row(self) -> KeyRow | None:
        item = self._table.currentItem()
        row: KeyRow | None = item.data(0, _ROW) if item is not None else None
        return row

    @property
    def _key(self) -> str:
        """The keys pressed in the field; empty for none."""
        return self._field.keySequence().toString(_PORTABLE)

    def _make_table(self) -> QTreeWidget:
        table = QTreeWidget()
        table.setObjectName("shortcutsTable")
        table.setRootIsDecorated(False)
        table.setAlternatingRowColors(True)
        table.setUniformRowHeights(True)
        table.setAccessibleName(self.tr("Commands and their keys"))
        table.setHeaderLabels((self.tr("Command"), self.tr("Keys"), self.tr("Where")))
        return table

    def _button(self, name: str, text: str) -> QPushButton:
        button = QPushButton(text)
        button.setObjectName(name)
        # Enter belongs to the list and to the field.
        button.setAutoDefault(False)
        return button

    def _lay_out(self) -> None:
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(self._title, 1)
        line.addWidget(self._field)
        for button in (self._use, self._add, self._remove, self._reset):
            line.addWidget(button)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        buttons.button(QDialogButtonBox.StandardButton.Close).setAutoDefault(False)
        reset = buttons.addButton(self.tr("&Reset all"), QDialogButtonBox.ButtonRole.ResetRole)
        reset.setObjectName("resetAllShortcuts")
        reset.setAutoDefault(False)
        reset.clicked.connect(self.reset_all_requested)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 14, 14, 14)
        column.setSpacing(10)
        column.addWidget(self._filter)
        column.addWidget(self._table, 1)
        column.addLayout(line)
        column.addWidget(self._note)
        column.addWidget(buttons)

    def _follow(self) -> None:
        """Enables the buttons that apply to the row and the key."""
        row, key = self._row, self._key
        can_change = row is not None and bool(row.name)
        problem = self._problem(row.name, key) if row is not None and row.name and key else None
        message, is_final = problem or ("", False)
        if row is None:
            message = self.tr("Choose a command, then press its new keys.")
        elif not can_change:
            message = self.tr("These keys belong to the view, and cannot be changed.")
        self._note.setText(message)
        self._title.setText(self.tr("Keys of '{command}'").format(command=row.text) if row else "")
        self._field.setEnabled(can_change)
        for button in (self._use, self._add):
            button.setEnabled(can_change and bool(key) and not is_final)
        self._remove.setEnabled(can_change and row is not None and bool(row.keys))
        self._reset.setEnabled(can_change and row is not None and not row.is_default)

    def _choose(self, keys: Sequence[str]) -> None:
        if (row := self._row) is not None:
            self._field.clear()
            self.keys_chosen.emit(row.name, list(keys))

    @Slot(str)
    def _on_filter_changed(self, text: str) -> None:
        wanted = text.casefold().split()
        for place in range(self._table.topLevelItemCount()):
            item = self._table.topLevelItem(place)
            if item is not None:
                row: KeyRow = item.data(0, _ROW)
                words = " ".join((row.text, row.keys_text, row.place, row.also)).casefold()
                item.setHidden(not all(word in words for word in wanted))

    @Slot()
    def _on_current_changed(self) -> None:
        self._field.clear()
        self._follow()

    @Slot()
    def _on_activated(self) -> None:
        self._field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    @Slot()
    def _on_key_pressed(self) -> None:
        self._follow()

    @Slot()
    def _on_use(self) -> None:
        self._choose([self._key])

    @Slot()
    def _on_add(self) -> None:
        if (row := self._row) is not None:
            self._choose([*row.keys, self._key])

    @Slot()
    def _on_remove(self) -> None:
        self._choose([])

    @Slot()
    def _on_reset(self) -> None:
        if (row := self._row) is not None:
            self.reset_requested.emit(row.name)


class KeyList(QObject):
    """Shows the dialog with all keys, and carries out the user's changes."""

    def __init__(
        self, actions: Actions, shortcuts: Shortcuts, layout: LayoutManager, window: QWidget
    ) -> None:
        super().__init__(window)
        self._actions = actions
        self._shortcuts = shortcuts
        self._layout = layout
        self._window = window
        self._dialog: ShortcutsDialog | None = None
        shortcuts.changed.connect(self._on_changed)
        layout.panes_made.connect(self._on_changed)
        actions.bind({"shortcutsAction": self._on_wanted})

    def _rows(self) -> Iterator[KeyRow]:
        native = QKeySequence.SequenceFormat.NativeText
        for spec in ACTIONS:
            text = plain_text(self._actions[spec.id].text())
            menu = plain_text(QCoreApplication.translate("Actions", spec.menu))
            keys, is_own = self._shortcuts.keys(spec.id), can_change(spec.id)
            yield KeyRow(
                text=text,
                place=menu,
                keys=keys if is_own else tuple(QKeySequence(k).toString(native) for k in keys),
                name=spec.id if is_own else "",
                also=also_called(text),
                is_default=self._shortcuts.is_default(spec.id),
            )
        # Tables of several panes have the same ones.
        seen = {
            KeyRow(
                plain_text(action.text()),
                table.accessibleName(),
                tuple(key.toString(native) for key in action.shortcuts()),
            ): None
            for table in self._window.findChildren(PanelTable)
            for action in table.actions()
            if action.shortcuts() and action.parent() is table
        }
        yield from seen
        for row in fixed_keys():
            yield KeyRow(row.text, row.place, row.keys)

    def _problem(self, name: str, key: str) -> tuple[str, bool] | None:
        conflict = self._shortcuts.conflict(name, key)
        return (conflict.message, conflict.is_final) if conflict is not None else None

    @Slot()
    def _on_wanted(self) -> None:
        dialog = ShortcutsDialog(self._problem, self._window)
        dialog.show_rows(tuple(self._rows()))
        dialog.keys_chosen.connect(self._shortcuts.set_keys)
        dialog.reset_requested.connect(self._shortcuts.reset)
        dialog.reset_all_requested.connect(self._shortcuts.reset_all)
        self._dialog = dialog
        open_dialog(dialog)
        self._layout.want_all()

    @Slot()
    def _on_changed(self) -> None:
        if self._dialog is not None and isValid(self._dialog):
            self._dialog.show_rows(tuple(self._rows()))


class KeystrokeCommands(QObject):
    """Sends keystroke commands to the editor in front, or to the widget with the keyboard."""

    def __init__(
        self, tabs: EditorTabs, actions: Actions, shortcuts: Shortcuts, window: QWidget
    ) -> None:
        super().__init__(window)
        self._tabs = tabs
        self._shortcuts = shortcuts
        self._editing = [spec for spec in ACTIONS if spec.where is KeyScope.EDITOR]
        # Takes the keys that editors know, but that the user wants to do nothing.
        self._nothing = QAction(self)
        self._nothing.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        for spec in ACTIONS:
            if spec.where in (KeyScope.EDITOR, KeyScope.TEXT):
                actions.bind({spec.id: partial(self._send, spec)})
        tabs.set_commands([self._nothing, *(actions[spec.id] for spec in self._editing)])
        shortcuts.changed.connect(self._on_keys_changed)
        self._on_keys_changed()

    @Slot()
    def _on_keys_changed(self) -> None:
        used = {key for spec in ACTIONS for key in self._shortcuts.keys(spec.id)}
        known = {QKeySequence(key).toString() for spec in self._editing for key in spec.keys}
        self._nothing.setShortcuts([QKeySequence(key) for key in sorted(known - used)])

    def _send(self, spec: ActionSpec) -> None:
        # The stub does not know that a sequence has items.
        key: QKeyCombination = QKeySequence(spec.keys[0])[0]  # type: ignore[index]
        event = QKeyEvent(QEvent.Type.KeyPress, key.key(), key.keyboardModifiers())
        if spec.where is KeyScope.EDITOR:
            if self._tabs.page is not None and self._tabs.page.editor is not None:
                # Sent by the application, it would be taken for the shortcut again.
                self._tabs.page.editor.keyPressEvent(event)
        elif (widget := QApplication.focusWidget()) is not None:
            QApplication.sendEvent(widget, event)
