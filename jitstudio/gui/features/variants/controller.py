"""Keeps the window of variants in step with the code, the settings and the launch."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot

from jitstudio.core.arch import Arch
from jitstudio.core.axes import Axis, AxisKind, AxisText, VariantDraft, VariantError, generic_name
from jitstudio.core.code import CodeKind
from jitstudio.core.launch.device import DeviceList
from jitstudio.core.options import join_options, split_options
from jitstudio.core.request import BuildRequest, LinkMode
from jitstudio.gui.context import Context
from jitstudio.gui.features.variants.dialog import Preset, VariantsDialog
from jitstudio.gui.services.build_service import BuildOutput
from jitstudio.gui.services.launch_service import LaunchService
from jitstudio.gui.services.variant_service import VariantService
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.baselines import Baselines
from jitstudio.gui.state.build_controller import (
    SHOWN_AND_SAVED,
    BuildController,
    linked_modules,
)
from jitstudio.gui.state.build_settings import BuildSettings
from jitstudio.gui.state.current_disassembly import CurrentDisassembly
from jitstudio.gui.state.documents import Documents
from jitstudio.gui.state.launch_controller import LaunchController
from jitstudio.gui.state.launch_specs import LaunchSpecs, VariantDrafts
from jitstudio.gui.state.outputs import Built, Outputs
from jitstudio.gui.state.session import Session
from jitstudio.gui.state.side_builds import SideBuilds
from jitstudio.gui.state.toolchain import OtherToolchains, Toolchain
from jitstudio.variants.plan import Variant, VariantPlan, extent
from jitstudio.variants.rows import VariantRow

COMMON_ARCHS = (Arch(80), Arch(90), Arch(100), Arch(120))
"""Proposed next to the target of the window, as far as NVRTC knows them."""
_LINKS = (LinkMode.PTX, LinkMode.LTO)


@dataclass(frozen=True)
class Setup:
    """The content of the window for a preset.

    Attributes:
        draft: The kernel and the axes.
        launches: Whether the variants are launched.
        timed: Whether the times of the builds are to be compared.
    """

    draft: VariantDraft
    launches: bool = False
    timed: bool = True


class WindowBuild(QObject):
    """The build and the launch of the window: the base of a plan, and the target of a variant.

    Args:
        documents: The open documents.
        settings: How they are built.
        builds: Builds them.
        specs: How their kernels are launched.
        toolchains: Other versions of the compilers.
    """

    def __init__(
        self,
        documents: Documents,
        settings: BuildSettings,
        builds: BuildController,
        specs: LaunchSpecs,
        toolchains: OtherToolchains,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.documents = documents
        self.settings = settings
        self.builds = builds
        self.specs = specs
        self.toolchains = toolchains

    @property
    def has_several_modules(self) -> bool:
        """Whether there is something to link."""
        return len(linked_modules(self.documents, self.settings.program)) > 1

    def plan(self, setup: Setup, axes: tuple[Axis, ...]) -> VariantPlan:
        """Returns the plan for the typed axes.

        Raises:
            ValueError: The plan makes no sense; the message says why.
        """
        modes = _links_of(axes)
        emit = frozenset({CodeKind.CUBIN}) if setup.timed else SHOWN_AND_SAVED
        # From the cache a build would take no time at all.
        builds = {
            mode: replace(self.request(mode, emit), use_cache=False)
            if setup.timed
            else self.request(mode, emit)
            for mode in modes or (self.settings.link,)
        }
        if setup.launches and self.specs.form is None:
            raise VariantError(self.tr("There is no kernel to sweep. Build one first."))
        if setup.launches and self.specs.unreadable:
            raise VariantError(self.specs.unreadable)
        spec = replace(self.specs.spec, kernel=setup.draft.kernel)
        build = next(iter(builds.values()))
        folders = self.toolchains.folders
        return VariantPlan(axes, build, spec, setup.launches, builds, folders)

    def request(self, link: LinkMode, emit: frozenset[CodeKind]) -> BuildRequest:
        """Returns the build of the window with another link.

        Raises:
            ValueError: Nothing takes part, or the options cannot be read.
        """
        return self.builds.request(emit, link)

    def show(self, variant: Variant, *, launches: bool) -> None:
        """Takes a variant over as the build of the window and, if launched, as its launch."""
        build = variant.build
        self.settings.link = build.link
        self.settings.arch = build.arch
        self.toolchains.choose(build.toolchain)
        if not _says(self.settings.options, build.options):
            self.settings.options = join_options(build.options)
        for source in build.sources:
            document = self.documents.named(source.name)
            if document is None:
                continue
            own = source.options
            if own is None or not _says(document.options or "", own):
                document.options = None if own is None else join_options(own)
            names = (*document.name_expressions, *source.name_expressions)
            document.name_expressions = tuple(dict.fromkeys(names))
            if document not in self.builds.modules():
                self.documents.current = document
        self.builds.build()
        if launches:
            self.specs.show(variant.spec)


class VariantsController(QObject):
    """Makes a plan of variants of the present build and launch, and has the plan carried out.

    Args:
        base: The build and the launch of the window.
        drafts: The axes that were typed for each kernel.
        service: Carries out plans.
        launches: The GPUs, and the problems of the launch.
        launch_service: Whose GPU memory is freed before a run.
        session: Keeps the texts before a run.
        side_builds: Build baselines.
        baselines: Holds the baselines.
        outputs: The last builds.
        disassembly: The kernel that is looked at.
        toolchain: The targets that NVRTC knows.
        shell: The window with its commands.

    Signals:
        reported: A sentence about a result that is out of sight.
        failed: Why a command cannot be carried out.
    """

    reported = Signal(str)
    failed = Signal(str)

    def __init__(
        self,
        base: WindowBuild,
        drafts: VariantDrafts,
        service: VariantService,
        launches: LaunchController,
        launch_service: LaunchService,
        session: Session,
        side_builds: SideBuilds,
        baselines: Baselines,
        outputs: Outputs,
        disassembly: CurrentDisassembly,
        toolchain: Toolchain,
        shell: Shell,
    ) -> None:
        super().__init__(shell.window)
        base.setParent(self)
        self._base = base
        self._drafts = drafts
        self._service = service
        self._launches = launches
        self._launch_service = launch_service
        self._session = session
        self._side_builds = side_builds
        self._baselines = baselines
        self._outputs = outputs
        self._disassembly = disassembly
        self._toolchain = toolchain
        self._actions = shell.actions
        self._window = shell.window
        self._dialog: VariantsDialog | None = None
        self._preset = Preset.LAUNCH
        self._setups: dict[Preset, Setup] = {}
        self._title = ""
        # Set from when a run is wanted until its thread begins: the session is written before.
        self._is_about_to_run = False
        # What goes on once it is known which GPUs there are.
        self._awaiting: Callable[[], None] | None = None
        shell.actions.bind(
            {
                "sweepAction": partial(self.open, Preset.LAUNCH),
                "matrixAction": partial(self.open, Preset.TARGETS),
                "compareLinksAction": self.compare_links,
            }
        )

    def open(self, preset: Preset) -> None:
        """Shows the window with the axes of a preset; a run in progress stays."""
        self._base.specs.finish()
        dialog = self._dialog = self._dialog or self._make_dialog()
        self._base.toolchains.read()
        if not dialog.is_running:
            self._show(preset)
        if preset is Preset.LAUNCH and self._launches.devices is None:
            self._launches.list_devices()
        dialog.show()
        dialog.raise_()
        dialog.activateWindow()
        dialog.editor.setFocus()

    @Slot()
    def compare_links(self) -> None:
        """Links the modules by PTX and by LTO, and shows both side by side."""
        try:
            for mode in _LINKS:
                self._base.request(mode, SHOWN_AND_SAVED)
        except ValueError as error:
            self.failed.emit(str(error))
            return
        self.open(Preset.LINKS)
        self._on_run()

    def _make_dialog(self) -> VariantsDialog:
        dialog = VariantsDialog(self._window)
        service, launches, base = self._service, self._launches, self._base
        dialog.preset_changed.connect(self._show)
        dialog.edited.connect(self._on_edited)
        dialog.run_requested.connect(self._on_run)
        dialog.stop_requested.connect(self._on_stop)
        dialog.table.variant_activated.connect(self._on_variant_activated)
        dialog.table.pin_requested.connect(self._on_pin_requested)
        dialog.table.differences_requested.connect(self._on_differences_requested)
        dialog.table.reported.connect(self.reported)
        service.row_changed.connect(dialog.show_row)
        service.finished.connect(dialog.end)
        service.failed.connect(dialog.fail)
        # What is typed may have changed meanwhile.
        service.finished.connect(self._on_base_changed)
        service.failed.connect(self._on_base_changed)
        launches.problems_changed.connect(self._on_base_changed)
        launches.devices_changed.connect(self._on_devices_changed)
        base.settings.changed.connect(self._on_base_changed)
        base.builds.module_changed.connect(self._on_base_changed)
        base.documents.edited.connect(dialog.show_outdated)
        base.toolchains.changed.connect(self._on_toolchains_changed)
        if launches.devices is not None:
            dialog.bar.set_gpus(len(launches.devices.devices))
        return dialog

    @Slot(Preset)
    def _show(self, preset: Preset) -> None:
        """Shows the typed axes of a preset, or the proposed ones."""
        dialog = self._dialog
        if dialog is None:
            return
        self._preset, self._title = preset, ""
        dialog.show_preset(preset)
        setup = self._setups.get(preset) or self._proposed(preset)
        dialog.bar.show_ways(launches=setup.launches, timed=setup.timed)
        dialog.editor.show_draft(setup.draft)
        self._update()

    def _proposed(self, preset: Preset) -> Setup:
        settings = self._base.settings
        if preset is Preset.LAUNCH:
            return Setup(VariantDraft("", ()), launches=True, timed=False)
        if preset is Preset.LINKS:
            links = ", ".join(mode.value for mode in _LINKS)
            return Setup(VariantDraft("", (AxisText(AxisKind.LINK, values=links),)))
        info = self._toolchain.info
        archs = {support.arch for support in info.archs} if info else set(COMMON_ARCHS)
        targets = ", ".join(map(str, sorted({settings.arch, *archs.intersection(COMMON_ARCHS)})))
        axes = [AxisText(AxisKind.TARGET, values=targets), AxisText(AxisKind.OPTIONS)]
        if self._base.has_several_modules:
            axes.append(AxisText(AxisKind.LINK, values=settings.link.value))
        if len(names := self._base.toolchains.folders) > 1:
            axes.append(AxisText(AxisKind.TOOLCHAIN, values="; ".join(names)))
        return Setup(VariantDraft("", tuple(axes)))

    def _update(self) -> None:
        """Shows the typed axes of the launch's kernel, and whether the plan can be run."""
        dialog, specs = self._dialog, self._base.specs
        if dialog is None or dialog.is_running:
            return
        form = specs.form
        if self._preset is Preset.LAUNCH and form and generic_name(form.title) != self._title:
            self._title = generic_name(form.title)
            dialog.editor.show_draft(self._drafts.of(form, specs.spec))
        try:
            dialog.editor.show_extent(extent(self._plan(dialog)))
        except ValueError as error:
            dialog.editor.show_problem(str(error))
            dialog.bar.set_runnable(False)
        else:
            dialog.bar.set_runnable(True)

    def _plan(self, dialog: VariantsDialog) -> VariantPlan:
        return self._base.plan(_typed(dialog), dialog.editor.axes())

    def _kernel(self) -> str:
        """Returns the kernel that is looked at, or the first of the newest build."""
        result = self._outputs.result
        first = next(iter(result.kernels), None) if result else None
        return self._disassembly.kernel or (first.name if first else "")

    @Slot()
    def _on_edited(self) -> None:
        if self._dialog is None:
            return
        setup = self._setups[self._preset] = _typed(self._dialog)
        if self._preset is Preset.LAUNCH and self._title:
            self._drafts.remember(self._title, setup.draft)
        self._update()

    @Slot()
    def _on_base_changed(self) -> None:
        if self._dialog is not None and self._dialog.isVisible():
            self._update()

    @Slot()
    def _on_toolchains_changed(self) -> None:
        """Proposes the compilers read meanwhile, unless the user has typed other axes."""
        dialog = self._dialog
        if dialog is not None and not dialog.is_running and self._preset not in self._setups:
            self._show(self._preset)
        self._on_base_changed()

    @Slot(DeviceList)
    def _on_devices_changed(self, devices: DeviceList) -> None:
        if self._dialog is not None:
            self._dialog.bar.set_gpus(len(devices.devices))
        awaiting, self._awaiting = self._awaiting, None
        if awaiting is not None:
            awaiting()

    @Slot()
    def _on_run(self) -> None:
        dialog = self._dialog
        if dialog is None or self._service.is_running or self._is_about_to_run:
            return
        dialog.editor.finish_editing()
        try:
            plan = self._plan(dialog)
            count = extent(plan).variants
        except ValueError as error:
            dialog.editor.show_problem(str(error))
            return
        dialog.begin(plan, count, self._kernel(), 0 if self._preset is Preset.LINKS else None)
        start = partial(self._service.start, plan, timed=dialog.bar.is_timed)
        if not plan.launches:
            start(None)
            return
        self._is_about_to_run = True
        # What the last launch keeps on the GPU is in the way of the run's own process.
        self._launch_service.rest()
        # The text is kept first, whatever the kernels do.
        self._session.save_before(partial(self._start, start))

    def _start(self, start: Callable[[Collection[int] | None], None]) -> None:
        """Starts on the GPU that is chosen, on all, or in the simulator, once that is known."""
        if not self._is_about_to_run or self._dialog is None:
            return
        if self._launches.devices is None:
            self._awaiting = partial(self._start, start)
            self._launches.list_devices()
            return
        self._is_about_to_run = False
        chosen = self._launches.device
        is_one = chosen is not None and (chosen.is_simulated or not self._dialog.bar.uses_all_gpus)
        start({chosen.ordinal} if chosen is not None and is_one else None)

    @Slot()
    def _on_stop(self) -> None:
        if self._is_about_to_run and self._dialog is not None:
            self._is_about_to_run = False
            self._dialog.fail(self.tr("The run was stopped before it began."))
        else:
            self._service.cancel()

    @Slot(VariantRow)
    def _on_variant_activated(self, row: VariantRow) -> None:
        """Takes the variant over as the build and the launch of the window."""
        plan = self._dialog.plan if self._dialog else None
        launches = plan is not None and plan.launches
        self._base.show(row.variant, launches=launches)
        if launches:
            self._actions["focusLaunchAction"].trigger()
        self._window.activateWindow()

    @Slot(VariantRow)
    def _on_pin_requested(self, row: VariantRow) -> None:
        """Pins the variant as a baseline."""
        self._pin(row)

    @Slot(VariantRow, VariantRow)
    def _on_differences_requested(self, base: VariantRow, compared: VariantRow) -> None:
        """Shows two variants next to each other, line by line."""
        self._pin(base, compared)

    def _pin(self, row: VariantRow, compared: VariantRow | None = None) -> None:
        """Builds a variant with PTX and SASS, pins the result, and shows another variant beside."""
        build = row.variant.build
        request = replace(build, emit=SHOWN_AND_SAVED, use_cache=True)
        plan = self._dialog.plan if self._dialog else None
        linked = plan is not None and bool(_links_of(plan.axes))
        link = {LinkMode.PTX: self.tr("PTX link"), LinkMode.LTO: self.tr("LTO link")}
        names = {folder: name for name, folder in self._base.toolchains.folders.items()}
        facts = (
            link.get(build.link, "") if linked else "",
            names.get(build.toolchain, "") if build.toolchain else "",
            str(build.arch),
            join_options(build.options_of(build.sources[0])),
        )
        name = ", ".join(filter(None, facts))
        doing = self.tr("Building {name} to pin it")
        handle = self._side_builds.build(request, doing.format(name=name))
        handle.finished.connect(partial(self._on_pin_built, request, name, compared))
        handle.failed.connect(self.reported)

    def _on_pin_built(
        self, request: BuildRequest, name: str, compared: VariantRow | None, output: BuildOutput
    ) -> None:
        result = output.result
        if not result.ok:
            self.reported.emit(result.reason)
            return
        baseline = self._baselines.pin(Built(request, result), name)
        text = self.tr("{name} is pinned: Compare shows what changes from there.")
        self.reported.emit(text.format(name=baseline.name))
        if compared is not None:
            self._base.show(compared.variant, launches=False)
            self._actions["focusCompareAction"].trigger()
            self._window.activateWindow()


