"""A part of the launch form under a heading that folds it away."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from jitstudio.gui.kit.icons import icon
from jitstudio.gui.kit.parts import fit_icon, text_label
from jitstudio.gui.kit.theme import Theme

_ICON_SIDE = 16
_MARGIN = 10
# A button keeps so much clear before its icon: the arrow stands in line with what is below.
_BEFORE_ICON = 5


class Section(QWidget):
    """A heading with a remark at its right, and what it holds."""

    def __init__(self, name: str, title: str, content: QWidget, *, opened: bool = True) -> None:
        super().__init__()
        self.setObjectName(name)
        self._theme: Theme | None = None
        self._content = content
        self._heading = QToolButton(self)
        self._heading.setCheckable(True)
        self._heading.setChecked(opened)
        self._heading.setObjectName(f"{name}Heading")
        self._heading.setText(title)
        self._heading.setToolTip(
            self.tr("Show or hide: {title}").format(title=title.replace("&", ""))
        )
        self._heading.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._heading.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        fit_icon(self._heading, _ICON_SIDE)
        self._heading.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        # A heading, no switch: it does not look pressed while what it heads is open.
        self._heading.setStyleSheet(
            "QToolButton { font-weight: bold; padding: 2px 4px 2px 0; }"
            "QToolButton:checked { background: transparent; }"
            "QToolButton:checked:!focus { border-color: transparent; }"
        )
        self._remark = text_label(self, f"{name}Remark")
        self._remark.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._lay_out()
        self._heading.toggled.connect(self._on_toggled)
        self._on_toggled(opened)

    @property
    def opened(self) -> bool:
        """Whether what it holds can be seen."""
        return self._heading.isChecked()

    @property
    def stops(self) -> tuple[QWidget, QWidget]:
        """Where the keyboard goes, in order."""
        return self._heading, self._content

    def open(self) -> None:
        """Show what it holds."""
        self._heading.setChecked(True)

    def set_remark(self, text: str) -> None:
        """Say in short what is inside, for when it is folded away."""
        self._remark.setText(text)

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        self._theme = theme
        self._remark.setStyleSheet(f"color: {theme.ui.muted_text.name()}")
        self._draw()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._heading)
        head.addWidget(self._remark, 1)
        head.addStretch()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(_MARGIN - _BEFORE_ICON, 4, _MARGIN, 4)
        layout.setSpacing(4)
        layout.addLayout(head)
        body = QVBoxLayout()
        body.setContentsMargins(_BEFORE_ICON, 0, 0, 0)
        body.addWidget(self._content)
        layout.addLayout(body)

    @Slot(bool)
    def _on_toggled(self, opened: bool) -> None:
        self._content.setVisible(opened)
        self._remark.setVisible(not opened)
        self._draw()

    def _draw(self) -> None:
        if self._theme is not None:
            name = "chevron-down" if self.opened else "chevron-right"
            self._heading.setIcon(icon(name, self._theme.ui.text))
