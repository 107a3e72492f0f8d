"""The Log panel: input and output of each tool, information and errors apart.

Shows a `LogModel`; holds nothing but which stage the user chose.
"""

from __future__ import annotations

from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import (
    QFontMetrics,
    QGuiApplication,
    QResizeEvent,
    QTextOption,
)
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QSplitter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from jitstudio.core.result import StageResult
from jitstudio.gui.features.log.model import (
    LogModel,
    StageKey,
    capped,
    errors_text,
    info_text,
    options_line,
    tool_name,
    whole_log,
)
from jitstudio.gui.kit.fonts import show_as_code, show_bold
from jitstudio.gui.kit.parts import TurningSplitter, fit_icon, show_icon
from jitstudio.gui.kit.tables import PanelTable

_OPTION_LINES = 3
_FONT_SIZE = 9.5
_MARGIN = 6
_NO_BAR = Qt.ScrollBarPolicy.ScrollBarAlwaysOff
_BAR_AS_NEEDED = Qt.ScrollBarPolicy.ScrollBarAsNeeded
# From this ratio of width to height on, the details are next to the stages.
_WIDE = 1.5


class _TextField(QPlainTextEdit):
    """Text that can be read, selected and copied; long lines go on below, none is cut."""

    def __init__(self, name: str, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(object_name)
        self.setAccessibleName(name)
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setHorizontalScrollBarPolicy(_NO_BAR)
        self.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.document().setDocumentMargin(_MARGIN)
        # With the caret of a reader, the text can be selected by keyboard as well.
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        show_as_code(self, _FONT_SIZE)


class _OptionsField(_TextField):
    """A long line, in a field as high as needed up to a few lines."""

    def __init__(self, parent: QWidget | None = None) -> None:
        name = QCoreApplication.translate("LogView", "Options sent")
        super().__init__(name, "logOptions", parent)

    def changeEvent(self, event: QEvent) -> None:
        """Takes the height of lines in another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wraps anew, and takes the height of that."""
        super().resizeEvent(event)
        self.fit()

    def fit(self) -> None:
        """Is as high as the text, within limits."""
        needed = max(1, int(self.document().size().height()))
        lines = min(needed, _OPTION_LINES)
        # Qt would show a bar for the last half pixel, and cover text with it.
        self.setVerticalScrollBarPolicy(_NO_BAR if needed == lines else _BAR_AS_NEEDED)
        margins = 2 * int(self.document().documentMargin()) + 2 * self.frameWidth()
        self.setFixedHeight(lines * QFontMetrics(self.font()).lineSpacing() + margins)


class LogView(QWidget):
    """A table of stages, and the options and logs of the chosen stage.

    Signals:
        stage_chosen: The stage whose details are shown, or None.
    """

    stage_chosen = Signal(object)

    def __init__(self, model: LogModel | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("logView")
        self._model = LogModel(self) if model is None else model
        self._wanted: StageKey | None = None
        self._stage: StageResult | None = None
        self._table = self._make_table()
        self._heading = self._title("")
        self._options = _OptionsField(self)
        self._info = _TextField(self.tr("Info"), "logInfo", self)
        self._info.setPlaceholderText(self.tr("The tool reported nothing."))
        self._errors = _TextField(self.tr("Errors"), "logErrors", self)
        self._errors.setPlaceholderText(
            self.tr("No errors, and nothing written to stderr or stdout.")
        )
        self._details = self._make_details()
        self._splitter = TurningSplitter(self._table, self._details, (9, 11), _WIDE, self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._splitter)
        self.setFocusProxy(self._table)
        self._model.modelReset.connect(self._on_stages_replaced)
        self._on_stages_replaced()

    @property
    def model(self) -> LogModel:
        """The model of the stages."""
        return self._model

    @property
    def table(self) -> PanelTable:
        """The table of stages."""
        return self._table

    @property
    def stage(self) -> StageResult | None:
        """The stage whose details are shown."""
        return self._stage

    def choose(self, key: StageKey) -> None:
        """Shows the details of a stage, if the build has such a stage."""
        row = self._model.row_of(key)
        if row is not None:
            self._table.selectRow(row)

    @Slot()
    def copy_options(self) -> None:
        """Puts the options of the stage on the clipboard, as sent."""
        if self._stage is not None:
            QGuiApplication.clipboard().setText(options_line(self._stage))

    @Slot()
    def copy_whole_log(self) -> None:
        """Puts all texts of the stage on the clipboard, with nothing cut."""
        if self._stage is not None:
            QGuiApplication.clipboard().setText(whole_log(self._stage))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Puts the details next to the stages in a wide dock, below the stages in a high dock."""
        super().resizeEvent(event)
        self._splitter.fit(event.size())

    def _make_table(self) -> PanelTable:
        table = PanelTable(self.tr("Stages of the build"), self)
        table.setObjectName("logTable")
        table.setModel(self._model)
        table.set_columns(stretched=2, widths={0: 11, 1: 10, 3: 11})
        table.hide_when_narrow(3)
        table.add_command(self.tr("&Copy whole log"), self.copy_whole_log, "Ctrl+C")
        table.add_command(self.tr("Copy &options"), self.copy_options)
        table.set_hint(
            self.tr(
                "Nothing has been built yet.\n"
                "The tools that a build runs are listed here, with their logs."
            )
        )
        table.selectionModel().currentRowChanged.connect(self._on_row_changed)
        return table

    def _make_details(self) -> QWidget:
        details = QWidget(self)
        copy_options = self._copy_button(self.tr("Copy options"))
        copy_options.clicked.connect(self.copy_options)
        copy_log = self._copy_button(self.tr("Copy whole log"))
        copy_log.clicked.connect(self.copy_whole_log)

        bar = QHBoxLayout()
        bar.setContentsMargins(8, 3, 6, 3)
        bar.addWidget(self._heading)
        bar.addStretch(1)
        bar.addWidget(copy_options)
        bar.addWidget(copy_log)
        parts = QSplitter(Qt.Orientation.Horizontal, details)
        parts.setChildrenCollapsible(False)
        parts.addWidget(self._titled(self.tr("Info"), self._info))
        parts.addWidget(self._titled(self.tr("Errors"), self._errors))
        layout = QVBoxLayout(details)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(bar)
        layout.addWidget(self._options)
        layout.addWidget(parts, 1)
        for before, after in zip(
            (self._table, copy_options, copy_log, self._options, self._info),
            (copy_options, copy_log, self._options, self._info, self._errors),
            strict=True,
        ):
            self.setTabOrder(before, after)
        return details

    def _copy_button(self, text: str) -> QToolButton:
        button = QToolButton(self)
        # Words would keep the details wide and cut the names of the modules next to them.
        button.setToolTip(text)
        button.setAccessibleName(text)
        fit_icon(button)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        show_icon(button, "copy")
        return button

    def _title(self, text: str) -> QLabel:
        title = QLabel(text, self)
        show_bold(title)
        return title

    def _titled(self, text: str, field: QPlainTextEdit) -> QWidget:
        part = QWidget(self)
        title = self._title(text)
        title.setContentsMargins(8, 4, 8, 4)
        title.setBuddy(field)
        layout = QVBoxLayout(part)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(title)
        layout.addWidget(field, 1)
        return part

    @Slot()
    def _on_stages_replaced(self) -> None:
        row = self._model.row_of(self._wanted)
        if row is None:
            row = self._model.most_relevant_row()
        self._details.setVisible(row is not None)
        if row is None:
            self._show(None)
            return
        selection = self._table.selectionModel()
        index = self._model.index(row, 0)
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect
        # What is shown by itself is no choice of the user's to be kept.
        wanted = self._wanted
        selection.setCurrentIndex(index, flags | QItemSelectionModel.SelectionFlag.Rows)
        self._wanted = wanted

    @Slot(QModelIndex, QModelIndex)
    def _on_row_changed(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid():
            self._wanted = self._model.key_of(current.row())
            self._show(self._model.stage_at(current))

    def _show(self, stage: StageResult | None) -> None:
        self._stage = stage
        heading = self.tr("{tool}: options sent")
        self._heading.setText(heading.format(tool=tool_name(stage)) if stage else "")
        self._options.setPlainText(capped(options_line(stage)) if stage else "")
        self._options.setPlaceholderText(self.tr("none") if stage else "")
        self._info.setPlainText(info_text(stage) if stage else "")
        self._errors.setPlainText(errors_text(stage) if stage else "")
        self._options.fit()
        self.stage_chosen.emit(stage)
