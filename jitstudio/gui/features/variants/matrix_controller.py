"""Keeps the window of the matrix in step with the code, and has its variants built."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from jitstudio.analysis.matrix.plan import (
    MatrixError,
    MatrixPlan,
    Variant,
    parse_option_sets,
    parse_targets,
    variants,
)
from jitstudio.analysis.matrix.rows import MatrixRow
from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind
from jitstudio.core.options import join_options, split_options
from jitstudio.core.request import BuildRequest, LinkMode
from jitstudio.core.result import BuildResult
from jitstudio.gui.features.variants.matrix_dialog import MatrixDialog
from jitstudio.gui.features.variants.matrix_run import MatrixRun
from jitstudio.gui.kit.translating import counted
from jitstudio.gui.services.analysis_service import AnalysisService
from jitstudio.gui.services.build_service import BuildService
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.background_builds import SideBuild
from jitstudio.gui.state.baselines import Baselines
from jitstudio.gui.state.build_controller import SHOWN_AND_SAVED, BuildController, nothing_to_build
from jitstudio.gui.state.build_settings import BuildSettings
from jitstudio.gui.state.documents import Documents
from jitstudio.gui.state.inspections import Inspections
from jitstudio.gui.state.outputs import Built, Outputs
from jitstudio.gui.state.requests import linked_modules, request_for
from jitstudio.gui.state.toolchain import Toolchain

_MADE = frozenset({CodeKind.CUBIN})
# Proposed beside the target of the window, as far as NVRTC knows them.
_COMMON = (Arch(80), Arch(90), Arch(100), Arch(120))


class MatrixController(QObject):
    """Makes the variants of what would be built now.

    Signals:
        told: Something was done that cannot be seen, in words.
    """

    told = Signal(str)

    def __init__(
        self,
        service: BuildService,
        analysis_service: AnalysisService,
        documents: Documents,
        build_controller: BuildController,
        settings: BuildSettings,
        toolchain: Toolchain,
        outputs: Outputs,
        inspections: Inspections,
        baselines: Baselines,
        shell: Shell,
    ) -> None:
        super().__init__(shell.window)
        actions = shell.actions
        keeper = shell.themes
        window = shell.window
        self._service = service
        self._documents = documents
        self._build_controller = build_controller
        self._settings = settings
        self._toolchain = toolchain
        self._outputs = outputs
        self._inspections = inspections
        self._baselines = baselines
        self._keeper = keeper
        self._window = window
        self._dialog: MatrixDialog | None = None
        self._pinning: BuildRequest | None = None
        self._run = MatrixRun(service, analysis_service, self)
        actions.bind({"matrixAction": self.open})

    @Slot()
    def open(self) -> None:
        """Show the window."""
        if self._dialog is None:
            self._dialog = self._make_dialog()
        self._review()
        self._dialog.show()
        self._dialog.raise_()
        self._dialog.activateWindow()
        self._dialog.form.setFocus()

    def _make_dialog(self) -> MatrixDialog:
        run = self._run
        dialog = MatrixDialog(self._keeper.theme, self._window)
        dialog.form.show_targets(", ".join(map(str, self._proposed())))
        dialog.form.edited.connect(self._review)
        dialog.form.run_requested.connect(self._on_run)
        dialog.stop_requested.connect(run.stop)
        dialog.table.variant_activated.connect(self._on_variant_activated)
        dialog.table.pin_requested.connect(self._on_pin_requested)
        dialog.table.told.connect(self.told)
        run.row_changed.connect(dialog.show_row)
        run.ended.connect(dialog.end)
        run.broke.connect(dialog.fail)
        self._keeper.theme_changed.connect(dialog.set_theme)
        self._documents.edited.connect(self._on_code_changed)
        self._build_controller.module_changed.connect(self._review)
        self._settings.changed.connect(self._review)
        return dialog

    def _proposed(self) -> list[Arch]:
        info, chosen = self._toolchain.info, self._settings.arch
        known = {each.arch for each in info.archs} if info else set(_COMMON)
        return sorted({chosen, *(arch for arch in _COMMON if arch in known)})

    @Slot()
    def _review(self) -> None:
        """Say how much work it is, or what forbids it."""
        dialog = self._dialog
        if dialog is None or dialog.is_running:
            return
        modules = linked_modules(self._documents, self._settings.program)
        several = len(modules) > 1
        dialog.form.blockSignals(True)
        dialog.form.offer_links(several=several, chosen=self._settings.link)
        dialog.form.blockSignals(False)
        try:
            count = len(self._variants(dialog))
        except ValueError as error:
            dialog.form.say(str(error), is_wrong=True)
        else:
            dialog.form.say(counted(count, self.tr("{count} build"), self.tr("{count} builds")))

    def _variants(self, dialog: MatrixDialog) -> tuple[Variant, ...]:
        """What is typed.

        Raises:
            ValueError: It makes no sense; the message says why.
        """
        form = dialog.form
        if not form.links:
            raise MatrixError(self.tr("Tick at least one way of linking."))
        targets, options = parse_targets(form.targets), parse_option_sets(form.option_sets)
        return variants(MatrixPlan(tuple(map(self._request, form.links)), targets, options))

    def _request(self, link: LinkMode) -> BuildRequest:
        modules = self._build_controller.modules(link)
        if not modules:
            raise MatrixError(nothing_to_build(link))
        return request_for(modules, self._documents, self._settings, _MADE, link)

    def _kernel(self) -> str:
        """The kernel that is looked at, or the first of what is shown."""
        result = self._outputs.result
        first = next(iter(result.kernels), None) if result else None
        return self._inspections.kernel or (first.name if first else "")

    @Slot()
    def _on_code_changed(self) -> None:
        if self._dialog is not None:
            self._dialog.tell_outdated()

    @Slot()
    def _on_run(self) -> None:
        dialog = self._dialog
        if dialog is None or self._run.is_running:
            return
        try:
            planned = self._variants(dialog)
        except ValueError as error:
            dialog.form.say(str(error), is_wrong=True)
            return
        dialog.begin(planned, self._kernel())
        self._run.start(planned)

    @Slot(MatrixRow)
    def _on_variant_activated(self, row: MatrixRow) -> None:
        """Make the variant what is built and shown."""
        self._settings, request = self._settings, row.variant.request
        self._settings.link = row.variant.link
        self._settings.arch = request.arch
        if not _says(self._settings.options, request.options):
            self._settings.options = join_options(request.options)
        self._build_controller.build()
        self._window.activateWindow()

    @Slot(MatrixRow)
    def _on_pin_requested(self, row: MatrixRow) -> None:
        """Have all made of the variant that can be compared, and pin it."""
        request = replace(row.variant.request, emit=SHOWN_AND_SAVED, use_cache=True)
        self._pinning = request
        build = SideBuild(self._service, "pin", [request], self)
        build.finished.connect(self._on_pin_built)
        build.broke.connect(self.told)
        build.start()

    @Slot(tuple)
    def _on_pin_built(self, results: tuple[BuildResult, ...]) -> None:
        (result,), request = results, self._pinning
        if request is None or not result.ok:
            self.told.emit(result.reason)
            return
        facts = (str(request.arch), join_options(request.options))
        name = ", ".join(filter(None, facts))
        baseline = self._baselines.pin(Built(request, result), name)
        told = self.tr("{name} is pinned: Compare shows what changes from there.")
        self.told.emit(told.format(name=baseline.name))


def _says(text: str, options: tuple[str, ...]) -> bool:
    """Whether a field of options says these already, however it is quoted."""
    try:
        return split_options(text) == options
    except ValueError:
        return False
