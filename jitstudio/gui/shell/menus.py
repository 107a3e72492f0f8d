"""Menu bar and toolbar, made from the table of actions."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QMainWindow, QMenu, QToolBar, QToolButton, QWidget

from jitstudio.gui.kit.fonts import follow_letters, gap, scaled
from jitstudio.gui.shell.commands.actions import ACTIONS, Actions
from jitstudio.gui.shell.commands.spec import LAYOUT, MENUS, SUBMENUS

_TOOLBAR = ("newCudaAction", "openAction", "saveAction", "", "buildAction", "cancelAction")
_ICON_SIDE = 18
# Left and right of the title of a menu, with what the bar keeps between two.
_BESIDE_MENU = 20
# As high as with the target and the options in it, which come later.
_TOOLBAR_HEIGHT = 44


class MenuBar(QObject):
    """The menus of a window, by title in the table."""

    def __init__(self, window: QMainWindow, actions: Actions) -> None:
        super().__init__(window)
        translate = QCoreApplication.translate
        bar = window.menuBar()
        self._menus = {title: bar.addMenu(translate("Actions", title)) for title in MENUS}
        self._menus |= {title: QMenu(translate("Actions", title), window) for title in SUBMENUS}
        for spec in ACTIONS:
            menu = self._menus[spec.menu]
            if menu.isEmpty() and spec.menu in SUBMENUS:
                self._menus[SUBMENUS[spec.menu]].addMenu(menu)
            if spec.separated:
                menu.addSeparator()
            menu.addAction(actions[spec.id])
        self._bar, self._switch = bar, _layout_switch(window, actions)
        bar.setCornerWidget(self._switch)
        bar.installEventFilter(self)

    def __getitem__(self, title: str) -> QMenu:
        """Returns a menu by title."""
        return self._menus[title]

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Leaves the room to the menus, which have the layouts too, where not all fit."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.FontChange):
            bar, show = self._bar, Qt.TextFlag.TextShowMnemonic
            texts = (bar.fontMetrics().size(show, action.text()) for action in bar.actions())
            titles = sum(text.width() + gap(_BESIDE_MENU) for text in texts)
            fits = titles + self._switch.sizeHint().width() <= bar.width()
            if fits == self._switch.isHidden():
                self._switch.setVisible(fits)
                # The stub does not know that there may be none.
                bar.setCornerWidget(self._switch if fits else None)  # type: ignore[arg-type]
        return False


def _layout_switch(window: QMainWindow, actions: Actions) -> QWidget:
    """Returns the layouts as buttons at the end of the menu bar, the current layout pressed."""
    switch = QWidget(window.menuBar())
    switch.setObjectName("layoutSwitch")
    line = QHBoxLayout(switch)
    line.setContentsMargins(0, 0, 6, 0)
    line.setSpacing(2)
    for spec, action in actions.of_menu(LAYOUT):
        if spec.checkable:
            button = QToolButton(switch)
            button.setDefaultAction(action)
            button.setAccessibleName(
                QCoreApplication.translate("Menus", "Layout {name}").format(name=action.iconText())
            )
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            line.addWidget(button)
    return switch


def make_toolbar(window: QMainWindow, actions: Actions) -> QToolBar:
    """Returns the line of buttons."""
    bar = window.addToolBar(QCoreApplication.translate("Menus", "Toolbar"))
    bar.setObjectName("toolbar")
    bar.setMovable(False)
    follow_letters(bar, _fit_letters)
    # Without this the bar could be hidden for good by a context menu.
    bar.toggleViewAction().setVisible(False)
    for name in (*_TOOLBAR, "autoBuildAction", ""):
        if name:
            bar.addAction(actions[name])
        else:
            bar.addSeparator()
    return bar


def _fit_letters(bar: QToolBar) -> None:
    bar.setIconSize(QSize(scaled(_ICON_SIDE), scaled(_ICON_SIDE)))
    bar.setMinimumHeight(scaled(_TOOLBAR_HEIGHT))
    # A toolbar keeps the sizes that its parts asked for before.
    if (layout := bar.layout()) is not None:
        layout.invalidate()
