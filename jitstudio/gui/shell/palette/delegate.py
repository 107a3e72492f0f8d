"""Draws one row of a palette: icon, title with the matched letters bold, detail, shortcut."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QIcon, QPainter, QPalette
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from jitstudio.gui.kit.fuzzy import Span
from jitstudio.gui.shell.palette.model import (
    DETAIL_ROLE,
    DETAIL_SPANS_ROLE,
    ENTRY_ROLE,
    TITLE_SPANS_ROLE,
    PaletteEntry,
)

_ICON_SIDE = 16
_ROW_PADDING = 10
_MARGIN = 10
_GAP = 12
_VERTICALLY = Qt.AlignmentFlag.AlignVCenter


class PaletteDelegate(QStyledItemDelegate):
    """Knows the roles of `PaletteModel`."""

    def sizeHint(
        self, option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Gives all rows the same height."""
        return QSize(0, max(option.fontMetrics.height(), _ICON_SIDE) + _ROW_PADDING)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Draws the row; what does not fit of title and detail is cut, the shortcut never."""
        entry: PaletteEntry = index.data(ENTRY_ROLE)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        if selected:
            painter.fillRect(option.rect, option.palette.color(QPalette.ColorRole.Highlight))
        text, muted = _colors(option.palette, selected, entry.enabled)
        area = option.rect.adjusted(_MARGIN, 0, -_MARGIN, 0)
        place = QRect(area.left(), area.top(), _ICON_SIDE, area.height())
        _draw_icon(painter, place, entry, text if selected else None)
        area.setLeft(area.left() + _ICON_SIDE + _GAP)
        if entry.keys:
            painter.setPen(muted)
            painter.drawText(area, int(_VERTICALLY | Qt.AlignmentFlag.AlignRight), entry.keys)
            area.setRight(area.right() - option.fontMetrics.horizontalAdvance(entry.keys) - _GAP)
        painter.setPen(text)
        used = _draw(painter, area, entry.title, index.data(TITLE_SPANS_ROLE), option.font)
        painter.setPen(muted)
        area.setLeft(area.left() + used + _GAP)
        _draw(painter, area, index.data(DETAIL_ROLE), index.data(DETAIL_SPANS_ROLE), option.font)
        painter.restore()


def _colors(palette: QPalette, selected: bool, enabled: bool) -> tuple[QColor, QColor]:
    if selected:
        text = palette.color(QPalette.ColorRole.HighlightedText)
        return text, text
    if not enabled:
        text = palette.color(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Text)
        return text, text
    return (
        palette.color(QPalette.ColorRole.Text),
        palette.color(QPalette.ColorRole.PlaceholderText),
    )


def _draw_icon(painter: QPainter, area: QRect, entry: PaletteEntry, color: QColor | None) -> None:
    """Draws the icon of an entry, in this colour instead of its own."""
    if entry.icon is None:
        return
    mode = QIcon.Mode.Normal if entry.enabled else QIcon.Mode.Disabled
    ratio = painter.device().devicePixelRatioF()
    picture = entry.icon.pixmap(QSize(_ICON_SIDE, _ICON_SIDE), ratio, mode)
    if color is not None:
        tint = QPainter(picture)
        tint.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
        tint.fillRect(picture.rect(), color)
        tint.end()
    painter.drawPixmap(area.left(), area.top() + (area.height() - _ICON_SIDE) // 2, picture)


def _draw(painter: QPainter, area: QRect, text: str, spans: Sequence[Span], font: QFont) -> int:
    """Draws a text with these parts bold; how wide it came out."""
    bold = QFont(font)
    bold.setBold(True)
    left = area.left()
    for part, is_bold in _parts(text, spans):
        used = bold if is_bold else font
        metrics = QFontMetrics(used)
        room = area.right() - left + 1
        shown = metrics.elidedText(part, Qt.TextElideMode.ElideRight, room)
        painter.setFont(used)
        painter.drawText(QRect(left, area.top(), room, area.height()), int(_VERTICALLY), shown)
        left += metrics.horizontalAdvance(shown)
        if shown != part:
            break
    return left - area.left()


def _parts(text: str, spans: Sequence[Span]) -> list[tuple[str, bool]]:
    parts: list[tuple[str, bool]] = []
    done = 0
    for begin, end in spans:
        parts += [(text[done:begin], False), (text[begin:end], True)]
        done = end
    parts.append((text[done:], False))
    return [part for part in parts if part[0]]
