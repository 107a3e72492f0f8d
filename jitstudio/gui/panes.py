"""The views of the window and where they stand; knows nothing of what they show."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabWidget, QVBoxLayout, QWidget

from jitstudio.core.code import CodeKind
from jitstudio.gui.state.preferences import Preferences
from jitstudio.gui.theme import Theme
from jitstudio.gui.widgets.build_bar import BuildBar
from jitstudio.gui.widgets.editor_tabs import EditorTabs
from jitstudio.gui.widgets.kernels_view import KernelsView
from jitstudio.gui.widgets.launch.launch_panel import LaunchPanel
from jitstudio.gui.widgets.link_view import LinkView
from jitstudio.gui.widgets.log_view import LogView
from jitstudio.gui.widgets.names_view import NamesView
from jitstudio.gui.widgets.notice_bar import NoticeBar
from jitstudio.gui.widgets.options_form import OptionsForm
from jitstudio.gui.widgets.output_pane import OutputPane
from jitstudio.gui.widgets.problems_view import ProblemsView
from jitstudio.gui.widgets.status_line import StatusLine
from jitstudio.gui.workspace import Workspace

_SIZE = QSize(1440, 900)
_SCREEN_SHARE = 0.95
_GEOMETRY, _ARRANGEMENT = "geometry", "arrangement"
# Raised when panes are added or renamed: an older arrangement would not know them.
_LAYOUT_VERSION = 2
_OUTPUT_SHARE = 0.52
_PROBLEMS_SHARE = 0.24


class _Themed(Protocol):
    def set_theme(self, theme: Theme) -> None: ...


class _Dock(QDockWidget):
    """One dock; its name is what a saved arrangement knows it by."""

    def __init__(self, title: str, name: str, content: QWidget, window: QMainWindow) -> None:
        super().__init__(title, window)
        self.setObjectName(name)
        self.setWidget(content)


class _BareDock(_Dock):
    """A dock that its tabs name already, so that a bar of its own is for when it floats."""

    def __init__(self, title: str, name: str, content: QWidget, window: QMainWindow) -> None:
        super().__init__(title, name, content, window)
        self._no_bar = QWidget()
        self.setTitleBarWidget(self._no_bar)
        self.topLevelChanged.connect(self._on_floating_changed)

    @Slot(bool)
    def _on_floating_changed(self, floating: bool) -> None:
        # Nothing brings the dock's own bar back; the stub does not know.
        self.setTitleBarWidget(None if floating else self._no_bar)  # type: ignore[arg-type]


class Panes:
    """All views of one window.

    Attributes:
        notice: What went wrong outside a build.
        build_bar: Target and options; it stands in the toolbar.
        tabs: The editors.
        outputs: A pane for each kind of listing.
        kernels: Registers and memory of each kernel.
        names: Lowered names.
        link: Modules and link mode.
        launch: What to launch, and what came of it.
        options: All options of the tools as a form.
        problems: Errors and warnings.
        log: What each tool said.
        status: The status bar.
    """

    def __init__(self, window: QMainWindow, workspace: Workspace, theme: Theme) -> None:
        self._window = window
        self.notice = NoticeBar(theme)
        self.build_bar = BuildBar()
        self.tabs = EditorTabs(workspace.documents, theme)
        self.outputs = {
            CodeKind.PTX: OutputPane(CodeKind.PTX, "ptxView", theme),
            CodeKind.SASS: OutputPane(CodeKind.SASS, "sassView", theme),
        }
        self.kernels = KernelsView()
        self.names = NamesView()
        self.link = LinkView()
        self.launch = LaunchPanel(workspace.launch_specs)
        self.options = OptionsForm()
        self.problems = ProblemsView()
        self.log = LogView()
        self.status = StatusLine(theme)
        self._output_tabs = self._make_output_tabs()
        self._lay_out()
        self._first_arrangement = window.saveState(_LAYOUT_VERSION)

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        parts: tuple[_Themed, ...] = (
            self.notice,
            self.tabs,
            *self.outputs.values(),
            self.kernels,
            self.names,
            self.link,
            self.launch,
            self.options,
            self.problems,
            self.log,
            self.status,
        )
        for part in parts:
            part.set_theme(theme)

    def toggles(self) -> list[QAction]:
        """The switches that show and hide the docks."""
        return [dock.toggleViewAction() for dock in self._docks]

    def bring_up(self, view: QWidget) -> None:
        """Show a view, wherever it is hidden, and give it the keyboard."""
        self.uncover(view)
        view.setFocus()

    def uncover(self, view: QWidget) -> None:
        """Show a view, wherever it is hidden; the keyboard stays where it is."""
        if self._output_tabs.indexOf(view) >= 0:
            self._output_tabs.setCurrentWidget(view)
        dock = next((dock for dock in self._docks if dock.isAncestorOf(view)), None)
        if dock is not None:
            dock.show()
            dock.raise_()

    def save_layout(self, preferences: Preferences) -> None:
        """Remember where everything stands."""
        preferences.set_layout(_GEOMETRY, self._window.saveGeometry())
        preferences.set_layout(_ARRANGEMENT, self._window.saveState(_LAYOUT_VERSION))

    def restore_layout(self, preferences: Preferences) -> None:
        """Put everything where it stood; what cannot be read is left as it is."""
        geometry = preferences.layout(_GEOMETRY)
        arrangement = preferences.layout(_ARRANGEMENT)
        if geometry is not None:
            self._window.restoreGeometry(geometry)
        if arrangement is not None:
            self._window.restoreState(arrangement, _LAYOUT_VERSION)

    def reset_layout(self) -> None:
        """Put everything where it stood at the first start."""
        self._window.restoreState(self._first_arrangement, _LAYOUT_VERSION)
        self.share_space()

    def _make_output_tabs(self) -> QTabWidget:
        tabs = QTabWidget(documentMode=True)
        tabs.setObjectName("outputTabs")
        tabs.setAccessibleName("Results of the build")
        for kind, pane in self.outputs.items():
            tabs.addTab(pane, kind.title)
        tabs.addTab(self.kernels, "Kernels")
        tabs.addTab(self.names, "Lowered names")
        tabs.addTab(self.link, "Link")
        tabs.addTab(self.launch, "Launch")
        return tabs

    def _lay_out(self) -> None:
        window = self._window
        window.resize(_SIZE.boundedTo(window.screen().availableSize() * _SCREEN_SHARE))
        centre = QWidget()
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.notice)
        column.addWidget(self.tabs, 1)
        window.setCentralWidget(centre)
        right, below = Qt.DockWidgetArea.RightDockWidgetArea, Qt.DockWidgetArea.BottomDockWidgetArea
        output = _BareDock("Output", "outputDock", self._output_tabs, window)
        problems = _BareDock("Problems", "problemsDock", self.problems, window)
        log = _BareDock("Log", "logDock", self.log, window)
        options = _Dock("Options", "optionsDock", self.options, window)
        self._docks = (output, problems, log, options)
        window.addDockWidget(right, output)
        window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, options)
        options.hide()
        window.addDockWidget(below, problems)
        # The output reaches down to the status bar: PTX and SASS are long, problems are few.
        window.setCorner(Qt.Corner.BottomRightCorner, right)
        window.tabifyDockWidget(problems, log)
        problems.raise_()
        window.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        window.setStatusBar(self.status)
        self.share_space()

    def share_space(self) -> None:
        """Give each dock its usual part of the window."""
        output, problems, *_ = self._docks
        width, height = self._window.width(), self._window.height()
        self._window.resizeDocks([output], [int(width * _OUTPUT_SHARE)], Qt.Orientation.Horizontal)
        self._window.resizeDocks(
            [problems], [int(height * _PROBLEMS_SHARE)], Qt.Orientation.Vertical
        )
