"""What is varied in a matrix: targets, option sets and ways of linking, and the button to build."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QCheckBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QWidget,
)

from jitstudio.core.request import LinkMode
from jitstudio.gui.kit.field_rows import code_line
from jitstudio.gui.kit.fonts import show_as_code
from jitstudio.gui.kit.number_field import CODE_SIZE
from jitstudio.gui.kit.parts import icon_button, show_icons, text_label
from jitstudio.gui.kit.theme import Theme
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP

_RUN_KEYS = "Ctrl+R"
_LINES, _PADDING = 3, 6
_LINKS = {
    LinkMode.NONE: QT_TRANSLATE_NOOP("MatrixForm", "the module &alone"),
    LinkMode.PTX: QT_TRANSLATE_NOOP("MatrixForm", "linked by &PTX"),
    LinkMode.LTO: QT_TRANSLATE_NOOP("MatrixForm", "linked by &LTO"),
}
# Unlike the flat buttons of a toolbar: these are what the window is for.
_LOOK = (
    "#matrixRun, #matrixStop {{ background: {0}; border: 1px solid {1}; padding: 3px 12px; }}"
    "#matrixRun:hover, #matrixStop:hover {{ background: {2}; }}"
    "#matrixRun:focus, #matrixStop:focus {{ border-color: {3}; }}"
    "#matrixOptions {{ background: palette(base); border: 1px solid {1};"
    " border-radius: 4px; padding: 2px 3px; }}"
    "#matrixOptions:focus {{ border-color: {3}; }}"
)


class MatrixForm(QWidget):
    """Fields, and how far the builds have come.

    Signals:
        edited: The user changed something.
        run_requested: The user wants it to be built.
        stop_requested: The user wants it to end.
    """

    edited = Signal()
    run_requested = Signal()
    stop_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("matrixForm")
        self._theme: Theme | None = None
        self._is_wrong = False
        self._targets = code_line(
            self,
            "matrixTargets",
            self.tr("Targets"),
            self.tr("The targets to build for, with commas between them"),
            self.tr("such as {example}").format(example="sm_80, sm_90, sm_100"),
        )
        self._options = QPlainTextEdit(self)
        self._options.setObjectName("matrixOptions")
        self._options.setAccessibleName(self.tr("Option sets, one a line"))
        self._options.setToolTip(
            self.tr(
                "One option set a line, added to the options of the build. "
                "An empty line stands for the options as they are."
            )
        )
        self._options.setPlaceholderText(
            self.tr("One set a line, such as {example}; an empty line adds nothing").format(
                example="-maxrregcount=32"
            )
        )
        self._options.setTabChangesFocus(True)
        show_as_code(self._options, CODE_SIZE)
        self._options.setFixedHeight(
            _LINES * self._options.fontMetrics().lineSpacing()
            + 2 * int(self._options.document().documentMargin())
            + _PADDING
        )
        self._links = {mode: self._link_box(mode) for mode in LinkMode}
        self._links_title = QLabel(self.tr("Link"), self)
        self._run = icon_button(
            self, self.tr("&Build all"), self.tr("Build every combination"), "run", _RUN_KEYS
        )
        self._run.setObjectName("matrixRun")
        self._run.setShortcut(QKeySequence(_RUN_KEYS))
        self._stop = icon_button(
            self, self.tr("&Stop"), self.tr("End the builds; what is done stays"), "stop", "Esc"
        )
        self._stop.setObjectName("matrixStop")
        self._stop.hide()
        self._words = text_label(self, "matrixWords")
        self._lay_out()
        self.setFocusProxy(self._targets)
        self._targets.textEdited.connect(self.edited)
        self._options.textChanged.connect(self.edited)
        self._run.clicked.connect(self.run_requested)
        self._stop.clicked.connect(self.stop_requested)

    @property
    def targets(self) -> str:
        """What is typed as targets."""
        return self._targets.text()

    @property
    def option_sets(self) -> list[str]:
        """What is typed as option sets, a line each."""
        return self._options.toPlainText().split("\n")

    @property
    def links(self) -> tuple[LinkMode, ...]:
        """The ways of linking that are ticked and can be chosen."""
        return tuple(mode for mode, box in self._links.items() if box.isChecked())

    @property
    def words(self) -> str:
        """How much work it is, how far it has come, or what is wrong."""
        return self._words.text()

    def show_targets(self, text: str) -> None:
        """Propose other targets."""
        self._targets.setText(text)

    def show_option_sets(self, sets: Iterable[str]) -> None:
        """Propose other option sets."""
        self._options.setPlainText("\n".join(sets))

    def offer_links(self, *, several: bool, chosen: LinkMode) -> None:
        """Let the ways of linking be chosen where there are several modules.

        Args:
            several: Whether there are.
            chosen: How they are linked in the window.
        """
        if not several or not self.links:
            for mode, box in self._links.items():
                box.setChecked(mode is (chosen if several else LinkMode.NONE))
        self._links_title.setVisible(several)
        for box in self._links.values():
            box.setVisible(several)

    def say(self, words: str, *, is_wrong: bool = False) -> None:
        """Tell how things stand; what is wrong forbids to build."""
        self._words.setText(words)
        self._is_wrong = is_wrong
        self._run.setEnabled(not is_wrong)
        self._paint()

    def show_running(self, running: bool) -> None:
        """Offer to stop, or to build."""
        had_keyboard = self._run.hasFocus() or self._stop.hasFocus()
        self._stop.setVisible(running)
        self._run.setVisible(not running)
        if had_keyboard:
            (self._stop if running else self._run).setFocus()

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        self._theme = theme
        ui = theme.ui
        colors = (ui.button, ui.border, ui.button_hover, ui.accent)
        self.setStyleSheet(_LOOK.format(*(color.name() for color in colors)))
        show_icons((self._run, self._stop), theme)
        self._paint()

    def _paint(self) -> None:
        if self._theme is not None:
            theme = self._theme
            color = theme.marks.error if self._is_wrong else theme.ui.muted_text
            self._words.setStyleSheet(f"color: {color.name()}")

    def _link_box(self, mode: LinkMode) -> QCheckBox:
        box = QCheckBox(self.tr(_LINKS[mode]), self)
        box.setObjectName(f"matrixLink{mode.value.title()}")
        box.toggled.connect(self._on_link_toggled)
        return box

    def _lay_out(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(6)
        for line, (text, field) in enumerate(
            ((self.tr("&Targets"), self._targets), (self.tr("&Options"), self._options))
        ):
            title = QLabel(text, self)
            title.setBuddy(field)
            title.setContentsMargins(0, _PADDING, 0, 0)
            grid.addWidget(title, line, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(field, line, 1)
        links = QHBoxLayout()
        links.setSpacing(16)
        for box in self._links.values():
            links.addWidget(box)
        links.addStretch()
        grid.addWidget(self._links_title, 2, 0)
        grid.addLayout(links, 2, 1)
        below = QHBoxLayout()
        below.setSpacing(10)
        below.addWidget(self._run)
        below.addWidget(self._stop)
        below.addWidget(self._words, 1)
        grid.addLayout(below, 3, 1)
        grid.setColumnStretch(1, 1)

    @Slot(bool)
    def _on_link_toggled(self, _on: bool) -> None:
        self.edited.emit()
