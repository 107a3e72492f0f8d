"""Commands that build beside the panes: compare both links, and build to save."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QApplication

from jitstudio.core.code import CodeKind
from jitstudio.core.request import BuildRequest, LinkMode
from jitstudio.core.result import BuildResult
from jitstudio.gui.features.variants.comparison_dialog import ComparisonDialog
from jitstudio.gui.features.variants.export_dialog import ExportDialog
from jitstudio.gui.kit.background import Background
from jitstudio.gui.kit.dialogs import open_dialog
from jitstudio.gui.services.build_service import BuildService
from jitstudio.gui.shell.file_commands import FileCommands
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.background_builds import SideBuild
from jitstudio.gui.state.baselines import Baselines
from jitstudio.gui.state.build_controller import BuildController, nothing_to_build
from jitstudio.gui.state.build_settings import BuildSettings
from jitstudio.gui.state.command_line import build_command, run_command, sweep_command
from jitstudio.gui.state.documents import Documents
from jitstudio.gui.state.launch_controller import LaunchController
from jitstudio.gui.state.launch_specs import LaunchSpecs
from jitstudio.gui.state.outputs import Built
from jitstudio.gui.state.requests import request_for
from jitstudio.gui.state.sweep_drafts import SweepDrafts
from jitstudio.listing.link_comparison import COMPARED, LinkComparison, both_ways, compare_links


class SideCommands(QObject):
    """Asks, builds and shows or saves what came of it.

    Signals:
        told: What is being done, in words.
        failed: Why it cannot be done, in words.
    """

    told = Signal(str)
    failed = Signal(str)

    def __init__(
        self,
        build_controller: BuildController,
        settings: BuildSettings,
        documents: Documents,
        service: BuildService,
        launch_specs: LaunchSpecs,
        launches: LaunchController,
        sweep_drafts: SweepDrafts,
        baselines: Baselines,
        files: FileCommands,
        shell: Shell,
    ) -> None:
        super().__init__(shell.window)
        self._baselines = baselines
        self._documents = documents
        actions = shell.actions
        keeper = shell.themes
        window = shell.window
        self._build_controller = build_controller
        self._settings = settings
        self._service = service
        self._launch_specs = launch_specs
        self._launches = launches
        self._sweep_drafts = sweep_drafts
        self._files = files
        self._keeper = keeper
        self._window = window
        self._actions = actions
        # What the dialog with the figures of both links is about.
        self._by_ptx: BuildRequest | None = None
        self._ptx_link: Built | None = None
        self._comparing = Background(self)
        self._comparing.done.connect(self._on_compared)
        self._comparing.failed.connect(self.failed)
        actions.bind(
            {
                "compareLinksAction": self.compare_links,
                "exportAction": self.export,
                "copyCommandAction": self.copy_command,
                "copyRunCommandAction": self.copy_run_command,
                "copySweepCommandAction": self.copy_sweep_command,
            }
        )

    @Slot()
    def compare_links(self) -> None:
        """Link the ticked modules by PTX and by LTO, and show both side by side."""
        if not self._build_controller.modules(LinkMode.PTX):
            self.failed.emit(nothing_to_build(LinkMode.PTX))
            return
        try:
            by_ptx, by_lto = both_ways(self._request(COMPARED, LinkMode.PTX))
        except ValueError as error:
            self.failed.emit(str(error))
            return
        self.told.emit(self.tr("Linking by PTX and by LTO"))
        # This way it is made in any case, and whoever pins the result can compare it, too.
        by_ptx = replace(by_ptx, emit=by_ptx.emit | {CodeKind.PTX})
        self._by_ptx = by_ptx
        self._start("compare", (by_ptx, by_lto), self._on_links_built)

    @Slot()
    def export(self) -> None:
        """Ask what to make of the module or the link, make it, and ask where to save it."""
        module = self._build_controller.module
        linked = self._settings.link is not LinkMode.NONE
        if module is None and not linked:
            self.failed.emit(nothing_to_build(LinkMode.NONE))
            return
        what = self.tr("the link") if linked or module is None else module.name
        dialog = ExportDialog(what, self._settings.arch, self._window)
        dialog.accepted.connect(self._on_export_accepted)
        open_dialog(dialog)

    @Slot()
    def copy_command(self) -> None:
        """Copy the command that builds the same from the files."""
        self._copy(build_command)

    @Slot()
    def copy_run_command(self) -> None:
        """Copy the command that builds the same and launches what the form says."""
        if self._can_launch():
            specs, device = self._launch_specs, self._launches.device
            ordinal = device.ordinal if device is not None else 0
            self._copy(lambda request, paths: run_command(request, specs.spec, paths, ordinal))

    @Slot()
    def copy_sweep_command(self) -> None:
        """Copy the command that sweeps the kernel of the form along the axes typed for it."""
        specs = self._launch_specs
        if self._can_launch() and specs.form is not None:
            draft = self._sweep_drafts.of(specs.form, specs.spec)
            self._copy(lambda request, paths: sweep_command(request, specs.spec, draft, paths))

    def _can_launch(self) -> bool:
        """Whether there is a launch that can be read; says why not."""
        problem = self._launch_specs.finish()
        if self._launch_specs.form is None:
            problem = self.tr("There is no kernel to launch. Build one first.")
        if problem:
            self.failed.emit(problem)
        return not problem

    def _copy(self, command_for: Callable[[BuildRequest, Mapping[str, str]], str]) -> None:
        """Copy a command about what is built, which names its files."""
        modules = self._build_controller.modules()
        others = [d for d in self._documents if d.is_header or d.is_library]
        if not modules:
            self.failed.emit(nothing_to_build(self._settings.link))
            return
        parts = {document.name: document for document in (*modules, *others)}
        if unnamed := ", ".join(name for name, d in parts.items() if d.path is None):
            told = self.tr("A command names files: save {names} first, or close what is not built.")
            self.failed.emit(told.format(names=unnamed))
            return
        try:
            request = self._request(frozenset())
        except ValueError as error:
            self.failed.emit(str(error))
            return
        command = command_for(request, {name: str(d.path) for name, d in parts.items()})
        QApplication.clipboard().setText(command)
        unsaved = ", ".join(name for name, d in parts.items() if d.is_modified)
        told = self.tr("Copied: {command}")
        if unsaved:
            told = self.tr("Copied, but it builds what is saved: {names} is not. {command}")
        elif request.confined_to is not None:
            told = self.tr(
                "Copied. Outside its project these files are not restricted: read them before you "
                "run it. {command}"
            )
        self.told.emit(told.format(names=unsaved, command=command))

    def _request(self, emit: frozenset[CodeKind], link: LinkMode | None = None) -> BuildRequest:
        modules = self._build_controller.modules(link)
        return request_for(modules, self._documents, self._settings, emit, link)

    def _start(self, tag: str, requests: Sequence[BuildRequest], then: Callable[..., Any]) -> None:
        build = SideBuild(self._service, tag, requests, self)
        build.finished.connect(then)
        build.broke.connect(self.failed)
        build.start()

    @Slot(tuple)
    def _on_links_built(self, results: tuple[BuildResult, ...]) -> None:
        # Counting the instructions of a large link takes longer than a window may stand still.
        self._comparing.start(lambda _stop: compare_links(*results))

    @Slot(object)
    def _on_compared(self, comparison: LinkComparison) -> None:
        dialog = ComparisonDialog(comparison, self._keeper.theme, self._window)
        assert self._by_ptx is not None
        self._ptx_link = Built(self._by_ptx, comparison.ptx)
        dialog.differences_requested.connect(self._on_differences_requested)
        open_dialog(dialog)

    @Slot()
    def _on_differences_requested(self) -> None:
        """Put the LTO link beside the PTX link, line by line."""
        assert self._ptx_link is not None
        name = self.tr("PTX link, {target}").format(target=self._ptx_link.result.arch.sm)
        self._baselines.pin(self._ptx_link, name)
        self._settings.link = LinkMode.LTO
        self._build_controller.build()
        self._actions["focusCompareAction"].trigger()

    @Slot()
    def _on_export_accepted(self) -> None:
        dialog = self.sender()
        assert isinstance(dialog, ExportDialog)
        try:
            request = self._request(dialog.kinds)
        except ValueError as error:
            self.failed.emit(str(error))
            return
        self.told.emit(self.tr("Building what is to be saved"))
        self._start("export", [replace(request, fat_archs=dialog.fat_archs)], self._on_exported)

    @Slot(tuple)
    def _on_exported(self, results: tuple[BuildResult, ...]) -> None:
        (result,) = results
        if not result.ok:
            text = self.tr("Nothing was saved. {reason}")
            self.failed.emit(text.format(reason=result.reason))
            return
        self._files.save_results(result)
