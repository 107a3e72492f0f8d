"""The window: what is wired to what. Panes stand where `panes` puts them."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Slot
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QMainWindow, QMessageBox, QWidget

from jitstudio import __version__
from jitstudio.core.arch import Arch
from jitstudio.core.code import LINKED, CodeKind
from jitstudio.core.result import BuildResult, Kernel
from jitstudio.core.tools import ToolchainInfo
from jitstudio.gui.actions import ACTIONS, Actions
from jitstudio.gui.dialogs import open_dialog
from jitstudio.gui.file_commands import FileCommands
from jitstudio.gui.fixes import Fixer
from jitstudio.gui.menus import Menus, make_toolbar
from jitstudio.gui.panes import Panes
from jitstudio.gui.presenters.launch import LaunchPresenter
from jitstudio.gui.presenters.link import LinkPresenter
from jitstudio.gui.presenters.names import NamesPresenter
from jitstudio.gui.presenters.options import OptionsPresenter
from jitstudio.gui.presenters.sweep import SweepPresenter
from jitstudio.gui.side_commands import SideCommands
from jitstudio.gui.state.build_settings import Switch
from jitstudio.gui.theme import Theme, ThemeKeeper
from jitstudio.gui.view_commands import ViewCommands
from jitstudio.gui.widgets.shortcuts_dialog import ShortcutsDialog
from jitstudio.gui.widgets.toolchain_dialog import ToolchainDialog
from jitstudio.gui.workspace import Workspace

_SWITCHES = {
    "cacheAction": Switch.CACHE,
    "precompileAction": Switch.PRECOMPILE,
    "libdeviceAction": Switch.LIBDEVICE,
    "joinIrAction": Switch.JOIN_IR,
    "driverJitAction": Switch.DRIVER_JIT,
}
_ABOUT = (
    f"<h3>jitstudio {__version__}</h3><p>Write CUDA C++, LLVM IR and PTX, and see what NVRTC, "
    "libNVVM and nvJitLink make of it.</p><p>Apache License 2.0</p>"
)


class MainWindow(QMainWindow):
    """Shows one workspace.

    Attributes:
        workspace: What is shown.
        panes: What it is shown in.
        files: What the File menu does.
    """

    def __init__(self, workspace: Workspace, keeper: ThemeKeeper) -> None:
        super().__init__()
        self.workspace = workspace
        self.panes = Panes(self, workspace, keeper.theme)
        self.files = FileCommands(
            workspace.documents,
            workspace.settings,
            workspace.preferences,
            self,
            launches=workspace.launch_specs,
        )
        self._fixer = Fixer(workspace.documents, workspace.settings, self.files, self)
        self._actions = Actions(self)
        self._views = ViewCommands(
            self.panes.tabs, tuple(self.panes.outputs.values()), workspace.preferences, self
        )
        self._sides = SideCommands(workspace, self.files, keeper, self)
        self._presenters = (
            LinkPresenter(workspace, self.panes.link),
            NamesPresenter(workspace, self.panes.names),
            OptionsPresenter(workspace, self.panes.options),
        )
        self._launches = LaunchPresenter(workspace, self.panes.launch)
        self._sweeps = SweepPresenter(workspace, self.panes.launch.form, keeper, self)
        self._menus = Menus(self, self._actions, self.files, workspace.preferences, keeper)
        self._menus.add_panes(self.panes.toggles())
        self.panes.build_bar.set_form_action(self._actions["optionsAction"])
        make_toolbar(self, self._actions, self.panes.build_bar)
        self._connect_actions()
        self._connect_results()
        self._connect_settings()
        self._connect_views()
        self._connect_launch()
        keeper.theme_changed.connect(self._on_theme_changed)
        self._on_theme_changed(keeper.theme)
        self.setAcceptDrops(True)
        self._on_title_changed()
        self.panes.restore_layout(workspace.preferences)

    def _connect_actions(self) -> None:
        files, views, studio = self.files, self._views, self.workspace.studio
        slots = {
            "newCudaAction": files.new_cuda,
            "newLlvmAction": files.new_llvm,
            "newPtxAction": files.new_ptx,
            "newHeaderAction": files.new_header,
            "openAction": files.open,
            "saveAction": files.save,
            "saveAsAction": files.save_as,
            "saveOutputsAction": self._on_save_outputs,
            "exportAction": self._sides.export,
            "compareLinksAction": self._sides.compare_links,
            "emptyCacheAction": self.workspace.service.empty_cache,
            "closeTabAction": files.close_current,
            "quitAction": self.close,
            "undoAction": views.undo,
            "redoAction": views.redo,
            "findAction": views.find,
            "replaceAction": views.replace,
            "findNextAction": views.find_next,
            "findPreviousAction": views.find_previous,
            "goToLineAction": views.go_to_line,
            "commentAction": views.toggle_comments,
            "buildAction": studio.build,
            "cancelAction": studio.cancel,
            "runAction": self._on_run,
            "stopRunAction": self.workspace.launches.cancel,
            "sweepAction": self._sweeps.open,
            "listDevicesAction": self.workspace.launches.list_devices,
            "nextProblemAction": self.panes.problems.go_to_next,
            "previousProblemAction": self.panes.problems.go_to_previous,
            "zoomInAction": views.zoom_in,
            "zoomOutAction": views.zoom_out,
            "zoomResetAction": views.zoom_reset,
            "resetLayoutAction": self._on_reset_layout,
            "toolchainAction": self._on_toolchain,
            "shortcutsAction": self._on_shortcuts,
            "aboutAction": self._on_about,
        }
        for name, slot in slots.items():
            self._actions[name].triggered.connect(slot)
        panes = self.panes
        self._focus_targets: dict[str, QWidget] = {
            "optionsAction": panes.options,
            "focusEditorAction": panes.tabs,
            "focusPtxAction": panes.outputs[CodeKind.PTX],
            "focusSassAction": panes.outputs[CodeKind.SASS],
            "focusKernelsAction": panes.kernels,
            "focusNamesAction": panes.names,
            "focusLinkAction": panes.link,
            "focusLaunchAction": panes.launch,
            "focusProblemsAction": panes.problems,
            "focusLogAction": panes.log,
        }
        for name in self._focus_targets:
            self._actions[name].triggered.connect(self._on_focus_wanted)

    def _connect_results(self) -> None:
        workspace, studio, status = self.workspace, self.workspace.studio, self.panes.status
        workspace.outputs.changed.connect(self._on_output_changed)
        workspace.outputs.result_changed.connect(self._on_result_changed)
        workspace.toolchain_found.connect(self._on_toolchain_found)
        workspace.service.cache_emptied.connect(self._on_cache_emptied)
        studio.build_started.connect(status.show_building)
        studio.build_started.connect(self._on_building_changed)
        studio.progressed.connect(status.show_progress)
        studio.build_ended.connect(self._on_building_changed)
        studio.refused.connect(status.tell)
        studio.worker_broke.connect(self.panes.notice.tell)
        self._on_building_changed()

    def _connect_settings(self) -> None:
        settings, bar = self.workspace.settings, self.panes.build_bar
        auto = self._actions["autoBuildAction"]
        settings.arch_changed.connect(bar.set_arch)
        settings.arch_changed.connect(self.panes.status.show_target)
        settings.options_changed.connect(bar.set_options)
        settings.auto_build_changed.connect(auto.setChecked)
        bar.set_arch(settings.arch)
        bar.set_options(settings.options)
        self.panes.status.show_target(settings.arch)
        auto.setChecked(settings.auto_build)
        bar.arch_chosen.connect(self._on_arch_chosen)
        bar.options_edited.connect(self._on_options_edited)
        bar.refused.connect(self.panes.notice.tell)
        auto.toggled.connect(self._on_auto_build_toggled)
        settings.switches_changed.connect(self._on_switches_changed)
        self._on_switches_changed(settings.switches)
        for name in _SWITCHES:
            self._actions[name].toggled.connect(self._on_switch_toggled)
        self._actions["libraryAction"].toggled.connect(self._on_library_toggled)
        self.workspace.documents.current_changed.connect(self._on_library_changed)
        self._on_library_changed()

    def _connect_views(self) -> None:
        panes, workspace = self.panes, self.workspace
        workspace.documents.current_changed.connect(self._on_title_changed)
        workspace.documents.changed.connect(self._on_title_changed)
        workspace.session.save_failed.connect(panes.notice.tell)
        workspace.session.restore_failed.connect(panes.notice.tell)
        self.files.failed.connect(panes.notice.tell)
        self.files.told.connect(panes.status.tell)
        panes.tabs.close_requested.connect(self.files.close)
        panes.tabs.refused.connect(panes.notice.tell)
        panes.tabs.cursor_moved.connect(panes.status.show_position)
        panes.problems.location_activated.connect(self._on_location_activated)
        panes.problems.fix_requested.connect(self._fixer.apply)
        self._fixer.applied.connect(workspace.studio.build)
        self._fixer.refused.connect(panes.notice.tell)
        panes.kernels.kernel_activated.connect(self._on_kernel_activated)
        panes.link.files_requested.connect(self.files.open)
        panes.link.comparison_requested.connect(self._sides.compare_links)
        self._sides.failed.connect(panes.notice.tell)
        self._sides.told.connect(panes.status.tell)
        panes.link.linked_sass_requested.connect(self._on_linked_sass_requested)
        panes.status.problems_requested.connect(self._actions["focusProblemsAction"].trigger)
        for output in panes.outputs.values():
            output.told.connect(panes.status.tell)

    def _connect_launch(self) -> None:
        panel, launches = self.panes.launch, self.workspace.launches
        run, stop = self._actions["runAction"], self._actions["stopRunAction"]
        panel.form.set_actions(run, stop)
        stop.setEnabled(False)
        launches.running_changed.connect(run.setDisabled)
        launches.running_changed.connect(stop.setEnabled)
        launches.broke.connect(self.panes.notice.tell)
        panel.form.fix_requested.connect(self._fixer.apply)
        panel.results.told.connect(self.panes.status.tell)
        self._sweeps.told.connect(self.panes.status.tell)
        self._sweeps.chosen.connect(self._actions["focusLaunchAction"].trigger)
        panel.results.location_activated.connect(self._on_place_activated)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Keep everything; what is unsaved comes back at the next start."""
        self.panes.save_layout(self.workspace.preferences)
        self.workspace.close()
        super().closeEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files."""
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open files."""
        urls = event.mimeData().urls()
        self.files.open_paths(Path(url.toLocalFile()) for url in urls if url.isLocalFile())
        event.acceptProposedAction()

    @Slot(CodeKind)
    def _on_output_changed(self, kind: CodeKind) -> None:
        self.panes.outputs[kind].show_output(self.workspace.outputs.output(kind))

    @Slot(object)
    def _on_result_changed(self, result: BuildResult | None) -> None:
        diagnostics = result.diagnostics if result else ()
        self.panes.problems.model.set_diagnostics(diagnostics)
        self.panes.log.model.set_rows(result.stages if result else ())
        self.panes.tabs.set_diagnostics(diagnostics)
        self.panes.kernels.show_result(result)
        self.panes.status.show_result(result)

    @Slot()
    def _on_building_changed(self) -> None:
        building = self.workspace.studio.is_building
        self._actions["cancelAction"].setEnabled(building)
        if not building:
            self.panes.status.show_ended()

    @Slot(ToolchainInfo)
    def _on_toolchain_found(self, info: ToolchainInfo) -> None:
        self.panes.build_bar.set_archs(info.archs)
        self.panes.status.show_toolchain(info)
        for tool in info.tools:
            if tool.problem:
                self.panes.notice.tell(tool.problem)

    @Slot(Arch)
    def _on_arch_chosen(self, arch: Arch) -> None:
        self.workspace.settings.arch = arch

    @Slot(str)
    def _on_options_edited(self, options: str) -> None:
        self.workspace.settings.options = options

    @Slot(bool)
    def _on_auto_build_toggled(self, on: bool) -> None:
        self.workspace.settings.auto_build = on

    @Slot(bool)
    def _on_library_toggled(self, on: bool) -> None:
        if self.workspace.documents.current is not None:
            self.workspace.documents.current.is_library = on

    @Slot()
    def _on_library_changed(self) -> None:
        current = self.workspace.documents.current
        action = self._actions["libraryAction"]
        action.setEnabled(current is not None and current.kind is CodeKind.LLVM_IR)
        action.setChecked(current is not None and current.is_library)

    @Slot(object)
    def _on_cache_emptied(self, size: int) -> None:
        self.panes.status.tell(f"The cache is empty; {size / 2**20:,.1f} MiB were freed")

    @Slot(bool)
    def _on_switch_toggled(self, on: bool) -> None:
        self.workspace.settings.turn(_SWITCHES[self.sender().objectName()], on)

    @Slot(frozenset)
    def _on_switches_changed(self, switches: frozenset[Switch]) -> None:
        for name, switch in _SWITCHES.items():
            self._actions[name].setChecked(switch in switches)

    @Slot(str, int, int)
    def _on_location_activated(self, file: str, line: int, column: int) -> None:
        documents = self.workspace.documents
        document = documents.named(file) or documents.at_path(Path(file))
        if document is None and Path(file).is_file():
            # A header that was found in a folder.
            self.files.open_paths([Path(file)])
            document = documents.current
        page = self.panes.tabs.page_of(document) if document else None
        if page is not None:
            self.workspace.documents.current = document
            page.go_to(line, column)
        elif self.panes.outputs[CodeKind.PTX].go_to(file, line):
            self.panes.bring_up(self.panes.outputs[CodeKind.PTX])

    @Slot()
    def _on_run(self) -> None:
        self.panes.uncover(self.panes.launch)
        self._launches.run()

    @Slot(str, int)
    def _on_place_activated(self, file: str, line: int) -> None:
        self._on_location_activated(file, line, 0)

    @Slot(Kernel)
    def _on_kernel_activated(self, kernel: Kernel) -> None:
        pane = self.panes.outputs[CodeKind.SASS]
        pane.go_to_kernel(kernel.module, kernel.name)
        self.panes.bring_up(pane)

    @Slot()
    def _on_linked_sass_requested(self) -> None:
        pane = self.panes.outputs[CodeKind.SASS]
        pane.choose(LINKED)
        self.panes.bring_up(pane)

    @Slot()
    def _on_focus_wanted(self) -> None:
        self.panes.bring_up(self._focus_targets[self.sender().objectName()])

    @Slot()
    def _on_save_outputs(self) -> None:
        self.files.save_results(self.workspace.outputs.result)

    @Slot()
    def _on_title_changed(self) -> None:
        current = self.workspace.documents.current
        self.setWindowTitle(f"{current.name}[*] - jitstudio" if current else "jitstudio")
        self.setWindowModified(current is not None and current.is_modified)

    @Slot(object)
    def _on_theme_changed(self, theme: Theme) -> None:
        self.panes.set_theme(theme)
        self._actions.set_theme(theme)

    @Slot()
    def _on_reset_layout(self) -> None:
        self.workspace.preferences.forget_layout()
        self.panes.reset_layout()

    @Slot()
    def _on_toolchain(self) -> None:
        open_dialog(ToolchainDialog(self.workspace.toolchain, self))

    @Slot()
    def _on_shortcuts(self) -> None:
        open_dialog(ShortcutsDialog((self._actions[spec.id] for spec in ACTIONS), self))

    @Slot()
    def _on_about(self) -> None:
        QMessageBox.about(self, "About jitstudio", _ABOUT)
