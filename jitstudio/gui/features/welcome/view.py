"""The page of a window without a document: samples, recent files, findings on the machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QEvent, QRect, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QAction,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QBoxLayout,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from jitstudio.core.code import ENDINGS
from jitstudio.core.toolchain_info import DoctorFinding
from jitstudio.gui.code.languages import icon_name
from jitstudio.gui.kit.icons import icon
from jitstudio.gui.kit.parts import explain_by, fit_icon, heading, muted, show_tip, text_label
from jitstudio.gui.kit.theme import current_theme, follow_theme
from jitstudio.help.samples import Sample

_PADDING, _GAP, _RADIUS = 10, 10, 6
_CARD_ICON = 18
_LEAST_WIDTH = 200
_WRAPPED = int(Qt.TextFlag.TextWordWrap) | int(Qt.AlignmentFlag.AlignTop)


class WelcomeCard(QAbstractButton):
    """A card that opens a sample or file; Enter and Space press the card.

    Args:
        title: The title of the opened sample or file.
        detail: One sentence, or the folder of a file.
        icon_name: A file in `resources/icons`.
        is_path: Whether the detail is a path: one line, of which the middle can be left out.
    """

    def __init__(
        self,
        title: str,
        detail: str,
        icon_name: str,
        parent: QWidget | None = None,
        *,
        is_path: bool = False,
    ) -> None:
        super().__init__(parent)
        self.setText(title)
        self.setAccessibleName(title)
        self.setAccessibleDescription(detail)
        self.setWhatsThis(f"{title}. {detail}")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self._detail = detail
        self._icon_name = icon_name
        self._is_path = is_path
        # By width: a layout asks for the same ones again and again.
        self._heights: dict[int, int] = {}
        if is_path:
            self.setToolTip(detail)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def sizeHint(self) -> QSize:
        """Returns a narrow size; the sentence is wrapped where necessary."""
        return QSize(_LEAST_WIDTH * 2, self.heightForWidth(_LEAST_WIDTH * 2))

    def minimumSizeHint(self) -> QSize:
        """Returns the size of a title."""
        return QSize(_LEAST_WIDTH, 0)

    def hasHeightForWidth(self) -> bool:
        """Lets the height follow the width: the sentence is wrapped."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Two paddings, the title and the lines of the sentence."""
        if width not in self._heights:
            title = QFontMetrics(self._title_font()).height()
            self._heights[width] = title + self._detail_rect(width).height() + 2 * _PADDING
        return self._heights[width]

    def changeEvent(self, event: QEvent) -> None:
        """Measures anew with other letters."""
        if event.type() == QEvent.Type.FontChange:
            self._heights.clear()
        super().changeEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Presses the card at Enter, like at Space."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """A frame, which is brighter under mouse and keyboard, the icon, and the two lines."""
        ui = current_theme().ui
        active = self.underMouse() or self.hasFocus()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(ui.accent if self.hasFocus() else ui.border, 1))
        painter.setBrush(ui.button_hover if active else ui.base)
        painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1), _RADIUS, _RADIUS)
        square = QRect(_PADDING, _PADDING, _CARD_ICON, _CARD_ICON)
        icon(self._icon_name, ui.accent).paint(painter, square)
        painter.setFont(self._title_font())
        painter.setPen(ui.text)
        left, height = _text_left(), painter.fontMetrics().height()
        title = QRect(left, _PADDING, self._text_width(self.width()), height)
        painter.drawText(title, int(Qt.AlignmentFlag.AlignVCenter), self._elided(painter, title))
        painter.setFont(self.font())
        painter.setPen(ui.muted_text)
        detail = self._detail_rect(self.width()).translated(left, _PADDING + height)
        painter.drawText(detail, _WRAPPED, self._detail_text(painter, detail))
        painter.end()

    def _elided(self, painter: QPainter, room: QRect) -> str:
        metrics = painter.fontMetrics()
        return metrics.elidedText(self.text(), Qt.TextElideMode.ElideRight, room.width())

    def _detail_text(self, painter: QPainter, room: QRect) -> str:
        if not self._is_path:
            return self._detail
        metrics = painter.fontMetrics()
        return metrics.elidedText(self._detail, Qt.TextElideMode.ElideMiddle, room.width())

    def _detail_rect(self, width: int) -> QRect:
        room, metrics = self._text_width(width), QFontMetrics(self.font())
        if self._is_path:
            return QRect(0, 0, room, metrics.height())
        lines = metrics.boundingRect(QRect(0, 0, room, 0), _WRAPPED, self._detail)
        return QRect(0, 0, room, lines.height())

    def _text_width(self, width: int) -> int:
        return max(1, width - _text_left() - _PADDING)

    def _title_font(self) -> QFont:
        font = QFont(self.font())
        font.setBold(True)
        return font


def _text_left() -> int:
    return _PADDING + _CARD_ICON + _GAP


_SELECTABLE = (
    Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
)


class EnvironmentList(QWidget):
    """Shows findings; a problem comes with a remedy, and can be copied."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("environmentList")
        self._findings: tuple[DoctorFinding, ...] = ()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(6)
        self._grid.setColumnStretch(2, 1)
        follow_theme(self, lambda it: it.show_findings(it.findings))

    @property
    def findings(self) -> tuple[DoctorFinding, ...]:
        """The shown findings."""
        return self._findings

    def show_findings(self, findings: Sequence[DoctorFinding]) -> None:
        """Shows findings, in their order."""
        self._findings = tuple(findings)
        while item := self._grid.takeAt(0):
            if widget := item.widget():
                widget.hide()
                widget.deleteLater()
        for row, finding in enumerate(self._findings):
            self._add(row, finding)

    def _add(self, row: int, finding: DoctorFinding) -> None:
        mark = QLabel(self)
        name, word = self._mark(finding)
        color = getattr(current_theme().marks, name)
        side = self.fontMetrics().height()
        mark.setPixmap(icon(name, color).pixmap(side, side))
        mark.setAccessibleName(word)
        mark.setToolTip(word)
        title = text_label(self, f"{finding.name}Name")
        title.setText(finding.name)
        title.setWordWrap(False)
        words = text_label(self, f"{finding.name}Finding")
        words.setText(finding.problem or finding.state or self.tr("not checked yet"))
        show_tip(words, finding.place)
        words.setTextInteractionFlags(_SELECTABLE)
        muted(words)
        words.setAccessibleName(f"{finding.name}: {word}")
        for column, widget in enumerate((mark, title, words)):
            self._grid.addWidget(widget, row, column, Qt.AlignmentFlag.AlignTop)

    def _mark(self, finding: DoctorFinding) -> tuple[str, str]:
        """Returns an icon and a word for a finding."""
        if finding.problem:
            if finding.is_tool:
                return "error", self.tr("missing")
            return "warning", self.tr("not here")
        if finding.state:
            return "success", self.tr("found")
        return "info", self.tr("not checked yet")


