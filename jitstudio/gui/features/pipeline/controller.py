"""Keeps the picture of the build in step with builds and launches, and opens its nodes."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from jitstudio.core.code import CodeKind
from jitstudio.core.result import BuildResult
from jitstudio.gui.context import Context
from jitstudio.gui.features.pipeline.graph import Node, NodeRole, NodeState
from jitstudio.gui.features.pipeline.model import Pipelines
from jitstudio.gui.features.pipeline.scene import PictureError
from jitstudio.gui.features.pipeline.view import PipelineView
from jitstudio.gui.kit.dialogs import Dialogs
from jitstudio.gui.kit.fonts import follow_letters
from jitstudio.gui.shell.navigation import (
    DocumentPlace,
    ListingPlace,
    LogPlace,
    Navigator,
    ProblemPlace,
)
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.build_controller import BuildController
from jitstudio.gui.state.build_settings import BuildSettings
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.launch_controller import LaunchController
from jitstudio.gui.state.outputs import Outputs
from jitstudio.system.paths import home_folder

_PICTURE = "pipeline.svg"
_NOT_RUN = frozenset({NodeState.WAITING, NodeState.SKIPPED})


def install(context: Context) -> None:
    """Makes the pane "Pipeline"."""
    state, shell = context.state, context.shell
    view = PipelineView(parent=shell.layout.place("pipeline"))
    shell.layout.fill("pipeline", view)
    PipelineController(
        view,
        state.build_controller,
        state.launches,
        state.outputs,
        state.documents,
        state.settings,
        context.navigator,
        shell,
    )
    shell.context_menus.add_to_picture(view)


class PipelineController(QObject):
    """Feeds the pictures from builds and launches, and leads from nodes to the represented code."""

    def __init__(
        self,
        view: PipelineView,
        build_controller: BuildController,
        launches: LaunchController,
        outputs: Outputs,
        documents: Documents,
        settings: BuildSettings,
        navigator: Navigator,
        shell: Shell,
        dialogs: Dialogs | None = None,
    ) -> None:
        super().__init__(view)
        self._outputs = outputs
        self._documents = documents
        self._build_controller = build_controller
        self._shell = shell
        self._navigator = navigator
        self._view = view
        self._is_fold_chosen = False
        view.folded.connect(self._on_folded)
        view.needs_changed.connect(self._fit_line)
        shell.layout.layout_changed.connect(self._fold_where_small)
        shell.layout.cramped_changed.connect(self._fold_where_small)
        follow_letters(self, PipelineController._fold_where_small)
        self._dialogs = dialogs or Dialogs(view)
        self._pipelines = pipelines = Pipelines(self)
        build_controller.began.connect(pipelines.begin)
        build_controller.event_received.connect(pipelines.take_event)
        build_controller.built.connect(pipelines.end)
        build_controller.build_ended.connect(pipelines.stop)
        launches.running_changed.connect(self._on_launch_running_changed)
        launches.progressed.connect(pipelines.launch)
        launches.finished.connect(pipelines.end_launch)
        outputs.result_changed.connect(self._on_result_changed)
        documents.edited.connect(self._on_edited)
        settings.changed.connect(self._on_settings_changed)
        documents.removed.connect(pipelines.forget)
        pipelines.changed.connect(view.show_pipeline)
        view.activated.connect(self._on_activated)
        view.picture_requested.connect(self._on_picture_requested)
        self._openers = {
            NodeRole.SOURCE: self._open_document,
            NodeRole.HEADER: self._open_document,
            NodeRole.TOOL: self._open_log,
            NodeRole.LINK: self._open_link,
            NodeRole.ARTIFACT: self._open_artifact,
            NodeRole.LAUNCH: self._open_launch,
        }

    @Slot()
    def _fold_where_small(self) -> None:
        """Leaves the room of a small window to code and listings."""
        if not self._is_fold_chosen:
            self._view.fold(self._shell.layout.is_cramped)
        self._fit_line()

    @Slot()
    def _fit_line(self) -> None:
        """Leaves the room that a line does not need to the other panes."""
        if (dock := self._shell.layout.dock_of(self._view)) is not None:
            view = self._view
            dock.limit_height(view.minimumSizeHint().height() if view.is_folded else 0)

    @Slot()
    def _on_folded(self) -> None:
        self._is_fold_chosen = True
        self._fit_line()
        self._shell.layout.share_space()

    @Slot(object)
    def _on_result_changed(self, _result: BuildResult | None) -> None:
        self._pipelines.show_subject(self._outputs.subject)

    @Slot(Document)
    def _on_edited(self, document: Document) -> None:
        # What is built by itself is up to date again before anybody could read that it is not.
        if not self._build_controller.builds_by_itself:
            self._pipelines.edit(document.name)

    @Slot()
    def _on_settings_changed(self) -> None:
        if not self._build_controller.builds_by_itself:
            self._pipelines.edit()

    @Slot(bool)
    def _on_launch_running_changed(self, running: bool) -> None:
        if running:
            self._pipelines.launch("")

    @Slot(Node)
    def _on_activated(self, node: Node) -> None:
        if node.state is NodeState.FAILED and node.role is not NodeRole.LAUNCH:
            self._navigator.go_to(ProblemPlace())
        else:
            self._openers[node.role](node)

    def _open_document(self, node: Node) -> None:
        document = self._documents.named(node.name)
        if document is not None:
            self._navigator.go_to(DocumentPlace(document))

    def _open_log(self, node: Node) -> None:
        runs = self._pipelines.shown.of_role(node.role)
        like = (n for n in runs if (n.tool, n.name) == (node.tool, node.name))
        before = sum(n.step < node.step and n.state not in _NOT_RUN for n in like)
        key = (node.tool, node.name, before) if node.tool is not None else None
        self._navigator.go_to(LogPlace(key))

    def _open_link(self, _node: Node) -> None:
        self._shell.layout.bring_up_pane("link")

    def _open_artifact(self, node: Node) -> None:
        if node.code in (CodeKind.PTX, CodeKind.SASS):
            self._navigator.go_to(ListingPlace(node.code, node.name))
        elif node.code is CodeKind.TILEIR:
            self._shell.layout.bring_up_pane("tileir")
        elif node.code is CodeKind.CUBIN:
            self._shell.layout.bring_up_pane("kernels")
        elif node.code is CodeKind.CAPTURED:
            self._open_kernel(node)
        else:
            maker = next(n for n in self._pipelines.shown.nodes if n.runs and n.step == node.step)
            self._open_log(maker)

    def _open_kernel(self, node: Node) -> None:
        """Opens a kernel that a script has compiled, with all stages, in a separate tab."""
        result = self._outputs.result
        captured = result.artifact(CodeKind.CAPTURED, node.name) if result is not None else None
        if captured is None:
            return
        name = f"{captured.name}{captured.kind.ending}"
        document = self._documents.named(name)
        if document is None or document.content != captured.content:
            document = Document(self._documents.unique_name(name), captured.kind, captured.content)
            self._documents.add(document)
        self._navigator.go_to(DocumentPlace(document))

    def _open_launch(self, _node: Node) -> None:
        self._shell.layout.bring_up_pane("launch")

    @Slot()
    def _on_picture_requested(self) -> None:
        current = self._documents.current
        folder = current.path.parent if current is not None and current.path else home_folder()
        path = self._dialogs.file_to_save(folder / _PICTURE)
        if path is None:
            return
        try:
            self._view.save_picture(path)
        except PictureError as error:
            self._shell.notices.show_message(str(error))
        else:
            self._shell.status.show_message(self.tr("Saved {path}").format(path=path))
