"""The line above the editors: for which target, and with which options, to build."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import PurePath

from PySide6.QtCore import QCoreApplication, QSignalBlocker, QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind
from jitstudio.core.toolchain_info import ArchInfo
from jitstudio.gui.features.build.option_completion import is_half_typed
from jitstudio.gui.features.build.options_field import OptionsField
from jitstudio.gui.kit.parts import FieldName, explain_by, fit_icon, show_tip
from jitstudio.gui.kit.presentation import plain_tooltip
from jitstudio.gui.state.tab_options import TabOptions

_OLDEST_OPAQUE = 15
"""The first LLVM whose text has opaque pointers by default."""
_ICON_SIDE = 18
# Qt's own, which Python is not given.
_NO_LIMIT = (1 << 24) - 1
_EXAMPLE = "--use_fast_math --maxrregcount=32 nvjitlink:-verbose"
_PATH_PARTS = 3


def short_path(path: str) -> str:
    """Returns the end of a path, with an ellipsis for the folders before."""
    parts = PurePath(path).parts
    return path if len(parts) <= _PATH_PARTS + 1 else os.path.join("…", *parts[-_PATH_PARTS:])


class BuildBar(QWidget):
    """Chooses the target architecture and the options.

    Signals:
        arch_chosen: The user wants this target.
        toolchain_chosen: The user wants the compilers in this folder; empty for our own.
        options_edited: The user has typed these options, and whether one is typed by half only.
        options_finished: The user has gone on to something else.
        refused: The typed text is no target.
    """

    arch_chosen = Signal(Arch)
    toolchain_chosen = Signal(str)
    options_edited = Signal(str, bool)
    options_finished = Signal()
    refused = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._dialects: dict[int, int | None] = {}
        self._arch: Arch | None = None
        self._kind: CodeKind | None = None
        self._python = ""
        self._combo = _arch_combo()
        self._dialect = QLabel()
        self._dialect.setObjectName("readBy")
        self._dialect.setEnabled(False)
        self._dialect.setContentsMargins(2, 0, 12, 0)
        self._toolchain = _toolchain_combo()
        self._toolchain.hide()
        self._options = OptionsField()
        self._form_button = QToolButton()
        self._form_button.setObjectName("optionsFormButton")
        fit_icon(self._form_button, _ICON_SIDE)
        target = FieldName(self.tr("&Target"), self._combo)
        options = FieldName(self.tr("&Options"), self._options)
        row = QHBoxLayout(self)
        row.setContentsMargins(6, 2, 6, 2)
        row.setSpacing(8)
        self._labels = (target, options)
        for widget in (target, self._combo, self._dialect, self._toolchain, options):
            row.addWidget(widget)
        row.addWidget(self._options, 1)
        row.addWidget(self._form_button)
        self._combo.textActivated.connect(self._on_arch_typed)
        self._toolchain.activated.connect(self._on_toolchain_activated)
        edit = self._combo.lineEdit()
        assert edit is not None
        edit.editingFinished.connect(self._on_editing_finished)
        self._options.textEdited.connect(self._on_options_edited)
        self._options.editingFinished.connect(self.options_finished)

    def minimumSizeHint(self) -> QSize:
        """Returns room for fields and button: the tool bar hides a widget that has less."""
        row = self.layout()
        assert row is not None
        parts = (self._combo, self._toolchain, self._options, self._form_button)
        width = sum(part.minimumSizeHint().width() for part in parts if not part.isHidden())
        beside = row.contentsMargins().left() + row.contentsMargins().right()
        gaps = (row.count() - 1) * row.spacing()
        return QSize(width + gaps + beside, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leaves scarce room to the fields and hides the labels: tool tips have the same names."""
        super().resizeEvent(event)
        room = event.size().width() - self.minimumSizeHint().width()
        for label in self._labels:
            room -= label.sizeHint().width()
        # Not hidden: their mnemonics work on.
        for label in self._labels:
            label.setMaximumWidth(_NO_LIMIT if room >= 0 else 0)
        self._dialect.setMaximumWidth(_NO_LIMIT if room >= self._dialect.sizeHint().width() else 0)

    def set_form_action(self, action: QAction) -> None:
        """Puts the command that shows the form of all options next to their field."""
        self._form_button.setDefaultAction(action)

    @Slot(tuple)
    def set_archs(self, archs: tuple[ArchInfo, ...]) -> None:
        """Offers the target architectures `archs`; the chosen target stays."""
        self._dialects = {info.arch.number: info.llvm for info in archs}
        with QSignalBlocker(self._combo):
            self._combo.clear()
            text = self.tr("Compute capability {capability}. {dialect}")
            for info in archs:
                self._combo.addItem(info.arch.sm, info.arch)
                dialect = self._dialect_text(info.llvm)
                tip = text.format(capability=info.arch.capability, dialect=dialect)
                self._combo.setItemData(self._combo.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        if self._arch is not None:
            self.set_arch(self._arch)

    @Slot(Arch)
    def set_arch(self, arch: Arch) -> None:
        """Shows `arch` as the chosen target."""
        self._arch = arch
        with QSignalBlocker(self._combo):
            # An `a` or `f` target is not in the list; it is in the field all the same.
            self._combo.setCurrentIndex(self._combo.findText(arch.sm))
            self._combo.setEditText(arch.sm)
        self._show_what_reads()

    def set_module(self, kind: CodeKind | None, python: str) -> None:
        """Shows the fields that apply to code of `kind`.

        Args:
            kind: Of the text that is edited; None for none.
            python: The interpreter that runs Python files.
        """
        self._kind, self._python = kind, python
        self._show_what_reads()

    def _show_what_reads(self) -> None:
        """Names the reader of the text (NVRTC, libNVVM, …), with examples of the options."""
        words = tip = ""
        example = _EXAMPLE
        if self._kind is CodeKind.LLVM_IR and self._arch is not None:
            words = self._dialect_text(self._dialects.get(self._arch.number))
            tip = self.tr(
                "The LLVM text that libNVVM reads for this target.\n"
                "Below compute_100 it is LLVM 7 with typed pointers."
            )
        elif self._kind is CodeKind.PYTHON:
            words = short_path(self._python)
            tip = self.tr(
                "The Python interpreter that runs this file when it is built: {python}\n"
                "Another one is chosen in the settings."
            ).format(python=self._python)
            example = self.tr("A Python file has its options in its own calls")
        elif self._kind is CodeKind.CAPTURED:
            example = self.tr("A captured kernel is shown as it was compiled")
        elif not self._options.isEnabled():
            example = self.tr("Machine code is shown as it was compiled")
        self._dialect.setText(words)
        self._dialect.setVisible(bool(words))
        show_tip(self._dialect, tip)
        self._options.setPlaceholderText(example)

    def set_toolchains(self, folders: Mapping[str, str], chosen: str) -> None:
        """Offers the compilers of folders where there are others than our own.

        Args:
            folders: Their folders by their names.
            chosen: The folder of those in use; one that is not offered any more stays named.
        """
        shown = dict(folders) if chosen in folders.values() else {**folders, chosen: chosen}
        self._toolchain.clear()
        for name, folder in shown.items():
            title = self.tr("CUDA {version}").format(version=name) if folder else self.tr("own")
            self._toolchain.addItem(title if folder != name else os.path.basename(folder), folder)
            tip = plain_tooltip(folder or self.tr("The compilers of jitstudio's own environment"))
            self._toolchain.setItemData(
                self._toolchain.count() - 1, tip, Qt.ItemDataRole.ToolTipRole
            )
        self._toolchain.setCurrentIndex(self._toolchain.findData(chosen))
        self._toolchain.setVisible(len(shown) > 1)

    def set_options(self, options: TabOptions) -> None:
        """Shows the options of the tab, and whether these are of the tab alone."""
        if self._options.show_options(options.owner, options.text):
            # Qt says so of a text that was typed only, and this one takes its place.
            self.options_finished.emit()
        # Those that nvdisasm takes for machine code are in the form.
        self._options.setEnabled(options.are_compiled_with)
        own, shared = self.tr("◆ Tab's &options"), self.tr("&Options")
        self._labels[1].setText(own if options.are_own else shared)
        self._show_what_reads()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Resets the target at Escape; other parts decide where the keyboard focus goes."""
        if event.key() == Qt.Key.Key_Escape and self._arch is not None:
            self.set_arch(self._arch)
        super().keyPressEvent(event)

    @Slot(str)
    def _on_options_edited(self, options: str) -> None:
        self.options_edited.emit(options, is_half_typed(options, self._options.cursorPosition()))

    @Slot(int)
    def _on_toolchain_activated(self, place: int) -> None:
        self.toolchain_chosen.emit(self._toolchain.itemData(place))

    @Slot()
    def _on_editing_finished(self) -> None:
        self._on_arch_typed(self._combo.currentText())

    @Slot(str)
    def _on_arch_typed(self, text: str) -> None:
        if self._arch is not None and text == self._arch.sm:
            return
        try:
            arch = Arch.parse(text)
        except ValueError as error:
            self.refused.emit(str(error))
            if self._arch is not None:
                self.set_arch(self._arch)
            return
        self.set_arch(arch)
        self.arch_chosen.emit(arch)

    def _dialect_text(self, llvm: int | None) -> str:
        if llvm is None:
            return ""
        if llvm >= _OLDEST_OPAQUE:
            return self.tr("LLVM {version}, opaque pointers").format(version=llvm)
        return self.tr("LLVM {version}, typed pointers").format(version=llvm)


def _arch_combo() -> QComboBox:
    combo = QComboBox(editable=True)
    combo.setObjectName("archCombo")
    combo.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
    combo.setMinimumContentsLength(9)
    combo.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
    name = QCoreApplication.translate("BuildBar", "Target architecture")
    edit = combo.lineEdit()
    assert edit is not None
    # The keyboard is in its field, which a screen reader names apart.
    for part in (combo, edit):
        part.setAccessibleName(name)
    combo.setToolTip(
        QCoreApplication.translate(
            "BuildBar",
            "The target architecture. The list is what this NVRTC compiles for;\n"
            "architecture-specific targets such as sm_90a or sm_100f can be typed.",
        )
    )
    return combo


def _toolchain_combo() -> QComboBox:
    combo = QComboBox()
    combo.setObjectName("toolchainCombo")
    explain_by(combo, "toolchains")
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
    combo.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
    combo.setAccessibleName(QCoreApplication.translate("BuildBar", "Compilers"))
    combo.setToolTip(
        QCoreApplication.translate(
            "BuildBar",
            "Which version of the compilers builds: our own, or one that was added in the\n"
            "settings. The status bar names the tools of the chosen one.",
        )
    )
    return combo
