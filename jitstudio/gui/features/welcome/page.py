"""The page that greets: samples, what was open before, and what this machine has."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from jitstudio.core.code import ENDINGS
from jitstudio.core.doctor_text import Finding
from jitstudio.gui.code.languages import icon_name
from jitstudio.gui.features.welcome.card import Card
from jitstudio.gui.features.welcome.environment import EnvironmentList
from jitstudio.gui.kit.parts import fit_icon, heading, text_label
from jitstudio.gui.kit.theme import Theme
from jitstudio.samples import Sample

# Narrower, and the columns stand below one another.
_TWO_COLUMNS = 720
# From this width on, so many buttons stand side by side at the top.
_IN_ROW = ((640, 4), (400, 2), (0, 1))
_WIDEST = 1080
_MARGIN, _SPACING, _SECTION_SPACING = 24, 8, 18
_ICON = 18
_SETTLED_MS = 50
_TITLE_SCALE, _HEADING_SCALE = 1.7, 1.1


class WelcomePage(QScrollArea):
    """Offers a start; made when it is first looked at.

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

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("welcomePage")
        self.setWindowTitle(self.tr("Welcome"))
        self.setAccessibleName(self.tr("Welcome"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        self._theme = theme
        self._columns: QBoxLayout | None = None
        self._starters: list[QToolButton] = []
        self._cards: list[Card] = []
        self._recent_cards: list[Card] = []

    @property
    def is_filled(self) -> bool:
        """Whether somebody has looked at it."""
        return self._columns is not None

    def fill(self, starters: Sequence[QAction], samples: Sequence[Sample]) -> None:
        """Make what is in it.

        Args:
            starters: What begins something new.
            samples: All samples.
        """
        content = QWidget()
        content.setAutoFillBackground(False)
        content.setMaximumWidth(_WIDEST)
        column = QVBoxLayout(content)
        column.setContentsMargins(_MARGIN, _MARGIN, _MARGIN, _MARGIN)
        column.setSpacing(_SPACING)
        column.addWidget(heading("jitstudio", _TITLE_SCALE))
        told = text_label(content, "welcomeSentence")
        told.setText(
            self.tr(
                "Write CUDA C++, LLVM IR and PTX, see what NVRTC, libNVVM and nvJitLink make "
                "of it, and run it."
            )
        )
        column.addWidget(told)
        self._grid = self._make_starters(starters)
        column.addLayout(self._grid)
        self._columns = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._columns.setSpacing(_MARGIN)
        self._columns.addLayout(self._samples(samples), 1)
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
        """List these files and projects."""
        while item := self._recent.takeAt(0):
            if widget := item.widget():
                widget.hide()
                widget.deleteLater()
        self._recent_cards.clear()
        for path in paths:
            card = Card(path.name, str(path.parent), "open", self._theme, is_path=True)
            card.setObjectName("recentCard")
            card.clicked.connect(partial(self.path_chosen.emit, path))
            self._recent.addWidget(card)
            self._recent_cards.append(card)
        if not paths:
            hint = text_label(self, "noRecent")
            hint.setText(self.tr("Files and projects that you open or save will stand here."))
            hint.setForegroundRole(hint.palette().ColorRole.PlaceholderText)
            self._recent.addWidget(hint)
        self._order_tabs()

    def show_findings(self, findings: Sequence[Finding]) -> None:
        """Tell what this machine has."""
        self._environment.show_findings(findings)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is told of this machine."""
        return self._environment.findings

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        self._theme = theme
        for card in self.findChildren(Card):
            card.set_theme(theme)
        if self.is_filled:
            self._environment.set_theme(theme)

    def showEvent(self, event: QShowEvent) -> None:
        """Ask for content the first time."""
        super().showEvent(event)
        # A window is shown before its documents are opened: this page may be covered soon.
        QTimer.singleShot(_SETTLED_MS, self, self._on_settled)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the columns below one another where they would be too narrow."""
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
            for place, button in enumerate(self._starters):
                self._grid.addWidget(button, *divmod(place, in_row))
            self._grid.setColumnStretch(_IN_ROW[0][1], 1)

    def _order_tabs(self) -> None:
        """Let Tab go through all of it as it is read, whenever each was made."""
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

    def _samples(self, samples: Sequence[Sample]) -> QVBoxLayout:
        column = _section(self.tr("Samples"))
        for sample in samples:
            card = Card(sample.title, sample.summary, _icon_of(sample), self._theme)
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
        self._environment = EnvironmentList(self._theme)
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
