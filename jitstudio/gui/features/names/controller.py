"""Keeps the view of lowered names and the current module in step."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from jitstudio.core.code import CodeKind
from jitstudio.core.result import BuildResult
from jitstudio.gui.context import Context
from jitstudio.gui.features.names.view import NOT_CUDA, NamesView
from jitstudio.gui.state.build_controller import BuildController
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.outputs import Outputs


def install(context: Context) -> None:
    """Makes the pane "Lowered names"."""
    state, shell = context.state, context.shell
    view = NamesView(parent=shell.layout.place("names"))
    shell.layout.fill("names", view)
    NamesController(state.build_controller, state.outputs, state.documents, view)
    outputs = state.outputs
    shell.stale_marks.add(
        view, lambda: outputs.is_behind and shown_names(outputs) is outputs.shown_result
    )
    shell.context_menus.add_to_tables(view)


class NamesController(QObject):
    """Shows the name expressions of the module that is looked at."""

    def __init__(
        self,
        build_controller: BuildController,
        outputs: Outputs,
        documents: Documents,
        view: NamesView,
    ) -> None:
        super().__init__(view)
        self._build_controller = build_controller
        self._outputs = outputs
        self._view = view
        self._shown: tuple[object, ...] = ()
        build_controller.module_changed.connect(self._on_module_changed)
        documents.edited.connect(self._on_document_changed)
        documents.changed.connect(self._on_document_changed)
        outputs.result_changed.connect(self._on_result_changed)
        view.expressions_edited.connect(self._on_expressions_edited)
        self._on_module_changed()

    @Slot()
    def _on_module_changed(self) -> None:
        module = self._build_controller.module
        if module is None:
            shown: tuple[str, tuple[str, ...], bool] = ("", (), False)
        else:
            shown = (module.name, module.name_expressions, module.kind is CodeKind.CUDA)
        if shown != self._shown:
            self._shown = shown
            self._view.show_source(*shown, NOT_CUDA if module is not None else "")
            self._on_result_changed()

    @Slot(Document)
    def _on_document_changed(self, document: Document) -> None:
        if document is self._build_controller.module:
            self._on_module_changed()

    @Slot()
    def _on_result_changed(self) -> None:
        names, figures = shown_names(self._outputs), self._outputs.shown_result
        self._view.show_result(
            names.lowered_names if names is not None else (),
            figures.kernels if figures is not None else (),
        )

    @Slot(tuple)
    def _on_expressions_edited(self, expressions: tuple[str, ...]) -> None:
        if self._build_controller.module is not None:
            self._build_controller.module.name_expressions = expressions


def shown_names(outputs: Outputs) -> BuildResult | None:
    """Returns the build whose names are shown: the newest that has lowered any."""
    newest = outputs.result
    return newest if newest is not None and newest.lowered_names else outputs.shown_result
