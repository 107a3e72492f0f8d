"""The columns of a listing: the columns that fit next to the text, their menu and place."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMargins, QObject, QPoint, QRect, Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QLabel, QMenu, QWidget

from jitstudio.core.code import CodeKind
from jitstudio.gui.kit.presentation import plain_tooltip
from jitstudio.gui.listing.columns.count_columns import COUNT_COLUMNS
from jitstudio.gui.listing.columns.sass_cells import PAD, ColumnGeometry, ListingCells
from jitstudio.gui.listing.columns.sass_columns import COLUMNS, ColumnChoice
from jitstudio.gui.listing.columns.strip import ColumnGutter, ColumnHeader, PeakMarks
from jitstudio.gui.listing.listing_view import ListingView
from jitstudio.gui.listing.output_exports import CopiedColumns

# What the text keeps where it is not known how long its instructions are, in cells.
_TEXT_CELLS = 44
_PLACED = frozenset((QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show))


class Columns(QObject):
    """The columns of a `ListingView`; there are none until `show_choice`.

    Those of PTX are counts and there as long as something was counted; those of SASS stay.

    Args:
        view: The listing.
        kind: SASS or PTX.

    Attributes:
        kind: SASS or PTX.
        fitting: Those that there is room for next to the instructions.
        header: Names them.
        gutter: Draws them.
        peak_marks: Marks the peaks in the scroll bar.

    Signals:
        chosen: The user wants columns so; `show_choice` shows them.
        addresses_chosen: The user wants the column of addresses, or no longer.
        fitted: There is room for others now, or there is something else to say of each line.
        dialog_requested: The user wants to see all that there are.
    """

    chosen = Signal(ColumnChoice)
    addresses_chosen = Signal(bool)
    fitted = Signal()
    dialog_requested = Signal()

    def __init__(self, view: ListingView, kind: CodeKind = CodeKind.SASS) -> None:
        super().__init__(view)
        self.kind = kind
        self._view = view
        self._choice = self.fitting = ColumnChoice(())
        self._cells: ListingCells | None = None
        self._is_left = False
        # The rest of the line of the names.
        self._strip = QFrame(view)
        self._strip.setObjectName(f"{kind.value}ColumnStrip")
        self._address = QLabel(self.tr("Address"), self._strip)
        self._address.setToolTip(self.tr("Bytes from the start of the function, in hexadecimal"))
        self.header = ColumnHeader(COLUMNS if kind is CodeKind.SASS else COUNT_COLUMNS, view)
        self.header.setObjectName(f"{kind.value}ColumnHeader")
        self.gutter = ColumnGutter(view)
        self.peak_marks = PeakMarks(view)
        for part in (self.header, self.gutter):
            part.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
            part.customContextMenuRequested.connect(self._on_menu_requested)
        self.header.chosen.connect(self.chosen)
        view.viewport().installEventFilter(self)
        view.caret_placed.connect(self._on_caret_placed)
        view.font_size_changed.connect(self._on_view_changed)
        view.search_text_changed.connect(self._on_view_changed)
        view.names_changed.connect(self._on_view_changed)
        self._lay_out()

    @property
    def choice(self) -> ColumnChoice:
        """The user's choice of columns."""
        return self._choice

    @property
    def left_out(self) -> tuple[str, ...]:
        """The names of the columns without room."""
        fitting = {setting.key for setting in self.fitting.shown}
        return tuple(
            setting.column.name for setting in self._choice.shown if setting.key not in fitting
        )

    @property
    def cells(self) -> ListingCells | None:
        """The cells of the columns, if known yet."""
        return self._cells

    def show_choice(self, choice: ColumnChoice) -> None:
        """Shows the columns of a choice."""
        self._choice = choice
        self._lay_out()

    def show_cells(self, cells: ListingCells | None) -> None:
        """Shows `cells` of each line; nothing while the cells are unknown."""
        self._cells = cells
        self.gutter.show_cells(cells)
        if self.kind is CodeKind.PTX:
            self._lay_out()
            self.fitted.emit()
        if cells is None:
            self.peak_marks.show_marks(())
        self._on_caret_placed()

    def copied(self) -> CopiedColumns | None:
        """The columns to copy with the lines; None without cells, or without shown columns."""
        cells, choice = self._cells, self._choice
        if cells is None or not choice.shown:
            return None
        return CopiedColumns(cells.header(choice), lambda line: cells.text(line, choice))

    def set_left(self, is_left: bool) -> None:
        """Shows the columns left or right of the text."""
        self._is_left = is_left
        self._lay_out()

    def menu(self) -> QMenu:
        """Returns a menu with a switch for each column; the menu is deleted when closed."""
        menu = QMenu(self._view)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        if self.kind is CodeKind.SASS:
            self._add_address(menu)
        for setting in self._choice.columns:
            action = menu.addAction(setting.column.name)
            action.setData(setting.key)
            action.setToolTip(plain_tooltip(setting.column.explanation))
            action.setCheckable(True)
            action.setChecked(setting.is_shown)
        if self.kind is CodeKind.SASS:
            menu.addSeparator()
            menu.addAction(self.tr("&Arrange columns…"), self.dialog_requested.emit)
        menu.triggered.connect(self._on_triggered)
        return menu

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Follows the place and size of the text."""
        if event.type() in _PLACED:
            self._lay_out()
        return False

    # How it does it.

    def _add_address(self, menu: QMenu) -> None:
        address = menu.addAction(self._address.text())
        address.setToolTip(self._address.toolTip())
        address.setCheckable(True)
        address.setChecked(self._view.has_addresses)
        address.triggered.connect(self.addresses_chosen)

    def _measure(self) -> ColumnGeometry:
        return ColumnGeometry(self.fitting, self._view.grid.cell)

    def _fit(self) -> None:
        """Measures the room for columns.

        That is next to the longest instruction; where columns of SASS would be left out for it,
        next to all but the few longest, which the listing cuts with a sign.
        """
        extent = self._view.text.extent
        fitting = self._beside(extent.code or _TEXT_CELLS)
        may_cut = self.kind is CodeKind.SASS and extent.usual < extent.code
        if may_cut and self._choice.shown != fitting.shown:
            usual = self._beside(extent.usual)
            if len(usual.shown) > len(fitting.shown):
                fitting = usual
        if fitting != self.fitting:
            self.fitting = fitting
            self.fitted.emit()

    def _beside(self, code: int) -> ColumnChoice:
        """Returns the columns that fit next to instructions of `code` cells."""
        view, grid = self._view, self._view.grid
        spare = view.room - grid.text_left - PAD - code * grid.cell
        return self._choice.fit(int(spare / grid.cell))

    @property
    def _is_there(self) -> bool:
        is_known = self.kind is CodeKind.SASS or self._cells is not None
        return is_known and bool(self.fitting.shown) and self._view.line_count > 0

    def _lay_out(self) -> None:
        """Takes the room that is needed."""
        self._fit()
        is_there = self._is_there
        for part in (self.header, self.gutter, self._strip):
            part.setVisible(is_there)
        if not is_there:
            self._view.leave_room(QMargins())
            return
        width = self._measure().width
        left, right = (width, 0) if self._is_left else (0, width)
        self._view.leave_room(QMargins(left, self.header.sizeHint().height(), right, 0))
        self._place()

    def _place(self) -> None:
        """Takes the place that was left for the columns."""
        if not self._is_there:
            return
        measure, inside = self._measure(), self._view.viewport().geometry()
        height, width = self.header.sizeHint().height(), measure.width
        left = inside.left() - width if self._is_left else inside.right() + 1
        self._strip.setGeometry(inside.left(), inside.top() - height, inside.width(), height)
        self.header.setGeometry(QRect(left, inside.top() - height, width, height))
        self.gutter.setGeometry(QRect(left, inside.top(), width, inside.height()))
        grid = self._view.grid
        self._address.setVisible(grid.lead > 0)
        self._address.setGeometry(grid.margin, 0, self._address.sizeHint().width(), height)
        self.header.lay_out(measure, self._choice)
        self.gutter.lay_out(measure, self._is_left)

    @Slot()
    def _on_view_changed(self) -> None:
        self._lay_out()

    @Slot(QPoint)
    def _on_menu_requested(self, at: QPoint) -> None:
        part = self.sender()
        assert isinstance(part, QWidget)
        self.menu().popup(part.mapToGlobal(at))

    @Slot(QAction)
    def _on_triggered(self, action: QAction) -> None:
        if action.data():
            self.chosen.emit(self._choice.show(action.data(), action.isChecked()))

    @Slot()
    def _on_caret_placed(self) -> None:
        """Adds the columns of the line to the description for screen readers."""
        if self._cells is not None and self._is_there:
            words = self._cells.words(self._view.caret.line, self._choice.shown)
            if words:
                description = self._view.accessibleDescription().partition("\n")[0]
                self._view.setAccessibleDescription(f"{description}\n{words}")
