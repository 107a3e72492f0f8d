"""Keeps the build bar, the settings, the results and the status bar in step."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, Slot

from jitstudio.core.arch import Arch
from jitstudio.core.code import LINKED, CodeKind
from jitstudio.core.result import BuildResult
from jitstudio.core.toolchain_info import ToolchainInfo
from jitstudio.gui.context import Context
from jitstudio.gui.editor.editor_tabs import EditorTabs
from jitstudio.gui.features.build.bar import BuildBar
from jitstudio.gui.features.build.export import ExportCommands
from jitstudio.gui.features.build.part import PartController
from jitstudio.gui.listing.output_pane import OutputPane
from jitstudio.gui.services.build_service import BuildService
from jitstudio.gui.shell.file_commands import FileCommands
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.shell.status_line import StatusLine
from jitstudio.gui.state.build_controller import BuildController
from jitstudio.gui.state.build_settings import BuildSettings, Switch
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.launch_controller import LaunchController
from jitstudio.gui.state.outputs import Outputs
from jitstudio.gui.state.toolchain import Toolchain

_SWITCHES = {
    "cacheAction": Switch.CACHE,
    "precompileAction": Switch.PRECOMPILE,
    "hostCodeAction": Switch.HOST_CODE_ASIDE,
    "libdeviceAction": Switch.LIBDEVICE,
    "joinIrAction": Switch.JOIN_IR,
    "driverJitAction": Switch.DRIVER_JIT,
}


class SettingsController(QObject):
    """Shows what a build is done with, and takes over what the user chooses."""

    def __init__(
        self,
        settings: BuildSettings,
        documents: Documents,
        bar: BuildBar,
        shell: Shell,
    ) -> None:
        super().__init__(bar)
        actions = shell.actions
        self._settings = settings
        self._documents = documents
        self._actions = actions
        status = shell.status
        bar.set_form_action(actions["optionsAction"])
        settings.arch_changed.connect(bar.set_arch)
        settings.arch_changed.connect(status.show_target)
        settings.options_changed.connect(bar.set_options)
        settings.auto_build_changed.connect(actions["autoBuildAction"].setChecked)
        settings.switches_changed.connect(self._on_switches_changed)
        documents.current_changed.connect(self._on_library_changed)
        bar.set_arch(settings.arch)
        bar.set_options(settings.options)
        status.show_target(settings.arch)
        actions["autoBuildAction"].setChecked(settings.auto_build)
        self._on_switches_changed(settings.switches)
        self._on_library_changed()
        bar.arch_chosen.connect(self._on_arch_chosen)
        bar.options_edited.connect(self._on_options_edited)
        bar.options_finished.connect(self._on_options_finished)
        bar.refused.connect(shell.notices.show_message)
        actions.bind(dict.fromkeys(_SWITCHES, self._on_switch_toggled))
        actions.bind(
            {
                "autoBuildAction": self._on_auto_build_toggled,
                "libraryAction": self._on_library_toggled,
            }
        )

    @Slot(Arch)
    def _on_arch_chosen(self, arch: Arch) -> None:
        self._settings.arch = arch

    @Slot(str, bool)
    def _on_options_edited(self, options: str, is_half_typed: bool) -> None:
        self._settings.is_drafting = is_half_typed
        self._settings.options = options

    @Slot()
    def _on_options_finished(self) -> None:
        self._settings.is_drafting = False

    @Slot(bool)
    def _on_auto_build_toggled(self, on: bool) -> None:
        self._settings.auto_build = on

    @Slot(bool)
    def _on_switch_toggled(self, on: bool) -> None:
        self._settings.turn(_SWITCHES[self.sender().objectName()], on)

    @Slot(frozenset)
    def _on_switches_changed(self, switches: frozenset[Switch]) -> None:
        for name, switch in _SWITCHES.items():
            self._actions[name].setChecked(switch in switches)

    @Slot(bool)
    def _on_library_toggled(self, on: bool) -> None:
        if self._documents.current is not None:
            self._documents.current.is_library = on

    @Slot()
    def _on_library_changed(self) -> None:
        current = self._documents.current
        action = self._actions["libraryAction"]
        action.setEnabled(current is not None and current.kind is CodeKind.LLVM_IR)
        action.setChecked(current is not None and current.is_library)


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
        build_controller.refused.connect(status.show_message)
        build_controller.worker_broke.connect(shell.notices.show_message)
        for output in listings.values():
            output.reported.connect(status.show_message)
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
        # Modules are compiled side by side: their order is arbitrary.
        current = self._documents.current
        if current is not None and current.name in modules - self._listed[kind]:
            pane.choose(current.name)
        self._listed[kind] = modules

    @Slot(object)
    def _on_current_changed(self, document: Document | None) -> None:
        """Shows of a link what the module that is looked at became."""
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
                self._shell.notices.show_message(tool.problem)

    @Slot()
    def _empty_cache(self) -> None:
        self._service.empty_cache().finished.connect(self._on_cache_emptied)

    @Slot(object)
    def _on_cache_emptied(self, size: int) -> None:
        text = self.tr("The cache is empty; {size:,.1f} MiB were freed")
        self._shell.status.show_message(text.format(size=size / 2**20))

    @Slot()
    def _on_save_outputs(self) -> None:
        self._files.save_results(self._outputs.result)


class StatusController(QObject):
    """Keeps the facts of the status bar that come neither from builds nor from editors."""

    def __init__(
        self,
        launches: LaunchController,
        documents: Documents,
        outputs: Outputs,
        settings: BuildSettings,
        status: StatusLine,
        shell: Shell,
    ) -> None:
        super().__init__(status)
        actions = shell.actions
        self._launches = launches
        self._documents = documents
        self._settings = settings
        self._status = status
        status.cancel_requested.connect(actions["cancelAction"].trigger)
        status.gpus_requested.connect(actions["listDevicesAction"].trigger)
        launches.device_changed.connect(self._on_device_changed)
        documents.current_changed.connect(self._on_document_changed)
        documents.changed.connect(self._on_document_changed)
        outputs.result_changed.connect(self._on_result_changed)
        self._on_document_changed()

    @Slot(object)
    def _on_result_changed(self, result: BuildResult | None) -> None:
        """Names the target of what is shown: that of a file that is only read is its own."""
        self._status.show_target(result.arch if result else self._settings.arch)

    @Slot()
    def _on_device_changed(self) -> None:
        launches = self._launches
        self._status.show_devices(launches.devices, launches.device)

    @Slot()
    def _on_document_changed(self) -> None:
        current = self._documents.current
        names = (current.encoding_name, current.line_end_name) if current else ("", "")
        self._status.show_encoding(*names)


def install(context: Context) -> None:
    """Makes the build bar, and shows how builds go."""
    state, shell = context.state, context.shell
    bar = BuildBar()
    shell.toolbar.addWidget(bar)
    SettingsController(state.settings, state.documents, bar, shell)
    ResultsController(
        state.outputs,
        state.build_controller,
        state.documents,
        state.toolchain,
        state.service,
        context.editors,
        context.listings,
        context.files,
        bar,
        shell,
    )
    PartController(state.documents, state.settings, state.build_controller, context.editors, shell)
    StatusController(
        state.launches, state.documents, state.outputs, state.settings, shell.status, shell
    )
    exports = ExportCommands(
        state.build_controller,
        state.settings,
        state.documents,
        state.service,
        state.launch_specs,
        state.launches,
        state.variant_drafts,
        context.files,
        shell,
    )
    exports.failed.connect(shell.notices.show_message)
    exports.reported.connect(shell.status.show_message)
    for signal in (state.outputs.changed, state.outputs.result_changed, state.documents.added):
        signal.connect(shell.stale_marks.update)
