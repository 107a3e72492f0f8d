"""The controls that leave lines out of a listing, and say how many are."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QSignalBlocker, Qt, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from jitstudio.core.code import CodeKind
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP
from jitstudio.gui.listing.shown_lines import ShownLines
from jitstudio.listing.lines import LineClass

# What a user calls each class of lines; the names of objects are made of the class's own.
_TITLES = {
    LineClass.COMMENT: QT_TRANSLATE_NOOP("FilterButton", "Hide &comments"),
    LineClass.DIRECTIVE: QT_TRANSLATE_NOOP("FilterButton", "Hide &directives"),
    LineClass.DEBUG: QT_TRANSLATE_NOOP("FilterButton", "Hide de&bug lines"),
}
_TIPS = {
    LineClass.COMMENT: QT_TRANSLATE_NOOP(
        "FilterButton", "Lines that hold a comment and nothing else"
    ),
    LineClass.DIRECTIVE: QT_TRANSLATE_NOOP(
        "FilterButton", "Lines such as .reg, .align and .section; the heads of kernels stay"
    ),
    LineClass.DEBUG: QT_TRANSLATE_NOOP(
        "FilterButton", "Line numbers of the source (.loc, .file, //##) and debug sections"
    ),
}


class FilterButton(QToolButton):
    """A menu with a check for each class of lines that can be left out.

    It looks pressed while a filter is on. Instructions, labels and heads are never left out.
    """

    def __init__(self, kind: CodeKind, shown: ShownLines, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown = shown
        self.setObjectName(f"{kind.value}FilterButton")
        self.setAutoRaise(True)
        self.setCheckable(True)
        self.setText(self.tr("Filter"))
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setToolTip(self.tr("Leave out comments, directives or debug lines"))
        self.setAccessibleName(self.tr("Filter lines of {kind}").format(kind=kind.title))
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        self._actions = {of: self._make_action(menu, of) for of in _TITLES}
        menu.addSeparator()
        self._show_all = menu.addAction(self.tr("&Show all lines"), shown.show_all)
        self.setMenu(menu)
        shown.filters_changed.connect(self._on_filters_changed)
        shown.hidden_count_changed.connect(self._on_hidden_count_changed)
        self._on_filters_changed(shown.filters)
        self._on_hidden_count_changed(shown.rows.hidden_count)

    def _make_action(self, menu: QMenu, of: LineClass) -> QAction:
        translate = QCoreApplication.translate
        action = menu.addAction(translate("FilterButton", _TITLES[of]))
        action.setObjectName(f"hide{of.name.title()}Action")
        action.setToolTip(translate("FilterButton", _TIPS[of]))
        action.setCheckable(True)
        action.toggled.connect(self._on_toggled)
        return action

    @Slot()
    def _on_toggled(self) -> None:
        checked = (of for of, action in self._actions.items() if action.isChecked())
        self._shown.set_filters(frozenset(checked))

    @Slot(frozenset)
    def _on_filters_changed(self, filters: frozenset[LineClass]) -> None:
        for of, action in self._actions.items():
            with QSignalBlocker(action):
                action.setChecked(of in filters)
        self.setChecked(bool(filters))

    @Slot(int)
    def _on_hidden_count_changed(self, count: int) -> None:
        self._show_all.setEnabled(count > 0 or bool(self._shown.filters))


class HiddenLines(QToolButton):
    """Says how many lines are hidden, while any are; a click shows them all."""

    def __init__(self, kind: CodeKind, shown: ShownLines, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._count = 0
        self._is_roomy = True
        self.setObjectName(f"{kind.value}HiddenLines")
        self.setAutoRaise(True)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.setToolTip(self.tr("Show all lines: switch filters off and unfold all"))
        self.clicked.connect(shown.show_all)
        shown.hidden_count_changed.connect(self._on_count_changed)
        self._on_count_changed(shown.rows.hidden_count)

    def set_roomy(self, is_roomy: bool) -> None:
        """Leave a narrow line to what else is in it; the folded lines say so themselves."""
        self._is_roomy = is_roomy
        self._on_count_changed(self._count)

    @Slot(int)
    def _on_count_changed(self, count: int) -> None:
        self._count = count
        self.setText(self.tr("{0:,} hidden").format(count))
        self.setVisible(count > 0 and self._is_roomy)
