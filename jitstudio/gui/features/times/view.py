"""The pane "Compile time": a flame graph over a table of headers, templates and kernels."""

from __future__ import annotations

import os
from enum import Enum
from pathlib import PurePath

from PySide6.QtCore import QCoreApplication, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QHBoxLayout,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from jitstudio.analysis.time_trace import Span, TimedPart
from jitstudio.commands.build_time import ModuleTime
from jitstudio.gui.features.times.flame import FlameGraph
from jitstudio.gui.kit.lazy_widget import hint_label
from jitstudio.gui.kit.parts import (
    ShorteningLabel,
    choice_box,
    fill_choices,
    icon_button,
    show_tip,
)
from jitstudio.gui.kit.presentation import TableColumn
from jitstudio.gui.kit.rows_table import RowsTable
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP

_PARTS = 3
_SHARES = (3, 2)


class TimesPage(Enum):
    """The parts that are listed."""

    INCLUDES = QT_TRANSLATE_NOOP("Times", "Includes of the module")
    HEADERS = QT_TRANSLATE_NOOP("Times", "All headers")
    TEMPLATES = QT_TRANSLATE_NOOP("Times", "Templates")
    KERNELS = QT_TRANSLATE_NOOP("Times", "ptxas by kernel")
    PHASES = QT_TRANSLATE_NOOP("Times", "Phases")

    @property
    def title(self) -> str:
        """The name in the user's language."""
        return QCoreApplication.translate("Times", self.value)

    def parts(self, module: ModuleTime) -> tuple[TimedPart, ...]:
        """Returns the parts of a module."""
        if self is TimesPage.KERNELS:
            return module.kernels
        trace = module.trace
        return getattr(trace, self.name.lower()) if trace else ()


def _short(name: str) -> str:
    """Returns the end of a path, by which a header is known."""
    return os.path.join(*PurePath(name).parts[-_PARTS:]) if name.startswith(os.sep) else name


COLUMNS: tuple[TableColumn[TimedPart], ...] = (
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "Name"),
        lambda part: _short(part.name),
        tooltip=lambda part: part.name,
    ),
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "ms"),
        lambda part: f"{part.ms:,.1f}",
        sort_key=lambda part: part.ms,
        number=True,
    ),
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "Own ms"),
        lambda part: f"{part.own_ms:,.1f}",
        sort_key=lambda part: part.own_ms,
        number=True,
    ),
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "Times"),
        lambda part: f"{part.count:,}",
        sort_key=lambda part: part.count,
        number=True,
    ),
)