def install(context: Context) -> None:
    """Carries out the commands that build variants."""
    state, shell = context.state, context.shell
    base = WindowBuild(
        state.documents,
        state.settings,
        state.build_controller,
        state.launch_specs,
        state.other_toolchains,
    )
    controller = VariantsController(
        base,
        state.variant_drafts,
        state.variant_service,
        state.launches,
        state.launch_service,
        state.session,
        state.side_builds,
        state.baselines,
        state.outputs,
        state.disassembly,
        state.toolchain,
        shell,
    )
    controller.failed.connect(shell.notices.show_message)
    controller.reported.connect(shell.status.show_message)


def _typed(dialog: VariantsDialog) -> Setup:
    return Setup(dialog.editor.draft, dialog.bar.launches, dialog.bar.is_timed)


def _links_of(axes: tuple[Axis, ...]) -> tuple[LinkMode, ...]:
    """Returns the ways of linking among the values of the axes."""
    values = [value for axis in axes if axis.kind is AxisKind.LINK for value in axis.values]
    return tuple(mode for mode in LinkMode if mode.value in values)


def _says(text: str, options: tuple[str, ...]) -> bool:
    """Returns whether the text of a field means these options, whatever the quotes."""
    try:
        return split_options(text) == options
    except ValueError:
        return False
