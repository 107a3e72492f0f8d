"""Keeps the link view and the documents in step."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from jitstudio.core.code import LINKED
from jitstudio.core.request import LinkMode
from jitstudio.core.result import BuildResult
from jitstudio.gui.features.link.model import ModuleRow
from jitstudio.gui.features.link.view import LinkView
from jitstudio.gui.state.documents import Document, takes_part_alone
from jitstudio.gui.state.workspace import Workspace


class LinkController(QObject):
    """Shows the documents as modules, and does to them what the user does to the rows."""

    def __init__(self, workspace: Workspace, view: LinkView) -> None:
        super().__init__(view)
        self._documents = workspace.documents
        self._settings = workspace.settings
        self._workspace = workspace
        self._view = view
        for signal in (
            self._documents.added,
            self._documents.removed,
            self._documents.moved,
            self._documents.edited,
            self._documents.changed,
        ):
            signal.connect(self._on_documents_changed)
        self._settings.link_changed.connect(view.set_link_mode)
        workspace.build_controller.module_changed.connect(self._on_documents_changed)
        workspace.outputs.result_changed.connect(self._on_result_changed)
        view.link_mode_changed.connect(self._on_link_mode_chosen)
        view.inclusion_changed.connect(self._on_inclusion_changed)
        view.order_changed.connect(self._on_order_changed)
        view.set_link_mode(self._settings.link)
        self._on_documents_changed()

    def _linkable(self) -> list[Document]:
        return [document for document in self._documents if takes_part_alone(document)]

    @Slot()
    def _on_documents_changed(self) -> None:
        program = self._settings.program
        rows = (
            ModuleRow(id(d), d.name, d.kind, d.included and d.program == program)
            for d in self._linkable()
        )
        self._view.set_modules(tuple(rows))

    @Slot()
    def _on_result_changed(self) -> None:
        self._view.show_result(shown_link(self._workspace))

    @Slot(LinkMode)
    def _on_link_mode_chosen(self, mode: LinkMode) -> None:
        self._settings.link = mode

    @Slot(object, bool)
    def _on_inclusion_changed(self, key: int, included: bool) -> None:
        for document in self._documents:
            if id(document) == key:
                if included:
                    document.program = self._settings.program
                document.included = included

    @Slot(tuple)
    def _on_order_changed(self, keys: tuple[int, ...]) -> None:
        modules = {id(document): document for document in self._linkable()}
        in_order = iter([modules[key] for key in keys if key in modules])
        # Headers keep their places; the modules change places among themselves.
        self._documents.reorder(
            [next(in_order) if id(d) in modules else d for d in self._documents]
        )


def shown_link(workspace: Workspace) -> BuildResult | None:
    """The build whose link is shown: the newest that came as far as one; None without a link."""
    if workspace.settings.link is LinkMode.NONE:
        return None
    newest = workspace.outputs.result
    has_linked = newest is not None and any(stage.source == LINKED for stage in newest.stages)
    return newest if has_linked else workspace.outputs.figures
