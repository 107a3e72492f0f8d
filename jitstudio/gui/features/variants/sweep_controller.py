"""Keeps the window of a sweep in step with the kernel, the build and the service that sweeps."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot

from jitstudio.core.launch.device import DeviceList
from jitstudio.core.options import join_options, split_options
from jitstudio.core.sweep.draft import generic_name
from jitstudio.core.sweep.plan import SweepError, SweepPlan, Variant, extent
from jitstudio.core.sweep.result import VariantResult
from jitstudio.gui.features.variants.sweep_dialog import SweepDialog
from jitstudio.gui.services.launch_service import LaunchService
from jitstudio.gui.services.sweep_service import SweepService
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.build_controller import SHOWN_AND_SAVED, BuildController, nothing_to_build
from jitstudio.gui.state.build_settings import BuildSettings
from jitstudio.gui.state.documents import Documents
from jitstudio.gui.state.launch_controller import LaunchController
from jitstudio.gui.state.launch_specs import LaunchSpecs
from jitstudio.gui.state.requests import request_for
from jitstudio.gui.state.session import Session
from jitstudio.gui.state.sweep_drafts import SweepDrafts


class SweepController(QObject):
    """Makes the plan of what would be built and launched now, and has it carried out.

    Signals:
        chosen: A variant stands in the launch form.
        told: Something was done that cannot be seen, in words.
    """

    chosen = Signal()
    told = Signal(str)

    def __init__(
        self,
        launches: LaunchController,
        sweep_service: SweepService,
        settings: BuildSettings,
        launch_specs: LaunchSpecs,
        sweep_drafts: SweepDrafts,
        build_controller: BuildController,
        documents: Documents,
        launch_service: LaunchService,
        session: Session,
        shell: Shell,
    ) -> None:
        super().__init__(shell.window)
        self._session = session
        self._launch_service = launch_service
        self._documents = documents
        self._build_controller = build_controller
        actions = shell.actions
        keeper = shell.themes
        window = shell.window
        self._launches = launches
        self._sweep_service = sweep_service
        self._settings = settings
        self._launch_specs = launch_specs
        self._sweep_drafts = sweep_drafts
        self._keeper = keeper
        self._window = window
        self._dialog: SweepDialog | None = None
        self._title = ""
        self.chosen.connect(actions["focusLaunchAction"].trigger)
        actions.bind({"sweepAction": self.open})

    @Slot()
    def open(self) -> None:
        """Show the window, with the kernel that the launch form shows."""
        self._launch_specs.finish()
        if self._dialog is None:
            self._dialog = self._make_dialog()
        self._update()
        if self._launches.devices is None:
            self._launches.list_devices()
        self._dialog.show()
        self._dialog.raise_()
        self._dialog.activateWindow()
        self._dialog.editor.setFocus()

    def _make_dialog(self) -> SweepDialog:
        dialog = SweepDialog(self._keeper.theme, self._window)
        launches, service = self._launches, self._sweep_service
        dialog.editor.edited.connect(self._on_edited)
        dialog.run_requested.connect(self._on_run)
        dialog.stop_requested.connect(service.cancel)
        dialog.variant_activated.connect(self._on_variant_activated)
        dialog.told.connect(self.told)
        service.row_done.connect(dialog.add_row)
        service.finished.connect(dialog.end)
        service.failed.connect(dialog.fail)
        self._keeper.theme_changed.connect(dialog.set_theme)
        launches.problems_changed.connect(self._on_launch_changed)
        launches.devices_changed.connect(self._on_devices_changed)
        self._settings.changed.connect(self._on_launch_changed)
        if launches.devices is not None:
            dialog.bar.set_gpus(len(launches.devices.devices))
        return dialog

    def _update(self) -> None:
        """Show what was typed for the kernel, and whether it can be swept."""
        specs, dialog = self._launch_specs, self._dialog
        if dialog is None or dialog.is_running:
            return
        if specs.form is not None and generic_name(specs.form.title) != self._title:
            self._title = generic_name(specs.form.title)
            dialog.editor.show_draft(self._sweep_drafts.of(specs.form, specs.spec))
        self._review(dialog)

    def _review(self, dialog: SweepDialog) -> None:
        """Say how much work it is, or what forbids it."""
        try:
            dialog.editor.show_extent(extent(self._plan(dialog)))
        except ValueError as error:
            dialog.editor.show_problem(str(error))
            dialog.bar.set_runnable(False)
        else:
            dialog.bar.set_runnable(True)

    def _plan(self, dialog: SweepDialog) -> SweepPlan:
        """What is typed in both windows.

        Raises:
            ValueError: It makes no sense; the message says why.
        """
        modules = self._build_controller.modules()
        if not modules:
            raise SweepError(nothing_to_build(self._settings.link))
        if self._launch_specs.form is None:
            raise SweepError(self.tr("There is no kernel to sweep. Build one first."))
        if unreadable := self._launch_specs.unreadable:
            raise SweepError(unreadable)
        request = request_for(modules, self._documents, self._settings, SHOWN_AND_SAVED)
        spec = replace(self._launch_specs.spec, kernel=dialog.editor.draft.kernel)
        return SweepPlan(dialog.editor.axes(), request, spec)

    @Slot()
    def _on_edited(self) -> None:
        if self._dialog is not None:
            self._sweep_drafts.remember(self._title, self._dialog.editor.draft)
            self._review(self._dialog)

    @Slot()
    def _on_launch_changed(self) -> None:
        if self._dialog is not None and self._dialog.isVisible():
            self._update()

    @Slot(DeviceList)
    def _on_devices_changed(self, devices: DeviceList) -> None:
        if self._dialog is not None:
            self._dialog.bar.set_gpus(len(devices.devices))

    @Slot()
    def _on_run(self) -> None:
        dialog = self._dialog
        if dialog is None or self._sweep_service.is_running:
            return
        dialog.editor.finish_editing()
        try:
            plan = self._plan(dialog)
            count = extent(plan).variants
        except ValueError as error:
            dialog.editor.show_problem(str(error))
            return
        chosen = self._launches.device
        some = None if dialog.bar.uses_all_gpus or chosen is None else {chosen.ordinal}
        dialog.begin(plan.axes, count)
        # What the last launch keeps on the GPU is in the way of the sweep's own process.
        self._launch_service.rest()
        # The text is kept first, whatever the kernels do.
        self._session.save_before(partial(self._sweep_service.start, plan, some))

    @Slot(VariantResult)
    def _on_variant_activated(self, row: VariantResult) -> None:
        """Make the variant what is built and what the launch form shows."""
        self._build(row.variant)
        self._launch_specs.show(row.variant.spec)
        self.chosen.emit()
        self._window.activateWindow()

    def _build(self, variant: Variant) -> None:
        build = variant.build
        self._settings.arch = build.arch
        if not _says(self._settings.options, build.options):
            self._settings.options = join_options(build.options)
        for source in build.sources:
            document = self._documents.named(source.name)
            if document is None:
                continue
            names = (*document.name_expressions, *source.name_expressions)
            document.name_expressions = tuple(dict.fromkeys(names))
            if document not in self._build_controller.modules():
                self._documents.current = document
        self._build_controller.build()


def _says(text: str, options: tuple[str, ...]) -> bool:
    """Whether a field of options says these already, however it is quoted."""
    try:
        return split_options(text) == options
    except ValueError:
        return False
