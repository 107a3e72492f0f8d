"""What a window consists of and shows, as texts: the part of `tests/nets.py` that needs Qt.

Widgets are recorded by their object names and Qt's own classes: those of the program may change.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QComboBox,
    QMenu,
    QTabBar,
    QWidget,
)
from shiboken6 import isValid

from jitstudio.gui.shell.docking.dock import PaneDock
from jitstudio.gui.state.settings_table import SETTINGS
from jitstudio.gui.window.application import make_application
from jitstudio.help.samples import samples
from tests.gui.driver import Driver, pause

_MOST_ROWS = 400
_DRAWN_MS = 1000
_TEXTS = (
    *("text", "title", "windowTitle", "placeholderText", "specialValueText", "suffix"),
    *("toolTip", "statusTip", "whatsThis", "accessibleName", "accessibleDescription"),
)


def record(folder: Path) -> Iterator[tuple[str, str]]:
    """Drive a window in this folder; yields names and texts to compare."""
    driver = Driver(make_application(), folder)
    driver.start()
    driver.wait(lambda: driver.state.disassembly.current is not None)
    pause(_DRAWN_MS)
    window = driver.window
    yield from _tree("first-start", window)
    menus = [(menu.text(), *_menu(menu.menu(), 1)) for menu in window.menuBar().actions()]
    yield "menus", "\n".join(line for lines in menus for line in lines)
    yield "commands", "\n".join(map(_command, _actions(window)))
    chosen = ((s.key, s.group, s.title, s.default, [c.value for c in s.choices]) for s in SETTINGS)
    yield "settings", "\n".join(map(repr, chosen))
    yield "layouts", "\n".join(_layouts(driver))
    for sample in samples():
        driver.files.open_sample(sample)
        if driver.next_result(partial(driver.trigger, "buildAction")).ok:
            # Machine code is read once a pane that shows it is seen.
            driver.show_output("SASS")
            driver.wait(lambda: driver.state.disassembly.current is not None)
        for dock in _docks(window):
            driver.show_output(dock.title)
        pause(_DRAWN_MS)
        yield f"sample-{sample.files[0].path.stem}", "\n".join(contents(window))
    yield from _tree("all-panes", window)
    for action in _actions(window):
        if action.text().endswith("…") and action.isEnabled():
            yield from _dialogs(driver, action)
    driver.close()
    kept = (folder / "settings.ini").read_text("utf-8").splitlines()
    yield "kept-settings", "\n".join(sorted(line.partition("=")[0] for line in kept))


def _named(top: QObject) -> list[QObject]:
    found = [one for one in top.findChildren(QObject) if one.objectName()]
    found = [one for one in found if not one.objectName().startswith("qt_")]
    return sorted(found, key=lambda one: (one.objectName(), _kind(one)))


def _kind(one: QObject) -> str:
    return next(c.__name__ for c in type(one).__mro__ if c.__module__.startswith("PySide6"))


def _docks(window: QWidget) -> list[PaneDock]:
    return sorted(window.findChildren(PaneDock), key=PaneDock.objectName)


def _actions(window: QWidget) -> list[QAction]:
    named = [action for action in window.findChildren(QAction) if action.objectName()]
    return sorted(named, key=QAction.objectName)


def _keys(action: QAction) -> str:
    return " ".join(key.toString() for key in action.shortcuts())


def _command(action: QAction) -> str:
    told = (action.text(), _keys(action), action.toolTip(), action.statusTip())
    state = (
        f"checkable {action.isCheckable()}, checked {action.isChecked()}",
        f"enabled {action.isEnabled()}",
    )
    return f"{action.objectName()}: {' | '.join((*told, *state))}"


def _menu(menu: QMenu, depth: int) -> Iterator[str]:
    for action in menu.actions():
        shown = f"{action.text()}  {action.objectName()}  {_keys(action)}"
        yield "  " * depth + ("---" if action.isSeparator() else shown)
        if (below := action.menu()) is not None:
            yield from _menu(below, depth + 1)


def _layouts(driver: Driver) -> Iterator[str]:
    window = driver.window
    for action in _actions(window):
        if action.objectName().endswith("LayoutAction"):
            driver.trigger(action.objectName())
            pause(_DRAWN_MS // 5)
            for dock in _docks(window):
                area = window.dockWidgetArea(dock).name
                state = f"open {not dock.isHidden()}, floating {dock.isFloating()}"
                yield f"{action.objectName()}: {dock.objectName()} {area} {state}"
    driver.trigger("editLayoutAction")


def _tree(name: str, top: QWidget) -> Iterator[tuple[str, str]]:
    """The names of all that is in a window, and the texts of the widgets among them."""
    named = _named(top)
    yield f"{name}-objects", "\n".join(f"{one.objectName()}  {_kind(one)}" for one in named)
    widgets = [one for one in named if isinstance(one, QWidget)]
    lines = [f"{one.objectName()}.{told}" for one in widgets for told in texts(one)]
    yield f"{name}-texts", "\n".join(lines)


def texts(one: QWidget) -> Iterator[str]:
    """Yields all that a widget says of itself, each with its kind."""
    for ask in _TEXTS:
        try:
            text = getattr(one, ask, str)()
        except TypeError:  # asks for a row or a tab
            continue
        if isinstance(text, str) and text:
            yield f"{ask}: {text}"
    if isinstance(one, QComboBox):
        yield "items: " + " | ".join(one.itemText(row) for row in range(one.count()))
    if isinstance(one, QTabBar):
        yield "tabs: " + " | ".join(one.tabText(tab) for tab in range(one.count()))


def contents(window: QWidget) -> Iterator[str]:
    """Yields what is in all tables and texts of a window or a part of it."""
    for one in _named(window):
        if isinstance(one, QAbstractItemView):
            yield from (one.objectName(), *_rows(one))
        elif hasattr(one, "toPlainText"):
            yield from (one.objectName(), one.toPlainText())


def _rows(view: QAbstractItemView) -> Iterator[str]:
    model = view.model()
    if model is None:
        return
    is_list = isinstance(model, QAbstractListModel)
    columns = range(1 if is_list else model.columnCount(view.rootIndex()))
    heads = (model.headerData(column, Qt.Orientation.Horizontal) for column in columns)
    yield "  # " + " | ".join(map(str, heads))

    def below(parent: QModelIndex, depth: int) -> Iterator[str]:
        for row in range(min(model.rowCount(parent), _MOST_ROWS)):
            cells = [model.index(row, column, parent) for column in columns]
            yield "  " * depth + " | ".join(str(cell.data() or "") for cell in cells)
            yield from below(cells[0], depth + 1)

    yield from below(view.rootIndex(), 1)


def _dialogs(driver: Driver, action: QAction) -> list[tuple[str, str]]:
    """The dialogs that a command opens, which are closed again."""
    before = {top for top in QApplication.topLevelWidgets() if top.isVisible()}
    found: list[tuple[str, str]] = []

    def take(top: QWidget) -> None:
        found.extend(_tree(f"dialog-{action.objectName()}", top))
        top.close()

    def take_modal() -> None:
        if (modal := QApplication.activeModalWidget()) is not None:
            take(modal)

    # A dialog that waits for its end has the event loop until it is closed.
    timer = QTimer(interval=_DRAWN_MS // 4)
    timer.timeout.connect(take_modal)
    timer.start()
    action.trigger()
    pause(_DRAWN_MS)
    driver.settle()
    pause(_DRAWN_MS)
    timer.stop()
    for top in QApplication.topLevelWidgets():
        if isValid(top) and top.isVisible() and top not in before:
            take(top)
    return found