# Narrower, and the columns are below one another.
_TWO_COLUMNS = 720
# From this width on, so many buttons are side by side at the top.
_IN_ROW = ((640, 4), (400, 2), (0, 1))
_WIDEST = 1080
_MARGIN, _SPACING, _SECTION_SPACING = 24, 8, 18
_ICON = 18
_SETTLED_MS = 50
_TITLE_SCALE, _HEADING_SCALE = 1.7, 1.1


class WayIn(NamedTuple):
    """A way to begin, shown as a card.

    Attributes:
        name: The name of its card begins so.
        title: The title.
        detail: A sentence.
        icon_name: A file in `resources/icons`.
        go: Begins.
    """

    name: str
    title: str
    detail: str
    icon_name: str
    go: Callable[[], object]


class WelcomePage(QScrollArea):
    """Offers a start; the content is made at the first look.

    Signals:
        first_seen: Somebody looks at it: now it can be filled.
        sample_chosen: The user wants this sample.
        path_chosen: The user wants this file or project.
        check_requested: The user wants this machine to be looked at again.
    """

    first_seen = Signal()
    sample_chosen = Signal(Sample)
    path_chosen = Signal(Path)
    check_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("welcomePage")
        explain_by(self, "welcome")
        self.setWindowTitle(self.tr("Welcome"))
        self.setAccessibleName(self.tr("Welcome"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        self._columns: QBoxLayout | None = None
        self._in_row = 0
        self._starters: list[QToolButton] = []
        self._cards: list[WelcomeCard] = []
        self._recent_cards: list[WelcomeCard] = []

    @property
    def is_filled(self) -> bool:
        """Whether the page has content."""
        return self._columns is not None

    def fill(
        self, starters: Sequence[QAction], ways: Sequence[WayIn], samples: Sequence[Sample]
    ) -> None:
        """Makes the content.

        Args:
            starters: The actions that begin new work.
            ways: What else to begin with, a card each.
            samples: All samples.
        """
        content = QWidget()
        content.setAutoFillBackground(False)
        content.setMaximumWidth(_WIDEST)
        column = QVBoxLayout(content)
        column.setContentsMargins(_MARGIN, _MARGIN, _MARGIN, _MARGIN)
        column.setSpacing(_SPACING)
        column.addWidget(heading("jitstudio", _TITLE_SCALE))
        sentence = text_label(content, "welcomeSentence")
        sentence.setText(
            self.tr(
                "Write CUDA C++, LLVM IR and PTX, see what NVRTC, libNVVM and nvJitLink make "
                "of it, and run it."
            )
        )
        column.addWidget(sentence)
        self._grid = self._make_starters(starters)
        column.addLayout(self._grid)
        self._columns = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._columns.setSpacing(_MARGIN)
        self._columns.addLayout(self._cards_of(ways, samples), 1)
        self._columns.addLayout(self._right(), 1)
        column.addSpacing(_SPACING)
        column.addLayout(self._columns)
        column.addStretch(1)
        outer = QWidget()
        row = QHBoxLayout(outer)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(content)
        row.setAlignment(Qt.AlignmentFlag.AlignTop)
        content.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        # Before it is shown: a layout shows what it is given later a moment later only, and Tab
        # would pass over the starters until then.
        self._turn()
        self.setWidget(outer)

    def show_recent(self, paths: Sequence[Path]) -> None:
        """Lists recent files and projects."""
        while item := self._recent.takeAt(0):
            if widget := item.widget():
                widget.hide()
                widget.deleteLater()
        self._recent_cards.clear()
        for path in paths:
            card = WelcomeCard(path.name, str(path.parent), "open", is_path=True)
            card.setObjectName("recentCard")
            card.clicked.connect(partial(self.path_chosen.emit, path))
            self._recent.addWidget(card)
            self._recent_cards.append(card)
        if not paths:
            hint = text_label(self, "noRecent")
            hint.setText(self.tr("Files and projects that you open or save appear here."))
            muted(hint)
            self._recent.addWidget(hint)
        self._order_tabs()

    def show_findings(self, findings: Sequence[DoctorFinding]) -> None:
        """Shows the findings on this machine."""
        self._environment.show_findings(findings)

    @property
    def findings(self) -> tuple[DoctorFinding, ...]:
        """The shown findings on this machine."""
        return self._environment.findings

    def showEvent(self, event: QShowEvent) -> None:
        """Asks for content the first time."""
        super().showEvent(event)
        # A window is shown before its documents are opened: this page may be covered soon.
        QTimer.singleShot(_SETTLED_MS, self, self._on_settled)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Puts the columns below one another where they would be too narrow."""
        super().resizeEvent(event)
        self._turn()

    @Slot()
    def _on_settled(self) -> None:
        if self.isVisible() and not self.is_filled:
            self.first_seen.emit()

    def _turn(self) -> None:
        if self._columns is not None:
            directions = QBoxLayout.Direction
            width = self.viewport().width()
            wide = width >= _TWO_COLUMNS
            self._columns.setDirection(directions.LeftToRight if wide else directions.TopToBottom)
            in_row = next(count for least, count in _IN_ROW if width >= least)
            # Buttons that are put where they are would have all of it measured again.
            if in_row != self._in_row:
                self._in_row = in_row
                for place, button in enumerate(self._starters):
                    self._grid.addWidget(button, *divmod(place, in_row))
                self._grid.setColumnStretch(_IN_ROW[0][1], 1)

    def _order_tabs(self) -> None:
        """Orders Tab through all widgets as the page is read, independent of creation."""
        order = (self, *self._starters, *self._cards, *self._recent_cards, self._check)
        for before, after in pairwise(order):
            QWidget.setTabOrder(before, after)

    def _make_starters(self, actions: Sequence[QAction]) -> QGridLayout:
        grid = QGridLayout()
        grid.setSpacing(_SPACING)
        for action in actions:
            button = QToolButton()
            button.setDefaultAction(action)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            fit_icon(button, _ICON)
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            button.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
            self._starters.append(button)
        return grid

    def _cards_of(self, ways: Sequence[WayIn], samples: Sequence[Sample]) -> QVBoxLayout:
        column = _section(self.tr("Begin"))
        for way in ways:
            card = WelcomeCard(way.title, way.detail, way.icon_name)
            card.setObjectName(f"{way.name}Card")
            card.clicked.connect(way.go)
            column.addWidget(card)
            self._cards.append(card)
        column.addSpacing(_SECTION_SPACING)
        column.addWidget(heading(self.tr("Samples"), _HEADING_SCALE))
        for sample in samples:
            card = WelcomeCard(sample.title, sample.summary, _icon_of(sample))
            card.setObjectName("sampleCard")
            card.clicked.connect(partial(self.sample_chosen.emit, sample))
            column.addWidget(card)
            self._cards.append(card)
        column.addStretch(1)
        return column

    def _right(self) -> QVBoxLayout:
        column = _section(self.tr("Recent"))
        self._recent = QVBoxLayout()
        self._recent.setSpacing(_SPACING)
        column.addLayout(self._recent)
        column.addSpacing(_SECTION_SPACING)
        column.addWidget(heading(self.tr("This machine"), _HEADING_SCALE))
        self._environment = EnvironmentList()
        column.addWidget(self._environment)
        self._check = check = QPushButton(self.tr("Check again"))
        check.setObjectName("checkAgain")
        check.setWhatsThis(
            self.tr("Looks for the tools, the driver and the GPUs, as `jitstudio doctor` does.")
        )
        check.clicked.connect(self.check_requested)
        column.addWidget(check, 0, Qt.AlignmentFlag.AlignLeft)
        column.addStretch(1)
        return column


def _icon_of(sample: Sample) -> str:
    kind = ENDINGS[sample.files[0].path.suffix]
    return icon_name(kind, is_header=False)


def _section(title: str) -> QVBoxLayout:
    column = QVBoxLayout()
    column.setSpacing(_SPACING)
    column.addWidget(heading(title, _HEADING_SCALE))
    return column
