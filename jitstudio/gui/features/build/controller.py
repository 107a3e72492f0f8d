"""Keeps the build bar, the settings, the results and the status bar in step."""

from __future__ import annotations

import sys
from functools import partial

from PySide6.QtCore import QObject, Slot

from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind
from jitstudio.core.events import Event, StageStarted
from jitstudio.core.options import shown
from jitstudio.core.request import BuildRequest
from jitstudio.core.result import BuildResult
from jitstudio.core.toolchain_info import ToolchainInfo
from jitstudio.gui.context import Context
from jitstudio.gui.editor.editor_tabs import EditorTabs
from jitstudio.gui.features.build.bar import BuildBar
from jitstudio.gui.features.build.part import PartController
from jitstudio.gui.files.file_commands import FileCommands
from jitstudio.gui.services.build_service import BuildService
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.shell.status_line import StatusLine
from jitstudio.gui.state.build_controller import BuildController
from jitstudio.gui.state.build_settings import BuildSettings, Switch
from jitstudio.gui.state.documents import Documents
from jitstudio.gui.state.launch_controller import LaunchController
from jitstudio.gui.state.outputs import Outputs
from jitstudio.gui.state.preferences import Preferences
from jitstudio.gui.state.problems import Problems
from jitstudio.gui.state.side_builds import SideBuilds
from jitstudio.gui.state.tab_options import TabOptions
from jitstudio.gui.state.toolchain import OtherToolchains, Toolchain

_SWITCHES = {
    "cacheAction": Switch.CACHE,
    "precompileAction": Switch.PRECOMPILE,
    "hostCodeAction": Switch.KEEP_HOST_CODE,
    "libdeviceAction": Switch.LIBDEVICE,
    "joinIrAction": Switch.JOIN_IR,
    "driverJitAction": Switch.DRIVER_JIT,
    "nvccAction": Switch.NVCC,
}


