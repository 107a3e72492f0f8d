"""The line above a listing: module, kernels, number of lines, filters and buttons."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise, takewhile
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, QPoint, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QMenu, QToolButton, QWidget

from jitstudio.core.code import LINKED, CodeKind
from jitstudio.gui.kit.fonts import scaled
from jitstudio.gui.kit.parts import ShorteningLabel, WholeLabel, fit_icon, show_icon, show_tip
from jitstudio.gui.kit.presentation import TableColumn
from jitstudio.gui.kit.tables import RowsModel
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP
from jitstudio.gui.listing.columns.columns import Columns
from jitstudio.gui.listing.folding import LineVisibility
from jitstudio.listing.functions import Function
from jitstudio.listing.kernel_names import DemangledListing
from jitstudio.listing.lines import LineClass

_NARROWEST, _WIDEST = 18, 320
# What is shown of a name: the beginning says most, but no two shall look alike.
_LONGEST, _BEGINNING = 32, 12
# What a user calls each class of lines; the names of objects are made of the class's own.
_TITLES = {
    LineClass.COMMENT: QT_TRANSLATE_NOOP("FilterButton", "Hide &comments"),
    LineClass.DIRECTIVE: QT_TRANSLATE_NOOP("FilterButton", "Hide &directives"),
    LineClass.DEBUG: QT_TRANSLATE_NOOP("FilterButton", "Hide de&bug lines"),
    LineClass.LABEL: QT_TRANSLATE_NOOP("FilterButton", "Hide labels that nothing &jumps to"),
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
    LineClass.LABEL: QT_TRANSLATE_NOOP(
        "FilterButton", "Those that no instruction names; what is copied has them in any case"
    ),
}
# Only nvdisasm makes up labels that say nothing.
_OF_SASS = frozenset({LineClass.LABEL})
# From these widths on buttons have texts, and the number of hidden lines is shown.
_ROOMY, _NARROW = 520, 450
_ICON_SIDE = 16


class _Entry(NamedTuple):
    """A function with title and short title.

    A function that is not listed has no place; the entry for all functions has no name.
    """

    name: str
    function: Function | None
    shown: str
    short: str


class FunctionList(QComboBox):
    """Names the function with the caret, and goes to other functions. Hidden without functions.

    Signals:
        line_requested: Go to this line, counted from 1.
        function_wanted: Show the function of this name, which is not listed; all if it is empty.
    """

    line_requested = Signal(int)
    function_wanted = Signal(str)

    def __init__(self, kind: CodeKind, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model: RowsModel[_Entry] = RowsModel((_COLUMN,), self)
        self._listed: tuple[Function, ...] = ()
        self.setModel(self._model)
        self.setObjectName(f"{kind.value}FunctionList")
        self.setAccessibleName(
            self.tr("Kernels and functions of the {kind}").format(kind=kind.title)
        )
        self.setPlaceholderText(self.tr("Go to kernel"))
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(_NARROWEST)
        self.setMaximumWidth(_WIDEST)
        self.activated.connect(self._on_activated)
        self.hide()

    def show_functions(
        self, functions: Sequence[Function], spelling: DemangledListing, every: Sequence[str] = ()
    ) -> None:
        """Offers the functions defined here; the others are in other modules.

        Args:
            functions: Those of the listing.
            spelling: How their names are shown.
            every: All that there are, where not all are listed.
        """
        self._listed = tuple(function for function in functions if function.is_defined)
        places = {function.name: function for function in self._listed}
        others = sorted((name for name in every if name not in places), key=spelling.name)
        names = [*(function.name for function in self._listed), *others]
        shown = [spelling.name(name) for name in names]
        entries = [*map(_Entry, names, map(places.get, names), shown, shortened(shown))]
        tips = [self.tr("Go to a kernel or function")]
        if others:
            tips.append(self.tr("So much SASS is shown one function at a time"))
            every_one = self.tr("All {count:,} functions").format(count=len(names))
            hint = self.tr("Disassemble all of this SASS, which takes a while")
            entries.append(_Entry("", None, hint, every_one))
        self.setToolTip("\n".join(tips))
        with QSignalBlocker(self):
            self._model.set_rows(tuple(entries))
        self.setVisible(bool(entries))

    def follow(self, line: int) -> None:
        """Names the function of a line, counted from 1."""
        at = bisect_right(self._listed, line - 1, key=lambda function: function.line) - 1
        is_inside = at >= 0 and line <= self._listed[at].end
        with QSignalBlocker(self):
            self.setCurrentIndex(at if is_inside else -1)

    @Slot(int)
    def _on_activated(self, index: int) -> None:
        entry = self._model.rows[index]
        if entry.function is not None:
            self.line_requested.emit(entry.function.line + 1)
        else:
            self.function_wanted.emit(entry.name)


def shortened(names: Sequence[str]) -> list[str]:
    """Returns short forms of names: of names with equal beginnings, the different part is kept."""
    ordered = sorted(set(names))
    same: dict[str, int] = dict.fromkeys(names, 0)
    for name, following in pairwise(ordered):
        same_letters = takewhile(
            lambda pair: pair[0] == pair[1], zip(name, following, strict=False)
        )
        shared = sum(1 for _ in same_letters)
        for similar in (name, following):
            same[similar] = max(same[similar], shared)
    return [_cut(name, same[name]) for name in names]


def _cut(name: str, same: int) -> str:
    """Returns the beginning of a name, and the part from the first differing letter on."""
    if len(name) <= _LONGEST:
        return name
    if same < _LONGEST - 2:
        return f"{name[: _LONGEST - 1]}…"
    room = _LONGEST - _BEGINNING - 1
    # What comes before that letter says what it belongs to; at the end of a name all of it fits.
    start = min(same - room // 3, len(name) - room)
    rest = name[start:]
    return f"{name[:_BEGINNING]}…{rest if len(rest) <= room else rest[: room - 1] + '…'}"


def _title(entry: _Entry) -> str:
    return f"{entry.short} · {entry.function.line + 1:,}" if entry.function else entry.short


def _tooltip(entry: _Entry) -> str:
    return entry.shown if entry.name in ("", entry.shown) else f"{entry.shown}\n{entry.name}"


_COLUMN: TableColumn[_Entry] = TableColumn(
    QT_TRANSLATE_NOOP("Columns", "Function"), _title, tooltip=_tooltip
)


class FilterButton(QToolButton):
    """A menu with a check for each class of lines that can be left out.

    It looks pressed while a filter is on that leaves out words of the tools. Instructions, labels
    that are jumped to and heads are never left out.
    """

    def __init__(
        self, kind: CodeKind, visibility: LineVisibility, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._visibility = visibility
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
        offered = (of for of in _TITLES if kind is CodeKind.SASS or of not in _OF_SASS)
        self._actions = {of: self._make_action(menu, of) for of in offered}
        menu.addSeparator()
        self._show_all = menu.addAction(self.tr("&Show all lines"), visibility.show_all)
        self.setMenu(menu)
        visibility.filters_changed.connect(self._on_filters_changed)
        visibility.hidden_count_changed.connect(self._on_hidden_count_changed)
        self._on_filters_changed(visibility.filters)
        self._on_hidden_count_changed(visibility.rows.hidden_count)

    def _make_action(self, menu: QMenu, of: LineClass) -> QAction:
        translate = QCoreApplication.translate
        action = menu.addAction(translate("FilterButton", _TITLES[of]))
        action.setObjectName(f"hide{of.name.title()}Action")
        action.setToolTip(translate("FilterButton", _TIPS[of]))
        action.setCheckable(True)
        action.toggled.connect(self._on_toggled)
        return action

    @property
    def commands(self) -> tuple[QAction, ...]:
        """The actions that leave out lines of each class."""
        return tuple(self._actions.values())

    @Slot()
    def _on_toggled(self) -> None:
        checked = (of for of, action in self._actions.items() if action.isChecked())
        self._visibility.set_filters(frozenset(checked))

    @Slot(frozenset)
    def _on_filters_changed(self, filters: frozenset[LineClass]) -> None:
        for of, action in self._actions.items():
            with QSignalBlocker(action):
                action.setChecked(of in filters)
        self.setChecked(bool(filters - _OF_SASS))

    @Slot(int)
    def _on_hidden_count_changed(self, count: int) -> None:
        self._show_all.setEnabled(count > 0 or bool(self._visibility.filters))


class HiddenLines(QToolButton):
    """Tells the number of hidden lines, while there are any; a click shows all lines."""

    def __init__(
        self, kind: CodeKind, visibility: LineVisibility, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._count = 0
        self._is_roomy, self._is_covered = True, False
        self.setObjectName(f"{kind.value}HiddenLines")
        self.setAutoRaise(True)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.setToolTip(self.tr("Show all lines: switch filters off and unfold all"))
        self.clicked.connect(visibility.show_all)
        visibility.hidden_count_changed.connect(self._on_count_changed)
        self._on_count_changed(visibility.rows.hidden_count)

    def set_roomy(self, is_roomy: bool) -> None:
        """Leaves a narrow header to the other parts; folded lines show their count themselves."""
        self._is_roomy = is_roomy
        self._on_count_changed(self._count)

    def set_covered(self, is_covered: bool) -> None:
        """Says nothing of a listing that another view is shown in place of."""
        self._is_covered = is_covered
        self._on_count_changed(self._count)

    @Slot(int)
    def _on_count_changed(self, count: int) -> None:
        self._count = count
        self.setText(self.tr("{0:,} hidden").format(count))
        self.setVisible(count > 0 and self._is_roomy and not self._is_covered)


class ColumnsButton(QToolButton):
    """Opens the menu of columns."""

    def __init__(self, columns: Columns, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._columns = columns
        self.setObjectName(f"{columns.kind.value}ColumnsButton")
        self.setAutoRaise(True)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        name = self.tr("Columns of {code}").format(code=columns.kind.title)
        self.setAccessibleName(name)
        self.clicked.connect(self._on_clicked)
        columns.fitted.connect(self._on_fitted)
        self._on_fitted()

    @Slot()
    def _on_fitted(self) -> None:
        """Says which columns there is no room for, or why there are none."""
        is_known = self._columns.kind is CodeKind.SASS or self._columns.cells is not None
        self.setEnabled(is_known)
        tip, left_out = (
            self.tr("Choose what is shown with each instruction"),
            self._columns.left_out,
        )
        if not is_known:
            left_out = ()
            tip = self.tr("Counts of each line, once the kernel has run in the simulator")
        if left_out:
            said = self.tr("No room in this width: {columns}").format(columns=", ".join(left_out))
            tip = f"{tip}\n{said}"
        show_tip(self, tip)
        self.setText(f"+{len(left_out)}" if left_out else "")

    @Slot()
    def _on_clicked(self) -> None:
        self._columns.menu().popup(self.mapToGlobal(QPoint(0, self.height())))


class OutputHeader(QWidget):
    """Names the shown listing.

    Attributes:
        functions: The list of kernels and functions.

    Signals:
        module_chosen: The user wants to see another module.
    """

    module_chosen = Signal()

    def __init__(self, kind: CodeKind, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choice = QComboBox()
        self._choice.setObjectName(f"{kind.value}ModuleCombo")
        self._choice.setAccessibleName(
            self.tr("Module whose {kind} is shown").format(kind=kind.title)
        )
        self._title = ShorteningLabel()
        self._facts = WholeLabel()
        self._facts.setEnabled(False)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(10, 3, 4, 3)
        self._row.setSpacing(6)
        self._marked = ShorteningLabel()
        self._marked.setObjectName(f"{kind.value}Marked")
        self._marked.setTextFormat(Qt.TextFormat.PlainText)
        self._marked.setEnabled(False)
        self.functions = FunctionList(kind)
        for part in (self._choice, self._title, self.functions, self._facts, self._marked):
            # The names of functions may be long.
            self._row.addWidget(part, 3 if part is self.functions else 0)
        self._row.addStretch(1)
        self._choice.currentIndexChanged.connect(self._on_chosen)

    @property
    def module_index(self) -> int:
        """The index of the chosen module; 0 where there is no choice."""
        return max(0, self._choice.currentIndex())

    def add_tool(self, button: QToolButton, icon_name: str) -> None:
        """Puts a button to the right end."""
        show_icon(button, icon_name)
        fit_icon(button, _ICON_SIDE)
        self._row.addWidget(button)

    def add_note(self, note: QWidget) -> None:
        """Puts something behind the number of lines."""
        self._row.insertWidget(self._row.indexOf(self._facts) + 1, note)

    def show_modules(self, names: Sequence[str]) -> None:
        """Offers other modules; the chosen module stays chosen where still present."""
        before = self._choice.currentText()
        with QSignalBlocker(self._choice):
            self._choice.clear()
            self._choice.addItems(names)
            preferred = before if before in names else LINKED
            self._choice.setCurrentIndex(names.index(preferred) if preferred in names else 0)
        self._choice.setVisible(len(names) > 1)
        self._title.setVisible(len(names) == 1)
        self._title.setText(names[0] if names else "")

    def choose(self, name: str) -> None:
        """Chooses a module, if present."""
        index = self._choice.findText(name)
        if index >= 0:
            self._choice.setCurrentIndex(index)

    def show_line_count(self, count: int, functions: int = 0) -> None:
        """Says how many lines there are; nothing where there are none.

        Args:
            count: The lines.
            functions: Of how many functions one only is shown, which is said instead; 0 where all
                are.
        """
        said = self.tr("1 line") if count == 1 else self.tr("{0:,} lines").format(count)
        if functions:
            said = self.tr("1 of {0:,}").format(functions)
        self._facts.setText(said if count else "")

    @Slot(str)
    def show_marked(self, text: str) -> None:
        """Tells the marked word and the number of occurrences."""
        self._marked.setText(text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leaves a narrow line to the kernel: buttons have their names in tool tips, too."""
        super().resizeEvent(event)
        roomy, bare = (
            Qt.ToolButtonStyle.ToolButtonTextBesideIcon,
            Qt.ToolButtonStyle.ToolButtonIconOnly,
        )
        for button in self.findChildren(FilterButton):
            button.setToolButtonStyle(roomy if self.width() >= scaled(_ROOMY) else bare)
        for note in self.findChildren(HiddenLines):
            note.set_roomy(self.width() >= scaled(_NARROW))

    @Slot(int)
    def _on_chosen(self, _index: int) -> None:
        self.module_chosen.emit()
