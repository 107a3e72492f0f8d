"""The line above a listing: which module it is of, how long it is, what can be done with it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QToolButton, QWidget

from jitstudio.core.code import LINKED, CodeKind
from jitstudio.gui.kit.fonts import scaled
from jitstudio.gui.kit.icons import icon
from jitstudio.gui.kit.parts import ShorteningLabel, WholeLabel, fit_icon
from jitstudio.gui.kit.theme import Theme
from jitstudio.gui.listing.function_list import FunctionList
from jitstudio.gui.listing.line_filter import FilterButton, HiddenLines

# From these widths on buttons have texts, and the number of hidden lines is shown.
_ROOMY, _NARROW = 520, 420
_ICON_SIDE = 16


class OutputHeader(QWidget):
    """Names what a listing shows.

    Attributes:
        functions: The list of kernels and functions.

    Signals:
        module_chosen: Another module shall be shown.
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
        self._icons: dict[QToolButton, str] = {}
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
        """Which of the modules is chosen; the first where there is no choice."""
        return max(0, self._choice.currentIndex())

    def add_tool(self, button: QToolButton, icon_name: str) -> None:
        """Put one more button to the right end; `set_theme` draws its icon."""
        self._icons[button] = icon_name
        fit_icon(button, _ICON_SIDE)
        self._row.addWidget(button)

    def add_note(self, note: QWidget) -> None:
        """Put something behind the number of lines."""
        self._row.insertWidget(self._row.indexOf(self._facts) + 1, note)

    def show_modules(self, names: Sequence[str]) -> None:
        """Offer other modules; the chosen one stays chosen where it is still there."""
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
        """Choose this module, if it is there."""
        index = self._choice.findText(name)
        if index >= 0:
            self._choice.setCurrentIndex(index)

    def show_line_count(self, count: int) -> None:
        """Say how many lines there are; nothing where there are none."""
        said = self.tr("1 line") if count == 1 else self.tr("{0:,} lines").format(count)
        self._facts.setText(said if count else "")

    @Slot(str)
    def show_marked(self, text: str) -> None:
        """Say what is marked and how often it is there."""
        self._marked.setText(text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave a narrow line to the kernel: buttons have their names in tool tips, too."""
        super().resizeEvent(event)
        roomy, bare = (
            Qt.ToolButtonStyle.ToolButtonTextBesideIcon,
            Qt.ToolButtonStyle.ToolButtonIconOnly,
        )
        for button in self.findChildren(FilterButton):
            button.setToolButtonStyle(roomy if self.width() >= scaled(_ROOMY) else bare)
        for note in self.findChildren(HiddenLines):
            note.set_roomy(self.width() >= scaled(_NARROW))

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        for button, name in self._icons.items():
            button.setIcon(icon(name, theme.ui.text))

    @Slot(int)
    def _on_chosen(self, _index: int) -> None:
        self.module_chosen.emit()
