"""Opens a copy of a kernel's PTX for editing, and shows how a Python program uses the copy."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, Slot

from jitstudio.core.arch import Arch
from jitstudio.core.captured import CapturedKernel, KernelLanguage
from jitstudio.core.code import CodeKind
from jitstudio.gui.context import Context
from jitstudio.gui.editor.editor_tabs import EditorTabs
from jitstudio.gui.features.hand_back.dialog import HandBackDialog
from jitstudio.gui.files.file_commands import FileCommands
from jitstudio.gui.listing.output_pane import OutputPane
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.build_settings import BuildSettings
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.ptx.skimming import entries, ptx_target
from jitstudio.python.hand_back import OVERRIDE_KEY, KernelPackage, override_file

_PTX = CodeKind.PTX.ending


def install(context: Context) -> None:
    """Makes the way from a captured kernel to an edited copy, and back to the Python program."""
    state = context.state
    HandBackController(
        state.documents,
        state.settings,
        context.editors,
        context.listings[CodeKind.PTX],
        context.files,
        context.shell,
    )


class CopiedKernel(NamedTuple):
    """The origin of a tab of PTX that is a copy of a captured kernel.

    Attributes:
        name: The name of the kernel in Python.
        package: The package that has compiled the kernel; None for others.
        override_key: See `python.hand_back.OVERRIDE_KEY`; empty where it is not known.
    """

    name: str
    package: KernelPackage | None = None
    override_key: str = ""

    @classmethod
    def of(cls, kernel: CapturedKernel) -> CopiedKernel:
        """Returns the origin that a copy of a captured kernel remembers."""
        package = KernelPackage.of(kernel.origin)
        return cls(kernel.name, package, kernel.facts.get(OVERRIDE_KEY, ""))


class HandBackController(QObject):
    """Carries out "Edit a copy of the PTX" and "Use this PTX in Python"."""

    def __init__(
        self,
        documents: Documents,
        settings: BuildSettings,
        editors: EditorTabs,
        ptx: OutputPane,
        files: FileCommands,
        shell: Shell,
    ) -> None:
        super().__init__(editors)
        self._documents = documents
        self._settings = settings
        self._editors = editors
        self._ptx = ptx
        self._files = files
        self._shell = shell
        self._copies: dict[Document, CopiedKernel] = {}
        actions = shell.actions
        actions.bind({"editPtxAction": self.edit_copy, "usePtxAction": self.show_use})
        actions.know({"usePtxAction": self._has_ptx_tab})
        self._edit = actions["editPtxAction"]
        documents.each(self._on_document)
        documents.removed.connect(self._on_removed)

    @Slot()
    def edit_copy(self) -> None:
        """Opens the PTX of the current captured kernel, or of the pane, as a tab."""
        page = self._editors.page
        kernel = page.kernel if page is not None else None
        own = kernel.representation(KernelLanguage.PTX) if kernel is not None else None
        listing = self._ptx.listing
        if kernel is not None and own is not None:
            copied, text = CopiedKernel.of(kernel), own.text
            self._choose_target(ptx_target(text))
        elif listing is not None:
            copied, text = CopiedKernel(Path(listing.name).stem), "\n".join(listing.lines)
        else:
            message = self.tr("There is no PTX to copy: build something first")
            self._shell.status.show_message(message)
            return
        stem = "".join(c if c.isalnum() or c in "_-." else "_" for c in copied.name).strip("._")
        name = self._documents.unique_name(f"{stem or 'kernel'}{_PTX}")
        document = Document(name, CodeKind.PTX, text.encode())
        self._copies[document] = copied
        self._documents.add(document)
        self._shell.layout.bring_up(self._editors)
        message = self.tr("{name} is a copy: edit it, then see Build > Use this PTX in Python")
        self._shell.status.show_message(message.format(name=name))

    def _choose_target(self, named: str | None) -> None:
        """Builds for the target of PTX where that may be for no other."""
        target = Arch.parse(named) if named else None
        if target and (target.suffix or not target.assembles_for(self._settings.arch.number)):
            self._settings.arch = target

    @Slot()
    def show_use(self) -> None:
        """Shows how a Python program uses the PTX of the current tab."""
        document = self._documents.current
        if document is None or not self._has_ptx_tab():
            message = self.tr("This is for tabs of PTX: edit a copy of the PTX first")
            self._shell.status.show_message(message)
            return
        names = entries(document.content.decode("utf-8", "replace"))
        entry = names[0] if names else Path(document.name).stem
        copied = self._copies.get(document) or CopiedKernel(entry)
        override = override_file(copied.override_key, copied.name, os.environ)
        dialog = HandBackDialog(document, copied.name, entry, self._shell.window)
        dialog.choose(copied.package or KernelPackage.CUPY)
        dialog.offer_override(override)
        dialog.save_requested.connect(self._saving(document, None))
        dialog.override_requested.connect(self._saving(document, override))
        dialog.open()

    def _saving(self, document: Document, path: Path | None) -> Callable[[], None]:
        def save() -> None:
            if path is None:
                self._files.save_document(document)
            else:
                self._files.save_to(document, path)

        return save

    def _has_ptx_tab(self) -> bool:
        current = self._documents.current
        return current is not None and current.kind is CodeKind.PTX

    @Slot(Document)
    def _on_document(self, document: Document) -> None:
        page = self._editors.page_of(document)
        if page is not None:
            page.offer(self._edit)

    @Slot(Document)
    def _on_removed(self, document: Document) -> None:
        self._copies.pop(document, None)