class TimesView(QWidget):
    """A button and choices over a flame graph and a table.

    Signals:
        measure_wanted: The user wants the compile time measured.
        stop_wanted: The user wants no more of it.
        times_changed: Other times are shown, or none.
    """

    measure_wanted = Signal()
    stop_wanted = Signal()
    times_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("timesView")
        self._modules: tuple[ModuleTime, ...] = ()
        self.measure = icon_button(
            self, self.tr("Measure"), self.tr("Build once without the cache"), "run"
        )
        self.measure.setObjectName("measureTime")
        self.stop = icon_button(self, self.tr("Stop"), self.tr("Stop the build"), "stop")
        self.stop.setObjectName("stopMeasuring")
        self.modules = choice_box(self, "timesModule", self.tr("Module"))
        self.pages = choice_box(self, "timesPage", self.tr("What is listed"))
        self._status = ShorteningLabel(self)
        self._status.setObjectName("timesStatus")
        self.flame = FlameGraph(self)
        self.table = RowsTable(self.tr("Compile time by part"), "timesTable", COLUMNS, self)
        self.table.set_columns(0, {1: 10, 2: 10, 3: 7})
        self.table.add_copying()
        self._hint = hint_label(self, "timesHint", "")
        self._stack = QStackedWidget(self)
        self._lay_out()
        self.measure.clicked.connect(self.measure_wanted)
        self.stop.clicked.connect(self.stop_wanted)
        self.modules.currentIndexChanged.connect(self._show_module)
        self.pages.currentIndexChanged.connect(self._show_page)
        self.flame.current_changed.connect(self._on_current_changed)
        self.show_hint("")

    @property
    def modules_shown(self) -> tuple[ModuleTime, ...]:
        """The modules whose time is shown."""
        return self._modules

    @property
    def status(self) -> str:
        """The words beside the choices."""
        return self._status.text()

    @property
    def hint(self) -> str:
        """Why no time is shown; empty beside a flame graph."""
        return self._hint.text() if self._stack.currentWidget() is self._hint else ""

    def begin(self) -> None:
        """Shows that a build runs."""
        self._set_running(True)
        self._status.setText(self.tr("Building…"))

    def show_times(self, modules: tuple[ModuleTime, ...]) -> None:
        """Shows the time of a build."""
        self._set_running(False)
        self._modules = modules
        with QSignalBlocker(self.modules):
            self.modules.clear()
            self.modules.addItems([module.name for module in modules])
        self.modules.setVisible(len(modules) > 1)
        self._show_module()
        self.times_changed.emit()

    def show_hint(self, words: str) -> None:
        """Says why no time is shown."""
        self._set_running(False)
        self._modules = ()
        for part in (self.modules, self.pages):
            part.hide()
        self._show_words(
            words
            or self.tr(
                "Where the compile time goes: press Measure.\n"
                "Headers, templates, phases of NVRTC, and ptxas by kernel."
            )
        )
        self.times_changed.emit()

    def _show_words(self, words: str) -> None:
        self._status.setText("")
        self._hint.setText(words)
        self._stack.setCurrentWidget(self._hint)
        self.setFocusProxy(self.measure)

    def _set_running(self, is_running: bool) -> None:
        self.stop.setVisible(is_running)
        self.measure.setVisible(not is_running)

    def _lay_out(self) -> None:
        strip = QHBoxLayout()
        strip.setContentsMargins(12, 3, 8, 3)
        strip.setSpacing(6)
        for part in (self.measure, self.stop, self.modules, self.pages):
            strip.addWidget(part)
        strip.addWidget(self._status, 1)
        self._content = QSplitter(Qt.Orientation.Vertical, self)
        self._content.addWidget(self.flame)
        self._content.addWidget(self.table)
        for at, share in enumerate(_SHARES):
            self._content.setStretchFactor(at, share)
        self._stack.addWidget(self._content)
        self._stack.addWidget(self._hint)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(strip)
        column.addWidget(self._stack, 1)

    @Slot()
    def _show_module(self) -> None:
        at = self.modules.currentIndex()
        if not 0 <= at < len(self._modules):
            return
        module = self._modules[at]
        pages = [page for page in TimesPage if page.parts(module)]
        fill_choices(self.pages, ((page.title, page) for page in pages))
        self.pages.setVisible(self.pages.count() > 0)
        if not self.pages.count():
            nothing = self.tr("The tools do not say where their {ms:,.0f} ms went.")
            self._show_words(module.problem or nothing.format(ms=module.ms))
            return
        self._stack.setCurrentWidget(self._content)
        self.flame.setVisible(module.trace is not None)
        if (trace := module.trace) is not None:
            self.flame.show_work(Span(module.name, "", 0.0, trace.total_ms, list(trace.spans)))
        else:
            words = self.tr("{ms:,.0f} ms in tools").format(ms=module.ms)
            self._say(". ".join(filter(None, (words, module.problem))))
        self.setFocusProxy(self.flame if module.trace else self.table)
        self._show_page()

    @Slot()
    def _show_page(self) -> None:
        at, page = self.modules.currentIndex(), self.pages.currentData()
        if page is not None:
            self.table.set_rows(page.parts(self._modules[at]))

    @Slot(Span)
    def _on_current_changed(self, span: Span) -> None:
        self._say(self.flame.words(span))

    def _say(self, words: str) -> None:
        self._status.setText(words)
        show_tip(self._status, words)
