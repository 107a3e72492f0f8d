"""Shows how builds go and what came of them."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from jitstudio.core.code import LINKED, CodeKind
from jitstudio.core.result import BuildResult
from jitstudio.core.tools import ToolchainInfo
from jitstudio.gui.shell.commands.actions import Actions
from jitstudio.gui.shell.file_commands import FileCommands
from jitstudio.gui.state.documents import Document
from jitstudio.gui.state.workspace import Workspace
from jitstudio.gui.window.panes import Panes


class ResultsController(QObject):
    """Hands results to the panes, and the state of the build to the status bar."""

    def __init__(
        self, workspace: Workspace, panes: Panes, files: FileCommands, actions: Actions
    ) -> None:
        super().__init__(panes.status)
        self._workspace = workspace
        self._panes = panes
        self._files = files
        self._listed = dict.fromkeys(panes.outputs, frozenset[str]())
        self._cancel = actions["cancelAction"]
        outputs, build_controller, status = (
            workspace.outputs,
            workspace.build_controller,
            panes.status,
        )
        outputs.changed.connect(self._on_output_changed)
        workspace.documents.current_changed.connect(self._on_current_changed)
        outputs.result_changed.connect(self._on_result_changed)
        workspace.tell_toolchain(self._on_toolchain_found)
        workspace.service.cache_emptied.connect(self._on_cache_emptied)
        build_controller.build_started.connect(status.show_building)
        build_controller.build_started.connect(self._on_building_changed)
        build_controller.progressed.connect(status.show_progress)
        build_controller.build_ended.connect(self._on_building_changed)
        build_controller.built.connect(status.show_built)
        build_controller.refused.connect(status.tell)
        build_controller.worker_broke.connect(panes.notice.tell)
        for output in panes.outputs.values():
            output.told.connect(status.tell)
        actions.bind(
            {
                "buildAction": build_controller.build,
                "cancelAction": build_controller.cancel,
                "emptyCacheAction": workspace.service.empty_cache,
                "saveOutputsAction": self._on_save_outputs,
            }
        )
        self._on_building_changed()

    @Slot(CodeKind)
    def _on_output_changed(self, kind: CodeKind) -> None:
        pane, output = self._panes.outputs[kind], self._workspace.outputs.output(kind)
        names = frozenset(listing.name for listing in output.listings)
        # What was linked of all modules is about each of them.
        modules = frozenset() if LINKED in names else names
        pane.show_output(output)
        # Modules are compiled side by side: which comes first is nobody's choice.
        current = self._workspace.documents.current
        if current is not None and current.name in modules - self._listed[kind]:
            pane.choose(current.name)
        self._listed[kind] = modules

    @Slot(object)
    def _on_current_changed(self, document: Document | None) -> None:
        """Show of a link what the module that is looked at became."""
        for kind, modules in self._listed.items():
            if document is not None and document.name in modules:
                self._panes.outputs[kind].choose(document.name)

    @Slot(object)
    def _on_result_changed(self, result: BuildResult | None) -> None:
        panes, diagnostics = self._panes, result.diagnostics if result else ()
        panes.problems.model.set_diagnostics(diagnostics)
        panes.log.model.set_rows(result.stages if result else ())
        panes.tabs.set_diagnostics(diagnostics)
        panes.kernels.show_result(self._workspace.outputs.figures)
        panes.status.show_result(result)

    @Slot()
    def _on_building_changed(self) -> None:
        building = self._workspace.build_controller.is_building
        self._cancel.setEnabled(building)
        if not building:
            self._panes.status.show_ended()

    @Slot(ToolchainInfo)
    def _on_toolchain_found(self, info: ToolchainInfo) -> None:
        self._panes.build_bar.set_archs(info.archs)
        self._panes.status.show_toolchain(info)
        for tool in info.tools:
            if tool.problem:
                self._panes.notice.tell(tool.problem)

    @Slot(object)
    def _on_cache_emptied(self, size: int) -> None:
        text = self.tr("The cache is empty; {size:,.1f} MiB were freed")
        self._panes.status.tell(text.format(size=size / 2**20))

    @Slot()
    def _on_save_outputs(self) -> None:
        self._files.save_results(self._workspace.outputs.result)
