"""Keeps the link view and the documents in step."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from jitstudio.core.request import LinkMode
from jitstudio.core.result import BuildResult
from jitstudio.gui.models.modules import ModuleRow
from jitstudio.gui.state.documents import Document, takes_part_alone
from jitstudio.gui.widgets.link_view import LinkView
from jitstudio.gui.workspace import Workspace


class LinkPresenter(QObject):
    """Shows the documents as modules, and does to them what the user does to the rows."""

    def __init__(self, workspace: Workspace, view: LinkView) -> None:
        super().__init__(view)
        self._documents = workspace.documents
        self._settings = workspace.settings
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
        rows = (ModuleRow(id(d), d.name, d.kind, d.included) for d in self._linkable())
        self._view.set_modules(tuple(rows))

    @Slot(object)
    def _on_result_changed(self, result: BuildResult | None) -> None:
        self._view.show_result(result if self._settings.link is not LinkMode.NONE else None)

    @Slot(LinkMode)
    def _on_link_mode_chosen(self, mode: LinkMode) -> None:
        self._settings.link = mode

    @Slot(object, bool)
    def _on_inclusion_changed(self, key: int, included: bool) -> None:
        for document in self._documents:
            if id(document) == key:
                document.included = included

    @Slot(tuple)
    def _on_order_changed(self, keys: tuple[int, ...]) -> None:
        modules = {id(document): document for document in self._linkable()}
        in_order = iter([modules[key] for key in keys if key in modules])
        # Headers keep their places; the modules change places among themselves.
        self._documents.reorder(
            [next(in_order) if id(d) in modules else d for d in self._documents]
        )
