"""Shows how builds go and what came of them."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, Slot

from jitstudio.core.code import LINKED, CodeKind
from jitstudio.core.result import BuildResult
from jitstudio.core.tools import ToolchainInfo
from jitstudio.gui.editor.editor_tabs import EditorTabs
from jitstudio.gui.features.build.bar import BuildBar
from jitstudio.gui.listing.output_pane import OutputPane
from jitstudio.gui.services.build_service import BuildService
from jitstudio.gui.shell.file_commands import FileCommands
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.build_controller import BuildController
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.outputs import Outputs
from jitstudio.gui.state.toolchain import Toolchain


class ResultsController(QObject):
    """Hands results to the listings, and the state of the build to the status bar."""

    def __init__(
        self,
        outputs: Outputs,
        build_controller: BuildController,
        documents: Documents,
        toolchain: Toolchain,
        service: BuildService,
        editors: EditorTabs,
        listings: Mapping[CodeKind, OutputPane],
        files: FileCommands,
        bar: BuildBar,
        shell: Shell,
    ) -> None:
        super().__init__(shell.status)
        actions = shell.actions
        self._outputs = outputs
        self._service = service
        self._editors = editors
        self._build_controller = build_controller
        self._documents = documents
        self._shell = shell
        self._listings = listings
        self._files = files
        self._bar = bar
        self._listed = dict.fromkeys(listings, frozenset[str]())
        self._cancel = actions["cancelAction"]
        self._outputs = outputs
        status = shell.status
        outputs.changed.connect(self._on_output_changed)
        documents.current_changed.connect(self._on_current_changed)
        outputs.result_changed.connect(self._on_result_changed)
        toolchain.follow(self._on_toolchain_found)
        build_controller.build_started.connect(status.show_building)
        build_controller.build_started.connect(self._on_building_changed)
        build_controller.progressed.connect(status.show_progress)
        build_controller.build_ended.connect(self._on_building_changed)
        build_controller.built.connect(status.show_built)
        build_controller.refused.connect(status.tell)
        build_controller.worker_broke.connect(shell.notices.tell)
        for output in listings.values():
            output.told.connect(status.tell)
        actions.bind(
            {
                "buildAction": build_controller.build,
                "cancelAction": build_controller.cancel,
                "emptyCacheAction": self._empty_cache,
                "saveOutputsAction": self._on_save_outputs,
            }
        )
        self._on_building_changed()

    @Slot(CodeKind)
    def _on_output_changed(self, kind: CodeKind) -> None:
        pane, output = self._listings[kind], self._outputs.output(kind)
        names = frozenset(listing.name for listing in output.listings)
        # What was linked of all modules is about each of them.
        modules = frozenset() if LINKED in names else names
        pane.show_output(output)
        # Modules are compiled side by side: which comes first is nobody's choice.
        current = self._documents.current
        if current is not None and current.name in modules - self._listed[kind]:
            pane.choose(current.name)
        self._listed[kind] = modules

    @Slot(object)
    def _on_current_changed(self, document: Document | None) -> None:
        """Show of a link what the module that is looked at became."""
        for kind, modules in self._listed.items():
            if document is not None and document.name in modules:
                self._listings[kind].choose(document.name)

    @Slot(object)
    def _on_result_changed(self, result: BuildResult | None) -> None:
        self._editors.set_diagnostics(result.diagnostics if result else ())
        self._shell.status.show_result(result)

    @Slot()
    def _on_building_changed(self) -> None:
        building = self._build_controller.is_building
        self._cancel.setEnabled(building)
        if not building:
            self._shell.status.show_ended()

    @Slot(ToolchainInfo)
    def _on_toolchain_found(self, info: ToolchainInfo) -> None:
        self._bar.set_archs(info.archs)
        self._shell.status.show_toolchain(info)
        for tool in info.tools:
            if tool.problem:
                self._shell.notices.tell(tool.problem)

    @Slot()
    def _empty_cache(self) -> None:
        self._service.empty_cache().finished.connect(self._on_cache_emptied)

    @Slot(object)
    def _on_cache_emptied(self, size: int) -> None:
        text = self.tr("The cache is empty; {size:,.1f} MiB were freed")
        self._shell.status.tell(text.format(size=size / 2**20))

    @Slot()
    def _on_save_outputs(self) -> None:
        self._files.save_results(self._outputs.result)
