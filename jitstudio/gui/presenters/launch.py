"""Keeps the launch panel and the launches in step."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from jitstudio.core.launch.device import DeviceList
from jitstudio.core.launch.problems import SpecProblem
from jitstudio.core.launch.request import LaunchConfig
from jitstudio.core.launch.result import KernelFacts, LaunchResult
from jitstudio.core.launch.signature import KernelForm
from jitstudio.gui.models.launch_words import config_words
from jitstudio.gui.widgets.launch.launch_panel import LaunchPanel
from jitstudio.gui.workspace import Workspace


class LaunchPresenter(QObject):
    """Shows kernels, GPUs, problems and results, and hands on what the user types."""

    def __init__(self, workspace: Workspace, panel: LaunchPanel) -> None:
        super().__init__(panel)
        self._launches = workspace.launches
        self._session = workspace.session
        self._form, self._results = panel.form, panel.results
        self._problems: tuple[SpecProblem, ...] = ()
        panel.first_shown.connect(self._launches.list_devices)
        self._form.spec_changed.connect(self._on_edited)
        self._form.spec_changed.connect(self._session.touch)
        self._form.device_chosen.connect(self._launches.choose_device)
        self._launches.devices_changed.connect(self._on_devices_changed)
        self._launches.forms_changed.connect(self._on_forms_changed)
        self._launches.problems_changed.connect(self._on_problems_changed)
        self._launches.config_changed.connect(self._on_config_changed)
        self._launches.facts_changed.connect(self._on_facts_changed)
        self._launches.running_changed.connect(self._form.set_running)
        self._launches.progressed.connect(self._results.show_progress)
        self._launches.printed.connect(self._results.append_console)
        self._launches.finished.connect(self._on_finished)

    @Slot()
    def run(self) -> None:
        """Launch what the form says; the text is kept first, whatever the kernel does."""
        self._form.finish_editing()
        if self._form.unreadable:
            self._show_problems()
            return
        self._session.save()
        self._results.begin()
        self._launches.run()

    @Slot()
    def _on_edited(self) -> None:
        self._launches.edit(self._form.form, self._form.spec())

    @Slot(DeviceList)
    def _on_devices_changed(self, devices: DeviceList) -> None:
        self._form.set_devices(devices)
        if self._launches.device is not None:
            self._form.set_device(self._launches.device.ordinal)

    @Slot(tuple)
    def _on_forms_changed(self, forms: tuple[KernelForm, ...]) -> None:
        self._form.set_forms(forms)
        self._on_edited()

    @Slot(tuple)
    def _on_problems_changed(self, problems: tuple[SpecProblem, ...]) -> None:
        self._problems = problems
        self._show_problems()

    @Slot(object)
    def _on_config_changed(self, config: LaunchConfig | None) -> None:
        self._form.show_summary(config_words(config) if config is not None else "")

    @Slot(object)
    def _on_facts_changed(self, facts: KernelFacts | None) -> None:
        if facts is None:
            self._form.set_suggestion(None, None)
        else:
            self._form.set_suggestion(facts.suggested_block, facts.suggested_occupancy)

    @Slot(LaunchResult)
    def _on_finished(self, result: LaunchResult) -> None:
        self._results.show_result(result, self._launches.device)

    def _show_problems(self) -> None:
        problems = (*self._problems, *self._form.unreadable)
        if not self._launches.has_devices:
            # Why there is none stands beside the choice of the GPU already.
            problems = tuple(p for p in problems if p.where != "device")
        self._form.show_problems(problems)
