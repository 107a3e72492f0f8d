"""The views of the window; knows nothing of what they show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow, QWidget

from jitstudio.core.code import CodeKind
from jitstudio.gui.features.build.bar import BuildBar
from jitstudio.gui.features.compare.view import CompareView
from jitstudio.gui.features.graph.view import GraphView
from jitstudio.gui.features.kernels.view import KernelsView
from jitstudio.gui.features.launch.view import LaunchPanel
from jitstudio.gui.features.link.view import LinkView
from jitstudio.gui.features.log.view import LogView
from jitstudio.gui.features.names.view import NamesView
from jitstudio.gui.features.options.view import OptionsForm
from jitstudio.gui.features.pipeline.view import PipelineView
from jitstudio.gui.features.problems.view import ProblemsView
from jitstudio.gui.features.report.view import ReportView
from jitstudio.gui.features.search.view import SearchView
from jitstudio.gui.kit.theme import Theme
from jitstudio.gui.listing.output_pane import OutputPane
from jitstudio.gui.shell.commands.spec import EDITOR
from jitstudio.gui.shell.docking.dock import PaneDock
from jitstudio.gui.shell.status_line import StatusLine
from jitstudio.gui.state.workspace import Workspace
from jitstudio.gui.window.window_shell import WindowShell


class _Themed(Protocol):
    def set_theme(self, theme: Theme) -> None: ...


class Panes:
    """All views of one window; those in docks are there once `fill` is through.

    Attributes:
        notice: What went wrong outside a build.
        build_bar: Target and options; it stands in the toolbar.
        centre: The middle of the window: the editors below the notice.
        tabs: The editors.
        outputs: A pane for each kind of listing.
        kernels: Registers and memory of each kernel.
        report: A kernel in numbers.
        compare: A pinned result beside the newest one.
        names: Lowered names.
        link: Modules and link mode.
        launch: What to launch, and what came of it.
        options: All options of the tools as a form.
        pipeline: The build as a picture.
        graph: The control flow of a kernel.
        problems: Errors and warnings.
        log: What each tool said.
        search: What was found in all texts.
        status: The status bar.
        stage: Where all of them stand.
    """

    outputs: dict[CodeKind, OutputPane]
    kernels: KernelsView
    report: ReportView
    compare: CompareView
    names: NamesView
    link: LinkView
    launch: LaunchPanel
    options: OptionsForm
    pipeline: PipelineView
    graph: GraphView
    problems: ProblemsView
    log: LogView
    search: SearchView

    def __init__(
        self, window: QMainWindow, frame: WindowShell, workspace: Workspace, theme: Theme
    ) -> None:
        self.notice = frame.notice
        self.tabs = frame.tabs
        self.centre = frame.centre
        self.stage = frame.stage
        self.build_bar = BuildBar()
        self.status = StatusLine(theme)
        window.setStatusBar(self.status)
        self._docks = frame.docks
        self._workspace = workspace
        self._theme = theme

    def fill(self) -> Iterator[None]:
        """Make the panes, one at a time; those that can be seen first."""
        theme = self._theme
        self.outputs = {}
        for kind, dock in ((CodeKind.PTX, "ptx"), (CodeKind.SASS, "sass")):
            self.outputs[kind] = OutputPane(kind, f"{dock}View", theme)
            self._docks[dock].fill(self.outputs[kind])
            yield
        self.problems = ProblemsView()
        self._docks["problems"].fill(self.problems)
        self.log = LogView()
        self._docks["log"].fill(self.log)
        self.search = SearchView()
        self._docks["search"].fill(self.search)
        yield
        self.kernels = KernelsView()
        self._docks["kernels"].fill(self.kernels)
        self.names = NamesView()
        self._docks["names"].fill(self.names)
        self.link = LinkView()
        self._docks["link"].fill(self.link)
        yield
        self.report = ReportView()
        self._docks["report"].fill(self.report)
        yield
        self.compare = CompareView(theme)
        self._docks["compare"].fill(self.compare)
        yield
        self.pipeline = PipelineView(theme)
        self._docks["pipeline"].fill(self.pipeline)
        self.graph = GraphView(theme)
        self._docks["graph"].fill(self.graph)
        yield
        self.options = OptionsForm()
        self._docks["options"].fill(self.options)
        yield
        self.launch = LaunchPanel(self._workspace.launch_specs)
        self._docks["launch"].fill(self.launch)
        yield

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        parts: tuple[_Themed, ...] = (
            self.notice,
            self.tabs,
            *self.outputs.values(),
            self.kernels,
            self.report,
            self.compare,
            self.names,
            self.link,
            self.launch,
            self.pipeline,
            self.graph,
            self.options,
            self.problems,
            self.log,
            self.search,
            self.status,
            self.stage,
        )
        for part in parts:
            part.set_theme(theme)

    @property
    def docks(self) -> tuple[PaneDock, ...]:
        """What can be moved, closed and maximised."""
        return tuple(self._docks.values())

    def named(self, name: str) -> QWidget:
        """The pane in the dock of this name, or the editors."""
        return self.tabs if name == EDITOR else self._docks[name].content

    def title_of(self, name: str) -> str:
        """What the window calls the pane of this name."""
        if name == EDITOR:
            return QCoreApplication.translate("Panes", "Editor")
        return self._docks[name].windowTitle()

    def toggles(self) -> list[QAction]:
        """The switches that show and hide the docks."""
        return [dock.toggleViewAction() for dock in self.docks]

    def bring_up(self, view: QWidget) -> None:
        """Show a view, wherever it is hidden, and give it the keyboard."""
        self.uncover(view)
        if view in (self.centre, self.tabs):
            # The text, not the tabs above it.
            view = self.tabs.currentWidget() or self.tabs
        parts = (part for part in (view, *view.findChildren(QWidget)) if part.isVisible())
        takers = (p for p in parts if p.focusProxy() or p.focusPolicy() & Qt.FocusPolicy.TabFocus)
        next(takers, view).setFocus(Qt.FocusReason.ShortcutFocusReason)

    def uncover(self, view: QWidget) -> None:
        """Show a view, wherever it is hidden; the keyboard stays where it is."""
        self.stage.uncover(view)
