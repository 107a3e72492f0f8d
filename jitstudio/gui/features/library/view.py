"""The Library pane: the kernels in a program, a library, a wheel or a cache, to be opened."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QSignalBlocker,
    Qt,
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from jitstudio.core.arch import Arch
from jitstudio.core.library import LibraryListing, ListingProgress
from jitstudio.gui.features.library.model import (
    COLUMNS,
    FIGURE_IDS,
    OF_CACHES,
    KernelRow,
    LibraryModel,
    rows_as_text,
)
from jitstudio.gui.kit.parts import ShorteningLabel, choice_box, muted, show_tip
from jitstudio.gui.kit.tables import ENTER_KEYS, PanelTable

_Key = tuple[str, str, int, int]

_REST_MS = 150
_MARGIN = 5
_WIDE_NAME = 40


class LibraryView(QWidget):
    """A field and a choice of targets over a table of kernels.

    Signals:
        kernel_activated: The user wants to read this kernel.
        stop_wanted: The file shall not be read on.
    """

    kernel_activated = Signal(KernelRow)
    stop_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("libraryView")
        self._model = LibraryModel(self)
        self._model.filtered.connect(self._on_filtered)
        self._model.modelAboutToBeReset.connect(self._keep_selection)
        self._left_selection: _Kept | None = None
        self._path, self._name = Path(), ""
        self._count = 0
        self._field = QLineEdit(self, clearButtonEnabled=True)
        self._field.setObjectName("libraryField")
        self._field.setPlaceholderText(self.tr("Find kernels by parts of their names"))
        self._field.setAccessibleName(self.tr("Find kernels"))
        self._targets = choice_box(self, "libraryTargets", self.tr("Target of the kernels"))
        self._status = ShorteningLabel(self)
        self._status.setObjectName("libraryStatus")
        self._stop = QToolButton(self)
        self._stop.setText(self.tr("Stop"))
        self._stop.setToolTip(self.tr("Stop reading the file (Esc)"))
        self._stop.clicked.connect(self.stop_wanted)
        self._notes = muted(ShorteningLabel(self))
        self._notes.setObjectName("libraryNotes")
        self._table = self._make_table()
        self._lay_out()
        self._rest = QTimer(self, singleShot=True, interval=_REST_MS)
        self._rest.timeout.connect(self._ask)
        self._field.textChanged.connect(self._rest.start)
        self._field.returnPressed.connect(self._on_enter_in_field)
        self._targets.currentIndexChanged.connect(self._ask)
        self.setFocusProxy(self._field)
        self.show_failure("")

    @property
    def model(self) -> LibraryModel:
        """The model of the shown kernels."""
        return self._model

    @property
    def table(self) -> PanelTable:
        """The table of kernels."""
        return self._table

    @property
    def field(self) -> QLineEdit:
        """The field for parts of names."""
        return self._field

    @property
    def targets(self) -> QComboBox:
        """The choice of a target."""
        return self._targets

    @property
    def status(self) -> str:
        """The status text about the file."""
        return self._status.text()

    def begin(self, path: Path) -> None:
        """Shows that a file or folder is being read."""
        self._path, self._name = path, path.name
        show_tip(self._status, str(path))
        self._show(None)
        self._left_selection = None
        self._stop.show()
        reading = self.tr("Reading {name}…").format(name=path.name)
        self._status.setText(reading)
        self._table.set_hint(reading)

    @Slot(object)
    def show_progress(self, progress: ListingProgress) -> None:
        """Says how far the file is read."""
        words = self.tr("Reading: {count:,} kernels so far")
        self._status.setText(words.format(count=progress.kernels))
        reading = self.tr("Reading {name}…\n{count:,} kernels so far, now in {member}")
        member = progress.member or self._name
        self._table.set_hint(reading.format(name=self._name, count=progress.kernels, member=member))

    def show_listing(self, listing: LibraryListing) -> None:
        """Shows the kernels of the file or folder."""
        self._field.clear()
        if listing.folders:
            # Many caches are called "cache".
            self._name = "/".join(self._path.parts[-2:])
        self._table.set_absent(*(() if listing.folders else OF_CACHES))
        self._show(listing)
        self._left_selection = None
        self._table.set_hint(self.tr("No kernel has such a name for this target."))

    def update_listing(self, listing: LibraryListing) -> None:
        """Shows the present content of a folder; selection and scroll position stay."""
        target = self._targets.currentData()
        self._show(listing, is_same=True)
        self._targets.setCurrentIndex(max(self._targets.findData(target), 0))

    def show_failure(self, message: str) -> None:
        """Says why there are no kernels; nothing where no file was opened yet."""
        self._show(None)
        self._status.setText(self.tr("No kernels") if message else "")
        self._table.set_hint(message or self._nothing_open())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Stops reading on Esc; on Down goes from the field to the table."""
        if event.key() == Qt.Key.Key_Escape and not self._stop.isHidden():
            self.stop_wanted.emit()
        elif event.key() == Qt.Key.Key_Down and self._field.hasFocus():
            self._go_to_table()
        else:
            super().keyPressEvent(event)

    @Slot()
    def copy_all(self) -> None:
        """Puts the rows that are shown on the clipboard, for a spreadsheet."""
        QGuiApplication.clipboard().setText(rows_as_text(self._model.rows))

    @Slot()
    def copy_names(self) -> None:
        """Copies the lowered names of the selected rows to the clipboard, a name per line."""
        selected = sorted(index.row() for index in self._table.selectionModel().selectedRows())
        names = [self._model.rows[row].kernel.name for row in selected]
        if names:
            QGuiApplication.clipboard().setText("\n".join(names))

    def _nothing_open(self) -> str:
        return self.tr(
            "Open a program, a shared or static library, a wheel or a zip, or the folder of a "
            "cache, or drop it here.\n"
            "The kernels inside are listed with their resources, and each can be opened."
        )

    def _show(self, listing: LibraryListing | None, *, is_same: bool = False) -> None:
        self._stop.hide()
        self._count = len(listing.kernels) if listing else 0
        self._model.show_listing(listing, is_same=is_same)
        archs = {piece.target: piece.arch for piece in listing.pieces} if listing else {}
        with QSignalBlocker(self._targets):
            self._targets.clear()
            self._targets.addItem(self.tr("All targets"), "")
            for target in _in_order(archs):
                self._targets.addItem(target, target)
        notes = listing.notes if listing else ()
        self._notes.setText("  ".join(notes))
        show_tip(self._notes, "\n".join(notes))
        self._notes.setVisible(bool(notes))
        for part in (self._field, self._targets):
            part.setEnabled(listing is not None)
        if listing is not None:
            self._ask()

    @Slot()
    def _keep_selection(self) -> None:
        if self._left_selection is not None:
            # Rows are replaced again before what was selected could be.
            return
        rows, table = self._model.rows, self._table
        selected = {_key(rows[i.row()]) for i in table.selectionModel().selectedRows()}
        index = table.currentIndex()
        current = _key(rows[index.row()]) if index.isValid() else None
        self._left_selection = _Kept(selected, current, table.visualRect(index).top())

    def _select_again(self) -> None:
        selection, self._left_selection = self._left_selection, None
        if selection is None:
            return
        model, table = self._model, self._table
        places = {_key(row): number for number, row in enumerate(model.rows)}
        chosen = QItemSelection()
        for key in selection.selected & places.keys():
            index = model.index(places[key], 0)
            chosen.select(index, index)
        flags = QItemSelectionModel.SelectionFlag
        if selection.current in places:
            index = model.index(places[selection.current], 0)
            table.selectionModel().setCurrentIndex(index, flags.NoUpdate)
            scroll = table.verticalScrollBar()
            scroll.setValue(scroll.value() + table.visualRect(index).top() - selection.top)
        table.selectionModel().select(chosen, flags.ClearAndSelect | flags.Rows)

    def _make_table(self) -> PanelTable:
        table = PanelTable(self.tr("Kernels in the file"), self)
        table.setObjectName("libraryTable")
        table.setModel(self._model)
        table.setSelectionMode(QTableView.SelectionMode.ExtendedSelection)
        figures = range(2, 2 + len(FIGURE_IDS))
        place = figures.stop
        date, origin, source = OF_CACHES
        widths = {n: len(COLUMNS[n].heading) + 3 for n in figures}
        widths |= {1: 13, place: 26, date: 18, origin: 16, source: 20}
        table.set_columns(stretched=0, widths=widths)
        for after, column in enumerate(OF_CACHES, 2):
            table.horizontalHeader().moveSection(column, after)
        optional = (1, 2, date, source, origin, 4, 3, 5, place, *figures[4:])
        table.hide_when_narrow(*optional, least=_WIDE_NAME)
        table.set_absent(*OF_CACHES)
        table.sort_by_headers()
        table.doubleClicked.connect(self._on_activated)
        table.add_command(self.tr("&Open"), self._on_activated, *ENTER_KEYS)
        table.add_command(self.tr("Copy &names"), self.copy_names, "Ctrl+C")
        table.add_command(self.tr("Copy &table"), self.copy_all)
        return table

    def _lay_out(self) -> None:
        bar = QHBoxLayout()
        bar.setContentsMargins(_MARGIN, _MARGIN, _MARGIN, _MARGIN)
        bar.setSpacing(_MARGIN)
        bar.addWidget(self._field, 3)
        bar.addWidget(self._targets)
        bar.addWidget(self._status, 2)
        bar.addWidget(self._stop)
        self._notes.setContentsMargins(2 * _MARGIN, _MARGIN, 2 * _MARGIN, _MARGIN)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(bar)
        layout.addWidget(self._table, 1)
        layout.addWidget(self._notes)

    @Slot()
    def _ask(self) -> None:
        self._rest.stop()
        words = tuple(self._field.text().lower().split())
        target = self._targets.currentData() or ""
        self._model.ask(replace(self._model.query, words=words, target=target))

    @Slot()
    def _on_filtered(self) -> None:
        self._select_again()
        if not self._count:
            return
        words = self.tr("{shown:,} of {count:,} kernels in {name}")
        shown = len(self._model.rows)
        self._status.setText(words.format(shown=shown, count=self._count, name=self._name))

    @Slot()
    def _on_enter_in_field(self) -> None:
        if self._rest.isActive():
            self._ask()
        else:
            self._go_to_table()

    def _go_to_table(self) -> None:
        if self._model.rows:
            if not self._table.currentIndex().isValid():
                self._table.selectRow(0)
            self._table.setFocus()

    @Slot()
    def _on_activated(self) -> None:
        index = self._table.currentIndex()
        if index.isValid():
            self.kernel_activated.emit(self._model.rows[index.row()])


class _Kept(NamedTuple):
    """The selection while rows are replaced.

    Attributes:
        selected: The rows.
        current: The one that has the keyboard; None for none.
        top: Where that begins in the viewport, in pixels.
    """

    selected: set[_Key]
    current: _Key | None
    top: int


def _key(row: KernelRow) -> _Key:
    """Returns the identity of a row, also after the folder was listed again."""
    return row.kernel.name, row.piece.member, row.piece.offset, row.piece.number


def _in_order(archs: dict[str, Arch]) -> Iterable[str]:
    return sorted(archs, key=lambda target: (target.startswith("compute"), archs[target]))
