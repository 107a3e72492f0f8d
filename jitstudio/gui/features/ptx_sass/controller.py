"""What can be done with the listings: names in words, links, and saving what is shown."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QApplication, QWidget

from jitstudio.core.code import Artifact, CodeKind
from jitstudio.gui.kit.background import Background
from jitstudio.gui.kit.dialogs import Dialogs
from jitstudio.gui.listing.output_pane import OutputPane
from jitstudio.gui.shell.commands.actions import Actions
from jitstudio.gui.state.files import write_file
from jitstudio.gui.state.settings_table import DEMANGLE
from jitstudio.gui.state.workspace import Workspace
from jitstudio.gui.window.panes import Panes


class ListingsController(QObject):
    """Serves the panes of PTX and SASS."""

    def __init__(
        self, workspace: Workspace, panes: Panes, actions: Actions, window: QWidget
    ) -> None:
        super().__init__(window)
        self._outputs = workspace.outputs
        self._preferences = workspace.preferences
        self._panes = panes
        self._dialogs = Dialogs(window)
        self._folder = Path.cwd()
        self._names = workspace.lowered_names
        self._saving = Background(self)
        self._demangle = actions["demangleAction"]
        self._names.learnt.connect(self._on_learnt)
        self._saving.done.connect(panes.status.tell)
        self._saving.failed.connect(panes.notice.tell)
        self._preferences.changed.connect(self._on_preference_changed)
        for pane in panes.outputs.values():
            pane.code.names_wanted.connect(self._on_names_wanted)
            pane.save_requested.connect(self._on_save_requested)
        self._on_preference_changed(DEMANGLE)
        self._inspections = workspace.inspections
        self._inspections.kernel_changed.connect(self._on_kernels_changed)
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
        panes = self._panes.outputs.values()
        return next((p for p in panes if focus is not None and p.isAncestorOf(focus)), None)

    @Slot()
    def _on_follow(self) -> None:
        pane = self._pane_with_keyboard()
        if pane is None:
            self._panes.status.tell(self.tr("Links are followed in PTX and SASS: go there first"))
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
            for pane in self._panes.outputs.values():
                pane.code.set_demangled(on)

    @Slot()
    def _on_kernels_changed(self) -> None:
        """Let new listings begin with the kernel that is looked at, or the first of the source."""
        result = self._outputs.result
        named = [kernel.name for kernel in result.kernels] if result is not None else []
        for pane in self._panes.outputs.values():
            pane.begin_with((self._inspections.kernel, *named))

    @Slot(frozenset)
    def _on_names_wanted(self, names: frozenset[str]) -> None:
        self._names.want(names)
        self._on_learnt()

    @Slot()
    def _on_learnt(self) -> None:
        for pane in self._panes.outputs.values():
            pane.code.learn(self._names.known)

    @Slot()
    def _on_save(self) -> None:
        panes = [*self._panes.outputs.values()]
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
            told = self.tr("There is no {kind} to save: build something that makes one first.")
            self._panes.notice.tell(told.format(kind=kind.title))
            return
        path = self._dialogs.file_to_save(self._folder / artifact.file_name)
        if path is None:
            return
        self._folder = path.parent
        said = self.tr("{kind} written to {path}").format(kind=kind.title, path=path)
        self._saving.start(lambda _stop: _write(path, artifact, said))

    def _artifact(self, pane: OutputPane, kind: CodeKind) -> Artifact | None:
        """What the tools wrote; the names in it are never those in words."""
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
