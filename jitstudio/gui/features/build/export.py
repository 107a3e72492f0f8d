"""Exports a build: makes kinds of code that no pane shows, saves code, copies commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from jitstudio.core.arch import Arch
from jitstudio.core.code import EMITTED_KINDS, CodeKind
from jitstudio.core.request import BuildRequest, LinkMode
from jitstudio.core.result import Outcome
from jitstudio.export.command import build_command, run_command, sweep_command
from jitstudio.gui.context import Context
from jitstudio.gui.files.file_commands import FileCommands
from jitstudio.gui.kit.dialogs import open_dialog
from jitstudio.gui.kit.parts import FieldName
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP
from jitstudio.gui.services.build_service import BuildOutput
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.build_controller import BuildController, nothing_to_build
from jitstudio.gui.state.build_settings import BuildSettings
from jitstudio.gui.state.documents import Documents
from jitstudio.gui.state.launch_controller import LaunchController
from jitstudio.gui.state.launch_specs import LaunchSpecs, VariantDrafts
from jitstudio.gui.state.side_builds import SideBuilds

_MEANINGS = {
    CodeKind.TILEIR: QT_TRANSLATE_NOOP("ExportDialog", "{kind}: the tile functions, as text"),
    CodeKind.TILE_BYTECODE: QT_TRANSLATE_NOOP(
        "ExportDialog", "{kind}: the tile functions, as input of tileiras"
    ),
    CodeKind.PTX: QT_TRANSLATE_NOOP(
        "ExportDialog", "{kind}: text that every later driver can load"
    ),
    CodeKind.SASS: QT_TRANSLATE_NOOP("ExportDialog", "{kind}: the disassembled machine code"),
    CodeKind.CUBIN: QT_TRANSLATE_NOOP("ExportDialog", "{kind}: machine code for the target"),
    CodeKind.LTOIR: QT_TRANSLATE_NOOP("ExportDialog", "{kind}: input of a later LTO link"),
    CodeKind.OPTIXIR: QT_TRANSLATE_NOOP(
        "ExportDialog", "{kind}: input of an OptiX pipeline, from CUDA C++"
    ),
    CodeKind.FATBIN: QT_TRANSLATE_NOOP(
        "ExportDialog", "{kind}: machine code and PTX for several targets"
    ),
    CodeKind.CAPTURED: QT_TRANSLATE_NOOP(
        "ExportDialog", "{kind}: what a Python file has compiled, with its IR"
    ),
}
_AT_FIRST = (CodeKind.PTX, CodeKind.CUBIN)


def install(context: Context) -> None:
    """Carries out the commands that export a build."""
    state, shell = context.state, context.shell
    exports = ExportCommands(
        state.build_controller,
        state.settings,
        state.documents,
        state.side_builds,
        state.launch_specs,
        state.launches,
        state.variant_drafts,
        context.files,
        shell,
    )
    exports.failed.connect(shell.notices.show_message)
    exports.reported.connect(shell.status.show_message)


class ExportDialog(QDialog):
    """Kinds as check boxes, and the targets of a fatbin.

    Attributes:
        what: The name of the subject of the build.
    """

    def __init__(self, what: str, arch: Arch, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Cubin, LTO-IR or fatbin"))
        self.setObjectName("exportDialog")
        self._boxes = {
            kind: QCheckBox(self.tr(_MEANINGS[kind]).format(kind=kind.title))
            for kind in EMITTED_KINDS
        }
        self._targets = QLineEdit(arch.sm)
        self._targets.setObjectName("fatTargets")
        self._targets.setAccessibleName(self.tr("Targets of the fatbin"))
        self._targets.setPlaceholderText("sm_80, sm_90, sm_100")
        self._problem = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._problem.setWordWrap(True)
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel
        )
        self._save = buttons.button(QDialogButtonBox.StandardButton.Save)
        self._save.setText(self.tr("&Build and save…"))
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 14)
        layout.setSpacing(8)
        title = self.tr("What to make of {module}:").format(module=what)
        layout.addWidget(QLabel(title, textFormat=Qt.TextFormat.PlainText))
        for kind, box in self._boxes.items():
            box.setChecked(kind in _AT_FIRST)
            box.toggled.connect(self._on_changed)
            layout.addWidget(box)
        form = QFormLayout()
        form.setContentsMargins(24, 0, 0, 0)
        form.addRow(FieldName(self.tr("&Targets"), self._targets), self._targets)
        layout.addLayout(form)
        layout.addWidget(self._problem)
        layout.addStretch(1)
        layout.addWidget(buttons)
        self._targets.textChanged.connect(self._on_changed)
        self._on_changed()

    @property
    def kinds(self) -> frozenset[CodeKind]:
        """The kinds of code to make."""
        return frozenset(kind for kind, box in self._boxes.items() if box.isChecked())

    @property
    def fat_archs(self) -> tuple[Arch, ...]:
        """The targets of the fatbin; none where no fatbin is wanted."""
        if CodeKind.FATBIN not in self.kinds:
            return ()
        words = self._targets.text().replace(",", " ").split()
        return tuple(dict.fromkeys(Arch.parse(word) for word in words))

    @Slot()
    def _on_changed(self) -> None:
        fat = CodeKind.FATBIN in self.kinds
        self._targets.setEnabled(fat)
        problem = "" if self.kinds else self.tr("Choose at least one kind.")
        try:
            if fat and not self.fat_archs:
                problem = self.tr("Name at least one target of the fatbin.")
        except ValueError as error:
            problem = str(error)
        self._problem.setText(problem)
        self._save.setEnabled(not problem)


class ExportCommands(QObject):
    """Asks for the kinds of code, builds, and shows or saves the result.

    Signals:
        reported: The step that is running.
        failed: Why it cannot be done.
    """

    reported = Signal(str)
    failed = Signal(str)

    def __init__(
        self,
        build_controller: BuildController,
        settings: BuildSettings,
        documents: Documents,
        side_builds: SideBuilds,
        launch_specs: LaunchSpecs,
        launches: LaunchController,
        variant_drafts: VariantDrafts,
        files: FileCommands,
        shell: Shell,
    ) -> None:
        super().__init__(shell.window)
        self._documents = documents
        self._build_controller = build_controller
        self._settings = settings
        self._side_builds = side_builds
        self._launch_specs = launch_specs
        self._launches = launches
        self._variant_drafts = variant_drafts
        self._files = files
        self._window = shell.window
        shell.actions.bind(
            {
                "exportAction": self.export,
                "copyCommandAction": self.copy_command,
                "copyRunCommandAction": self.copy_run_command,
                "copySweepCommandAction": self.copy_sweep_command,
            }
        )

    @Slot()
    def export(self) -> None:
        """Asks for the kinds of code of the module or the link, builds, and asks where to save."""
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
        """Copies the command that builds the same from the files."""
        self._copy(build_command)

    @Slot()
    def copy_run_command(self) -> None:
        """Copies the command that builds the same and launches the form's kernel."""
        if self._can_launch():
            specs, device = self._launch_specs, self._launches.device
            ordinal = device.ordinal if device is not None else 0
            self._copy(
                lambda request, paths: run_command(request, specs.spec, paths, ordinal, specs.form)
            )

    @Slot()
    def copy_sweep_command(self) -> None:
        """Copies the command that sweeps the form's kernel along the typed axes."""
        specs = self._launch_specs
        if self._can_launch() and specs.form is not None:
            draft = self._variant_drafts.of(specs.form, specs.spec)
            self._copy(
                lambda request, paths: sweep_command(request, specs.spec, draft, paths, specs.form)
            )

    def _can_launch(self) -> bool:
        """Returns whether there is a launch that can be read; says why not."""
        problem = self._launch_specs.finish()
        if self._launch_specs.form is None:
            problem = self.tr("There is no kernel to launch. Build one first.")
        if problem:
            self.failed.emit(problem)
        return not problem

    def _copy(self, command_for: Callable[[BuildRequest, Mapping[str, str]], str]) -> None:
        """Copies a command about the modules of the build, which names their files."""
        modules = self._build_controller.modules()
        others = [d for d in self._documents if d.is_header or d.is_library]
        if not modules:
            self.failed.emit(nothing_to_build(self._settings.link))
            return
        parts = {document.name: document for document in (*modules, *others)}
        if unnamed := ", ".join(name for name, d in parts.items() if d.path is None):
            message = self.tr(
                "A command names files: save {names} first, or close what is not built."
            )
            self.failed.emit(message.format(names=unnamed))
            return
        try:
            request = self._build_controller.request(frozenset())
        except ValueError as error:
            self.failed.emit(str(error))
            return
        command = command_for(request, {name: str(d.path) for name, d in parts.items()})
        QApplication.clipboard().setText(command)
        unsaved = ", ".join(name for name, d in parts.items() if d.is_modified)
        message = self.tr("Copied: {command}")
        if unsaved:
            message = self.tr("Copied, but it builds what is saved: {names} is not. {command}")
        elif request.confined_to is not None:
            message = self.tr(
                "Copied. Outside its project these files are not restricted: read them before you "
                "run it. {command}"
            )
        self.reported.emit(message.format(names=unsaved, command=command))

    @Slot()
    def _on_export_accepted(self) -> None:
        dialog = self.sender()
        assert isinstance(dialog, ExportDialog)
        try:
            request = self._build_controller.request(dialog.kinds)
        except ValueError as error:
            self.failed.emit(str(error))
            return
        request = replace(request, fat_archs=dialog.fat_archs)
        handle = self._side_builds.build(request, self.tr("Building what is to be saved"))
        handle.finished.connect(self._on_exported)
        handle.failed.connect(self.failed)

    @Slot(object)
    def _on_exported(self, output: BuildOutput) -> None:
        result = output.result
        if not result.ok:
            text = self.tr("Nothing was saved. {reason}")
            signal = self.reported if result.outcome is Outcome.CANCELLED else self.failed
            signal.emit(text.format(reason=result.reason))
            return
        self._files.save_results(result)
