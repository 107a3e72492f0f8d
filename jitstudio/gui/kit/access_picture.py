"""A picture of a memory request: the words that lanes touch, by banks or cache lines."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QHelpEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from jitstudio.core.launch.simulation import (
    LINE_BYTES,
    SECTOR_BYTES,
    WORD_BYTES,
    AccessKind,
    AccessSample,
    PictureRow,
    StateSpace,
)
from jitstudio.gui.kit.launch_figures import number_text
from jitstudio.gui.kit.presentation import plain_tooltip
from jitstudio.gui.kit.theme import current_theme, when_theme_changes
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP

_COLUMNS = 32
_SECTOR_WORDS = SECTOR_BYTES // WORD_BYTES
_MARGIN, _AIR = 12, 1.5
_LEAST_CELL, _LEAST_HEIGHT = 6, 8
_LABEL_CHARACTERS = 11
_KINDS = {
    AccessKind.READ: QT_TRANSLATE_NOOP("AccessWords", "Load from {space} memory"),
    AccessKind.WRITE: QT_TRANSLATE_NOOP("AccessWords", "Store to {space} memory"),
    AccessKind.ATOMIC: QT_TRANSLATE_NOOP("AccessWords", "Atomic on {space} memory"),
}


def access_kind(sample: AccessSample) -> str:
    """Returns the kind of an access in words: "Load from shared memory"."""
    words = QCoreApplication.translate("AccessWords", _KINDS[sample.kind])
    return words.format(space=sample.space.value)


def access_text(sample: AccessSample) -> str:
    """Returns the cost of an access, and a cheaper way if known."""
    translate = QCoreApplication.translate
    is_shared = sample.space is StateSpace.SHARED
    is_atomic = sample.kind is AccessKind.ATOMIC
    least = _least_passes(sample)
    if is_shared and not sample.cost:
        cost = translate("AccessWords", "no pass, as the memory is that of other blocks")
    elif sample.cost == 1:
        least_cost = translate("AccessWords", "one pass, the least possible")
        cost = least_cost if is_shared else translate("AccessWords", "one sector of 32 bytes")
    elif is_shared and is_atomic:
        cost = translate("AccessWords", "{cost} passes at most, {mean} on average")
    elif is_shared and sample.cost == least:
        cost = translate("AccessWords", "{cost} passes, the least for its width")
    elif is_shared:
        cost = translate(
            "AccessWords",
            "{cost} passes at most, {mean} on average, where {least} is the least",
        )
    elif is_atomic:
        cost = translate(
            "AccessWords",
            "{cost} sectors of 32 bytes at most, {mean} on average, where lanes at one address "
            "take one each",
        )
    else:
        cost = translate("AccessWords", "{cost} sectors of 32 bytes at most, {mean} on average")
    block, thread = (", ".join(map(str, i)) for i in (sample.place.block, sample.place.thread))
    where = translate("AccessWords", "Drawn is the warp of thread ({thread}) of block ({block})")
    cost = cost.format(cost=sample.cost, least=least, mean=number_text(sample.mean))
    return " ".join(
        (
            f"{access_kind(sample)}: {cost}.",
            sample.advice or f"{where.format(thread=thread, block=block)}.",
        )
    )


def _least_passes(sample: AccessSample) -> int:
    """Returns the passes of the lanes without conflicts, which are served by parts of a warp."""
    lanes = LINE_BYTES // max(sample.size, WORD_BYTES)
    return min(sample.cost, len({lane // lanes for lane, _ in sample.lanes}))


def texels_text() -> str:
    """Returns why an access to texels has no picture."""
    return QCoreApplication.translate(
        "AccessWords",
        "Texels are read or written here. How they lie in memory is not documented, so their "
        "requests are counted, and no sectors are drawn.",
    )


class AccessPicture(QWidget):
    """32 columns of words: the banks of shared memory, or a line of 128 bytes of other memory."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("accessPicture")
        self._sample: AccessSample | None = None
        self._rows: tuple[PictureRow, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        when_theme_changes(self, AccessPicture.update)

    @property
    def rows(self) -> tuple[PictureRow, ...]:
        """The drawn rows."""
        return self._rows

    def show_access(self, sample: AccessSample | None) -> None:
        """Draws another request, or none."""
        self._sample = sample
        self._rows = sample.words() if sample else ()
        self.setAccessibleName(access_text(sample) if sample else "")
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Returns the size of all rows."""
        rows = len(self._rows) + 1
        height = 2 * _MARGIN + self._line + rows * self._height
        return QSize(2 * _MARGIN + self._label_width + _COLUMNS * _LEAST_CELL, int(height))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Sets the height that cells of the present width need."""
        super().resizeEvent(event)
        self.updateGeometry()

    def minimumSizeHint(self) -> QSize:
        """Returns the same: the pane scrolls."""
        return self.sizeHint()

    def event(self, event: QEvent) -> bool:
        """Says which lanes touch a word."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), plain_tooltip(self._tip(event.pos().toPointF())))
            return True
        return super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draws the names of the columns, then row after row."""
        if self._sample is None:
            return
        painter = QPainter(self)
        theme = current_theme()
        painter.setFont(self.font())
        is_shared = self._sample.space is StateSpace.SHARED
        step = 1 if self._cell >= self._wide else 4 if 2 * self._cell >= self._wide / 2 else 8
        for column in range(0, _COLUMNS, step):
            painter.setPen(theme.ui.muted_text)
            name = column if is_shared else column * WORD_BYTES
            place = self._place(0, column)
            head = QRectF(place.left(), _MARGIN, step * self._cell, self._line)
            painter.drawText(head, Qt.AlignmentFlag.AlignLeft, str(name))
        for number, row in enumerate(self._rows):
            self._paint_row(painter, number, row, is_shared)

    def _paint_row(self, painter: QPainter, number: int, row: PictureRow, is_shared: bool) -> None:
        theme = current_theme()
        step = max(1, round(self._line / self._height))
        if number % step == 0:
            top = self._place(number, 0).top()
            label = QRectF(_MARGIN, top, self._label_width - 6, step * self._height)
            painter.setPen(theme.ui.muted_text)
            flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop
            painter.drawText(label, flags, self._row_name(number, row))
        touched = {column // _SECTOR_WORDS for column in row.lanes}
        fill = theme.marks.warning if is_shared and number else theme.marks.success
        for column in range(_COLUMNS):
            air = _AIR if self._cell > 2 * _LEAST_HEIGHT else _AIR / 2
            place = self._place(number, column).adjusted(air, air, -air, -air)
            if column in row.lanes:
                painter.fillRect(place, fill)
                painter.setPen(theme.ui.base)
                first, *others = row.lanes[column]
                if self._cell >= self._wide:
                    text = f"{first}+" if others else str(first)
                    painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)
            else:
                is_moved = not is_shared and column // _SECTOR_WORDS in touched
                painter.fillRect(place, theme.ui.border if is_moved else theme.ui.alternate)

    def _row_name(self, number: int, row: PictureRow) -> str:
        if self._sample is not None and self._sample.space is StateSpace.SHARED:
            return self.tr("pass {number}").format(number=number + 1)
        return f"…{row.address & 0xFFFFFFF:07x}"

    def _tip(self, at: QPointF) -> str:
        for number, row in enumerate(self._rows):
            for column, lanes in row.lanes.items():
                if self._place(number, column).contains(at):
                    who = ", ".join(map(str, lanes))
                    return self.tr("Touched by lane {lanes}").format(lanes=who)
        return ""

    def _place(self, row: int, column: int) -> QRectF:
        left = _MARGIN + self._label_width + column * self._cell
        top = _MARGIN + self._line + row * self._height
        return QRectF(left, top, self._cell, self._height)

    @property
    def _cell(self) -> float:
        room = self.width() - 2 * _MARGIN - self._label_width
        return max(_LEAST_CELL, min(room / _COLUMNS, 2 * self._line))

    @property
    def _wide(self) -> float:
        """The width from which on a cell has room for the number of a lane."""
        return self.fontMetrics().horizontalAdvance("00+") + 2 * _AIR

    @property
    def _line(self) -> float:
        return self.fontMetrics().height() + 2 * _AIR

    @property
    def _height(self) -> float:
        """The height of a row: as wide as a cell, but not more than a line of text."""
        return max(_LEAST_HEIGHT, min(self._cell, self._line))

    @property
    def _label_width(self) -> int:
        return self.fontMetrics().horizontalAdvance("0") * _LABEL_CHARACTERS
