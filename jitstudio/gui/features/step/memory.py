"""Memory at a step: a buffer or a shared array as a table of elements, and as a line."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QCoreApplication,
    QObject,
    QPointF,
    QRectF,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QPolygonF, QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QSizePolicy,
    QSpinBox,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from jitstudio.core.launch.simulation import StateSpace
from jitstudio.gui.kit.fonts import show_as_code
from jitstudio.gui.kit.parts import FieldName
from jitstudio.gui.kit.presentation import MUTED_ROLE, ModelIndex
from jitstudio.gui.kit.tables import PanelTable
from jitstudio.gui.kit.theme import current_theme, follow_theme
from jitstudio.simulator.stepping.requests import MemoryArea, MemoryPage, StepState

PAGE_ELEMENTS = 4096
"""Elements that are read at a time."""

_PER_ROW = 8
# In letters: of a column.
_LEAST = 10
_FONT_SIZE = 9.5
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
# What an element is read as: its name in CUDA C++, and its code of the module `struct`.
ELEMENTS = {
    "float": "f",
    "int": "i",
    "unsigned": "I",
    "double": "d",
    "half": "e",
    "long long": "q",
    "unsigned long long": "Q",
    "short": "h",
    "unsigned short": "H",
    "char": "b",
    "unsigned char": "B",
    "bool": "?",
}
# Other spellings in C++, and the types by which PTX accesses shared arrays.
_SPELLINGS = {
    "float": "f32",
    "double": "f64",
    "half": "__half f16",
    "int": "s32 b32",
    "unsigned": "uint u32",
    "long long": "long longlong s64 b64",
    "unsigned long long": "ulong ulonglong u64",
    "short": "s16 b16",
    "unsigned short": "ushort u16",
    "char": "s8",
    "unsigned char": "uchar u8 b8",
}
_NAMES = {
    "unsigned int": "unsigned",
    "unsigned long": "unsigned long long",
    "signed char": "char",
    **{name: name for name in ELEMENTS},
    **{word: name for name, words in _SPELLINGS.items() for word in words.split()},
}
# `float4`, `uint2`: elements side by side.
_VECTOR = re.compile(r"[1-4]$")


def element_name(spelling: str) -> str:
    """Returns the name in `ELEMENTS` of a type of C++ or PTX; empty for other types."""
    return _NAMES.get(spelling) or _NAMES.get(_VECTOR.sub("", spelling), "")


class MemoryModel(QAbstractTableModel):
    """Elements of memory, eight to a row; elements that nobody has written are dashes."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._values: Sequence[float] = ()
        self._written: Sequence[bool] = ()
        self._changed: frozenset[int] = frozenset()
        self._first = 0
        self._is_float = True

    @property
    def values(self) -> Sequence[float]:
        """The elements that are shown."""
        return self._values

    @property
    def written(self) -> Sequence[bool]:
        """Whether each element has been written."""
        return self._written

    def show(self, page: MemoryPage | None, code: str, first: int, *, is_same: bool) -> None:
        """Shows elements from `first` on; changed elements of the same place are bold."""
        size = struct.calcsize(code)
        values: tuple[float, ...] = ()
        written: tuple[bool, ...] = ()
        if page is not None:
            count = len(page.data) // size
            values = struct.unpack(f"<{count}{code}", page.data[: count * size])
            marks = page.written
            written = tuple(all(marks[i * size : (i + 1) * size]) for i in range(count))
        before, were = self._values, self._written
        self.beginResetModel()
        self._changed = frozenset()
        if is_same and len(before) == len(values):
            pairs = enumerate(zip(before, values, were, written, strict=True))
            self._changed = frozenset(
                i for i, (a, b, was, now) in pairs if was != now or (a != b and b == b)
            )
        self._values, self._written, self._first = values, written, first
        self._is_float = code in "fde"
        self.endResetModel()

    def rowCount(self, parent: ModelIndex | None = None) -> int:
        """Returns the rows that the elements take."""
        if parent is not None and parent.isValid():
            return 0
        return -(-len(self._values) // _PER_ROW)

    def columnCount(self, parent: ModelIndex | None = None) -> int:
        """Returns the elements of a row."""
        return 0 if parent is not None and parent.isValid() else _PER_ROW

    def data(self, index: ModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Returns elements."""
        at = index.row() * _PER_ROW + index.column()
        if at >= len(self._values):
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                if not self._written[at]:
                    return "-"
                value = self._values[at]
                return f"{value:.7g}" if self._is_float else str(value)
            case Qt.ItemDataRole.TextAlignmentRole:
                return _RIGHT
            case Qt.ItemDataRole.ToolTipRole:
                place = f"[{self._first + at}]"
                if not self._written[at]:
                    return self.tr("{place}: not written yet").format(place=place)
                return f"{place} = {self._values[at]!r}"
            case Qt.ItemDataRole.FontRole if at in self._changed:
                font = QFont()
                font.setBold(True)
                return font
            case Qt.ItemDataRole.ForegroundRole if at in self._changed:
                return current_theme().ui.accent
            case _ if role == MUTED_ROLE:
                return not self._written[at]
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Returns the index of the first element of a row, or the offset of a column."""
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        if orientation == Qt.Orientation.Vertical:
            return f"{self._first + section * _PER_ROW:,}"
        return f"+{section}"


class MemoryPlot(QWidget):
    """Draws elements as a line; elements that nobody has written are left out."""

    def __init__(self, model: MemoryModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("stepMemoryPlot")
        self.setAccessibleName(self.tr("The elements as a line"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._model = model
        model.modelReset.connect(self.update)
        follow_theme(self, MemoryPlot.update)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draws the line with the range."""
        theme = current_theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), theme.ui.base)
        known = [
            (at, float(value))
            for at, (value, is_written) in enumerate(
                zip(self._model.values, self._model.written, strict=True)
            )
            if is_written and abs(value) < float("inf")
        ]
        area = QRectF(self.rect()).adjusted(10, 22, -10, -22)
        painter.setPen(theme.ui.muted_text)
        if not known:
            painter.drawText(
                area, Qt.AlignmentFlag.AlignCenter, self.tr("Nothing has been written here yet.")
            )
            painter.end()
            return
        low, high = min(v for _, v in known), max(v for _, v in known)
        painter.drawText(QPointF(area.left(), area.top() - 6), f"{high:.6g}")
        painter.drawText(QPointF(area.left(), area.bottom() + 16), f"{low:.6g}")
        width = area.width() / max(1, len(self._model.values) - 1)
        height = area.height() / ((high - low) or 1)
        points = [
            QPointF(area.left() + at * width, area.bottom() - (value - low) * height)
            for at, value in known
        ]
        painter.setPen(theme.ui.accent)
        painter.drawPolyline(QPolygonF(points))
        painter.setBrush(theme.ui.accent)
        if len(points) <= area.width() / 6:
            for point in points:
                painter.drawEllipse(point, 2, 2)
        painter.end()


class MemoryView(QWidget):
    """A choice of memory above a table of elements.

    Signals:
        wanted: These bytes are to be read: the area, the first byte, how many.
    """

    wanted = Signal(object, int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("stepMemory")
        self._areas: tuple[MemoryArea, ...] = ()
        self._elements: dict[str, str] = {}
        self._speller: Callable[[str], str] = str
        self._asked: tuple[MemoryArea, str, int] | None = None
        self._shown: tuple[MemoryArea, str, int] | None = None
        self._is_outdated = self._is_chosen = False
        self._area = QComboBox(self)
        self._area.setObjectName("stepArea")
        self._area.setAccessibleName(self.tr("Memory that is shown"))
        self._element = QComboBox(self)
        self._element.setObjectName("stepElement")
        self._element.setAccessibleName(self.tr("What an element is"))
        self._element.addItems(list(ELEMENTS))
        self._start = QSpinBox(self)
        self._start.setObjectName("stepFrom")
        self._start.setAccessibleName(self.tr("First element"))
        self._start.setSingleStep(PAGE_ELEMENTS)
        self._start.setKeyboardTracking(False)
        self.model = MemoryModel(self)
        self.table = PanelTable(self.tr("Elements"), self)
        self.table.setObjectName("stepMemoryTable")
        self.table.setModel(self.model)
        self.table.verticalHeader().show()
        self.table.set_hint(self.tr("There is no memory to look at."))
        show_as_code(self.table, _FONT_SIZE)
        header = self.table.horizontalHeader()
        header.setMinimumSectionSize(self.table.fontMetrics().horizontalAdvance("0") * _LEAST)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.plot = MemoryPlot(self.model, self)
        self._tabs = QTabWidget(self)
        self._tabs.setAccessibleName(self.tr("How the elements are shown"))
        self._tabs.setDocumentMode(True)
        self._tabs.addTab(self.table, self.tr("Table"))
        self._tabs.addTab(self.plot, self.tr("Plot"))
        bar = QHBoxLayout()
        bar.setContentsMargins(8, 6, 8, 6)
        bar.setSpacing(8)
        bar.addWidget(self._area, 1)
        bar.addWidget(self._element)
        bar.addWidget(FieldName(self.tr("Fro&m"), self._start, self))
        bar.addWidget(self._start)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(bar)
        column.addWidget(self._tabs, 1)
        self._area.currentIndexChanged.connect(self._on_area)
        self._area.activated.connect(self._on_chosen)
        self._element.currentIndexChanged.connect(self._ask)
        self._start.valueChanged.connect(self._ask)
        self.setFocusProxy(self.table)

    def set_elements(self, names: dict[str, str]) -> None:
        """Sets the element types of buffers, by the name of the buffer."""
        self._elements = {name: element_name(kind) for name, kind in names.items()}

    def spell_by(self, speller: Callable[[str], str]) -> None:
        """Shows names in the spelling of `speller`."""
        self._speller = speller
        self._fill()

    def show_state(self, state: StepState | None) -> None:
        """Shows memory at a step."""
        areas = state.areas if state is not None else ()
        if [(a.name, a.space) for a in areas] != [(a.name, a.space) for a in self._areas]:
            self._areas = areas
            self._fill()
        self._areas = areas
        if state is None:
            self._is_chosen = False
            self._shown = None
            self.model.show(None, "f", 0, is_same=False)
        else:
            self._follow(state.touched)
            self._ask()

    def show_page(self, page: MemoryPage) -> None:
        """Shows the requested page."""
        if self._asked is None:
            return
        _area, code, first = self._asked
        self.model.show(page, code, first, is_same=self._asked == self._shown)
        self._shown = self._asked

    def showEvent(self, event: QShowEvent) -> None:
        """Reads changed memory as soon as the view becomes visible."""
        super().showEvent(event)
        if self._is_outdated:
            self._ask()

    def _fill(self) -> None:
        names = [area.name for area in self._areas]
        name = self._area.currentData()
        self._area.blockSignals(True)
        self._area.clear()
        for area in self._areas:
            self._area.addItem(_area_text(area, self._type_of(area), self._speller), area.name)
        self._area.setCurrentIndex(names.index(name) if name in names else min(0, len(names) - 1))
        self._area.blockSignals(False)
        self._choose_element()

    def _type_of(self, area: MemoryArea) -> str:
        return self._elements.get(area.name) or element_name(area.type)

    def _follow(self, touched: str) -> None:
        """Shows the memory that is accessed next, until the user has chosen another."""
        names = [area.name for area in self._areas]
        name = touched.rpartition(" + ")[0]
        if not self._is_chosen and name in names and names.index(name) != self._area.currentIndex():
            self._area.setCurrentIndex(names.index(name))

    @Slot()
    def _on_chosen(self) -> None:
        self._is_chosen = True

    def _choose_element(self) -> None:
        at = self._area.currentIndex()
        if 0 <= at < len(self._areas):
            name = self._type_of(self._areas[at])
            self._element.blockSignals(True)
            self._element.setCurrentText(name or "float")
            self._element.blockSignals(False)

    @Slot()
    def _on_area(self) -> None:
        self._choose_element()
        self._start.blockSignals(True)
        self._start.setValue(0)
        self._start.blockSignals(False)
        self._ask()

    @Slot()
    def _ask(self) -> None:
        at = self._area.currentIndex()
        if not 0 <= at < len(self._areas):
            return
        self._is_outdated = not self.isVisible()
        if self._is_outdated:
            return
        area, code = self._areas[at], ELEMENTS[self._element.currentText()]
        size = struct.calcsize(code)
        self._start.blockSignals(True)
        self._start.setMaximum(max(0, area.size // size - 1))
        self._start.blockSignals(False)
        first = self._start.value()
        self._asked = (area, code, first)
        self.wanted.emit(area, first * size, PAGE_ELEMENTS * size)


def _area_text(area: MemoryArea, element: str, spell: Callable[[str], str]) -> str:
    if area.space is StateSpace.LOCAL:
        return QCoreApplication.translate("MemoryView", "Local memory of the thread")
    if element:
        count = area.size // struct.calcsize(ELEMENTS[element])
        return f"{spell(area.name)}: {count:,} x {element} ({area.space.value})"
    return f"{spell(area.name)} ({area.space.value}, {area.size:,} bytes)"
