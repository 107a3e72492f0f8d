"""What can be done with the listings: names in C++, links, and saving what is shown."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QApplication

from jitstudio.core.code import Artifact, CodeKind
from jitstudio.gui.context import Context
from jitstudio.gui.features.ptx_sass.columns import ColumnsController
from jitstudio.gui.features.ptx_sass.disassembly import DisassemblyController
from jitstudio.gui.features.ptx_sass.filters import FiltersController
from jitstudio.gui.features.ptx_sass.pressure import PressureController
from jitstudio.gui.kit.background import Background
from jitstudio.gui.kit.dialogs import Dialogs
from jitstudio.gui.listing.output_pane import OutputPane
from jitstudio.gui.shell.context_menus import OF_LISTINGS
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.current_disassembly import CurrentDisassembly
from jitstudio.gui.state.document_files import write_file
from jitstudio.gui.state.lowered_names import LoweredNames
from jitstudio.gui.state.outputs import Outputs
from jitstudio.gui.state.preferences import Preferences
from jitstudio.gui.state.settings_table import DEMANGLE


def install(context: Context) -> None:
    """Ties PTX and SASS, which all features share, to what a build makes."""
    state, shell = context.state, context.shell
    FiltersController(context.listings, state.preferences, shell)
    ListingsController(
        state.outputs,
        state.preferences,
        state.lowered_names,
        state.disassembly,
        context.listings,
        shell,
    )
    DisassemblyController(state.disassembly, context.listings, shell)
    columns = ColumnsController(state.disassembly, state.preferences, context.listings, shell)
    PressureController(
        state.disassembly,
        state.correlations,
        state.preferences,
        state.documents,
        context.editors,
        columns,
        context.listings[CodeKind.SASS],
        shell,
    )
    for pane in context.listings.values():
        shell.stale_marks.add(pane.code_view, partial(getattr, pane, "is_old"))
        pane.listing_changed.connect(shell.stale_marks.update)
        shell.context_menus.add_to_text(pane.code_view.menu_opening, OF_LISTINGS)


class ListingsController(QObject):
    """Serves the panes of PTX and SASS."""

    def __init__(
        self,
        outputs: Outputs,
        preferences: Preferences,
        lowered_names: LoweredNames,
        disassembly: CurrentDisassembly,
        listings: Mapping[CodeKind, OutputPane],
        shell: Shell,
    ) -> None:
        super().__init__(shell.window)
        actions = shell.actions
        self._shell = shell
        self._listings = listings
        self._outputs = outputs
        self._preferences = preferences
        self._dialogs = Dialogs(shell.window)
        self._folder = Path.cwd()
        self._names = lowered_names
        self._saving = Background(self)
        self._demangle = actions["demangleAction"]
        self._names.learnt.connect(self._on_learnt)
        self._saving.done.connect(shell.status.show_message)
        self._saving.failed.connect(shell.notices.show_message)
        self._preferences.changed.connect(self._on_preference_changed)
        for pane in listings.values():
            pane.code.names_wanted.connect(self._on_names_wanted)
            pane.save_requested.connect(self._on_save_requested)
        self._on_preference_changed(DEMANGLE)
        self._disassembly = disassembly
        self._disassembly.kernel_changed.connect(self._on_kernels_changed)
        self._outputs.result_changed.connect(self._on_kernels_changed)
        self._on_kernels_changed()
        actions.bind(
            {
                "followAction": self._on_follow,
                "saveListingAction": self._on_save,
                "demangleAction": self._on_demangle,
            }
        )

    def _pane_with_keyboard(self) -> OutputPane | None:
        focus = QApplication.focusWidget()
        panes = self._listings.values()
        return next((p for p in panes if focus is not None and p.isAncestorOf(focus)), None)

    @Slot()
    def _on_follow(self) -> None:
        pane = self._pane_with_keyboard()
        if pane is None:
            self._shell.status.show_message(
                self.tr("Links are followed in PTX and SASS: go there first")
            )
        else:
            pane.code_view.links.follow()

    @Slot(bool)
    def _on_demangle(self, on: bool) -> None:
        self._preferences.set_value(DEMANGLE, on)

    @Slot(str)
    def _on_preference_changed(self, key: str) -> None:
        if key == DEMANGLE:
            on = bool(self._preferences.value(DEMANGLE))
            self._demangle.setChecked(on)
            for pane in self._listings.values():
                pane.code.set_demangled(on)

    @Slot()
    def _on_kernels_changed(self) -> None:
        """Lets new listings begin with the kernel that is looked at, or the first of the source."""
        result = self._outputs.result
        named = [kernel.name for kernel in result.kernels] if result is not None else []
        for pane in self._listings.values():
            pane.begin_with((self._disassembly.kernel, *named))

    @Slot(frozenset)
    def _on_names_wanted(self, names: frozenset[str]) -> None:
        self._names.want(names)
        self._on_learnt()

    @Slot()
    def _on_learnt(self) -> None:
        for pane in self._listings.values():
            pane.code.learn(self._names.known)

    @Slot()
    def _on_save(self) -> None:
        panes = [*self._listings.values()]
        seen = next((pane for pane in panes if pane.isVisible()), panes[0])
        pane = self._pane_with_keyboard() or seen
        self._save(pane, pane.kind)

    @Slot(CodeKind)
    def _on_save_requested(self, kind: CodeKind) -> None:
        pane = self.sender()
        assert isinstance(pane, OutputPane)
        self._save(pane, kind)

    def _save(self, pane: OutputPane, kind: CodeKind) -> None:
        artifact = self._artifact(pane, kind)
        if artifact is None:
            message = self.tr("There is no {kind} to save: build something that makes one first.")
            self._shell.notices.show_message(message.format(kind=kind.title))
            return
        path = self._dialogs.file_to_save(self._folder / artifact.file_name)
        if path is None:
            return
        self._folder = path.parent
        said = self.tr("{kind} written to {path}").format(kind=kind.title, path=path)
        self._saving.start(lambda _stop: _write(path, artifact, said))

    def _artifact(self, pane: OutputPane, kind: CodeKind) -> Artifact | None:
        """Returns what the tools wrote, whose names are never those in C++."""
        listing = pane.listing
        if listing is None:
            return None
        good = self._outputs.good
        result = good.result if good is not None else None
        if kind is pane.kind and not self._outputs.is_good(listing):
            result = self._outputs.result
        return result.artifact(kind, listing.name) if result is not None else None


def _write(path: Path, artifact: Artifact, said: str) -> str:
    write_file(path, artifact.content)
    return said