class SettingsController(QObject):
    """Shows the build settings in the bar, and takes over the user's choices."""

    def __init__(
        self,
        settings: BuildSettings,
        tab_options: TabOptions,
        documents: Documents,
        toolchains: OtherToolchains,
        preferences: Preferences,
        bar: BuildBar,
        shell: Shell,
    ) -> None:
        super().__init__(bar)
        actions = shell.actions
        self._settings = settings
        self._tab_options = tab_options
        self._toolchains = toolchains
        self._lacking = ""
        self._shell = shell
        self._bar = bar
        self._documents = documents
        self._actions = actions
        status = shell.status
        bar.set_form_action(actions["optionsAction"])
        settings.arch_changed.connect(bar.set_arch)
        settings.arch_changed.connect(status.show_target)
        tab_options.changed.connect(self._show_options)
        settings.link_changed.connect(self._show_options)
        settings.auto_build_changed.connect(actions["autoBuildAction"].setChecked)
        settings.switches_changed.connect(self._on_switches_changed)
        documents.current_changed.connect(self._on_library_changed)
        documents.current_changed.connect(self._on_module_changed)
        preferences.changed.connect(self._on_module_changed)
        settings.toolchain_changed.connect(self._on_toolchains_changed)
        toolchains.changed.connect(self._on_toolchains_changed)
        toolchains.read()
        bar.toolchain_chosen.connect(self._on_toolchain_chosen)
        bar.set_arch(settings.arch)
        self._show_options()
        status.show_target(settings.arch)
        actions["autoBuildAction"].setChecked(settings.auto_build)
        self._on_switches_changed(settings.switches)
        self._on_library_changed()
        self._on_module_changed()
        bar.arch_chosen.connect(self._on_arch_chosen)
        bar.options_edited.connect(self._on_options_edited)
        bar.options_finished.connect(self._on_options_finished)
        bar.refused.connect(shell.notices.show_message)
        actions.bind({name: partial(settings.turn, of) for name, of in _SWITCHES.items()})
        actions.bind(
            {
                "autoBuildAction": self._on_auto_build_toggled,
                "libraryAction": self._on_library_toggled,
            }
        )

    @Slot(Arch)
    def _on_arch_chosen(self, arch: Arch) -> None:
        self._settings.arch = arch

    @Slot()
    def _on_toolchains_changed(self) -> None:
        self._bar.set_toolchains(self._toolchains.folders, self._settings.toolchain)
        lacking, self._lacking = self._lacking, self._toolchains.lacking
        if self._lacking not in ("", lacking):
            words = self.tr(
                "The compilers CUDA {version}, which are wanted here, are not among those that "
                "were added in the Settings. jitstudio's own build in their place."
            )
            self._shell.notices.show_message(words.format(version=shown(self._lacking)))

    @Slot(str)
    def _on_toolchain_chosen(self, folder: str) -> None:
        self._toolchains.choose(folder)

    @Slot(str, bool)
    def _on_options_edited(self, options: str, is_half_typed: bool) -> None:
        self._settings.is_drafting = is_half_typed
        self._tab_options.text = options

    @Slot()
    def _show_options(self) -> None:
        self._bar.set_options(self._tab_options)

    @Slot()
    def _on_options_finished(self) -> None:
        self._settings.is_drafting = False

    @Slot(bool)
    def _on_auto_build_toggled(self, on: bool) -> None:
        self._settings.auto_build = on

    @Slot()
    def _on_module_changed(self) -> None:
        current = self._documents.current
        kind = current.kind if current is not None else None
        self._bar.set_module(kind, self._settings.python or sys.executable)

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
    """Shows how builds go: in the status bar, and by marks in the texts."""

    def __init__(
        self,
        outputs: Outputs,
        problems: Problems,
        build_controller: BuildController,
        side_builds: SideBuilds,
        toolchain: Toolchain,
        service: BuildService,
        editors: EditorTabs,
        files: FileCommands,
        bar: BuildBar,
        shell: Shell,
    ) -> None:
        super().__init__(shell.status)
        actions = shell.actions
        self._outputs = outputs
        self._problems = problems
        self._service = service
        self._editors = editors
        self._build_controller = build_controller
        self._side_builds = side_builds
        self._shell = shell
        self._files = files
        self._bar = bar
        self._cancel = actions["cancelAction"]
        status = shell.status
        outputs.result_changed.connect(self._on_result_changed)
        problems.changed.connect(self._on_problems_changed)
        toolchain.follow(self._on_toolchain_found)
        build_controller.began.connect(self._on_began)
        build_controller.event_received.connect(self._on_event)
        build_controller.build_ended.connect(self._on_building_changed)
        side_builds.changed.connect(self._on_building_changed)
        build_controller.built.connect(status.show_built)
        build_controller.refused.connect(status.show_message)
        build_controller.worker_broke.connect(shell.notices.show_message)
        actions.bind(
            {
                "buildAction": build_controller.build,
                "cancelAction": self._on_cancel,
                "emptyCacheAction": self._empty_cache,
                "saveOutputsAction": self._on_save_outputs,
            }
        )
        self._on_building_changed()

    @Slot(object)
    def _on_result_changed(self, result: BuildResult | None) -> None:
        self._shell.status.show_result(result)

    @Slot()
    def _on_problems_changed(self) -> None:
        self._editors.set_diagnostics(self._problems.all)

    @Slot(object, BuildRequest, object)
    def _on_began(self, _subject: object, request: BuildRequest, _steps: object) -> None:
        text = self.tr("Building {modules} for {arch}")
        names = ", ".join(source.name for source in request.sources)
        self._shell.status.show_building(text.format(modules=names, arch=request.arch))
        self._on_building_changed()

    @Slot(object)
    def _on_event(self, event: Event) -> None:
        if isinstance(event, StageStarted):
            text = self.tr("{tool} works on {source}")
            if event.steps > 1:
                text = self.tr("{tool} works on {source} ({step} of {steps})")
            facts = {"source": event.source, "step": event.step, "steps": event.steps}
            self._shell.status.show_progress(text.format(tool=event.tool.value, **facts))

    @Slot()
    def _on_building_changed(self) -> None:
        is_building, side_build = self._build_controller.is_building, self._side_builds.current
        self._cancel.setEnabled(is_building or side_build is not None)
        if is_building:
            return
        status = self._shell.status
        # What a clock was shown for is over.
        status.show_ended()
        status.show_result(self._outputs.result)
        if side_build is not None:
            status.show_side_build(side_build.doing, side_build.clock)

    @Slot()
    def _on_cancel(self) -> None:
        """Ends the build whose progress is shown."""
        if self._build_controller.is_building or self._side_builds.current is None:
            self._build_controller.cancel()
        else:
            self._side_builds.cancel()

    @Slot(ToolchainInfo)
    def _on_toolchain_found(self, info: ToolchainInfo) -> None:
        self._bar.set_archs(info.archs)
        self._shell.status.show_toolchain(info)
        for problem in info.problems:
            self._shell.notices.show_message(problem)

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
        """Names the target of the shown result: an opened cubin has a target of its own."""
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
    SettingsController(
        state.settings,
        state.tab_options,
        state.documents,
        state.other_toolchains,
        state.preferences,
        bar,
        shell,
    )
    ResultsController(
        state.outputs,
        state.problems,
        state.build_controller,
        state.side_builds,
        state.toolchain,
        state.service,
        context.editors,
        context.files,
        bar,
        shell,
    )
    PartController(state.documents, state.settings, state.build_controller, context.editors, shell)
    StatusController(
        state.launches, state.documents, state.outputs, state.settings, shell.status, shell
    )
    for signal in (state.outputs.changed, state.outputs.result_changed, state.documents.added):
        signal.connect(shell.stale_marks.update)
