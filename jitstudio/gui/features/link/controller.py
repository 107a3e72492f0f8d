"""Keeps the link view and the documents in step."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Slot

from jitstudio.core.code import LINKED, CodeKind
from jitstudio.core.request import LinkMode
from jitstudio.gui.context import Context
from jitstudio.gui.features.link.inlined import InlinedController, shown_link
from jitstudio.gui.features.link.model import ModuleRow
from jitstudio.gui.features.link.view import LinkView
from jitstudio.gui.files.file_commands import FileCommands
from jitstudio.gui.shell.navigation import ListingPlace
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.build_controller import BuildController
from jitstudio.gui.state.build_settings import BuildSettings
from jitstudio.gui.state.documents import Document, Documents, takes_part_alone
from jitstudio.gui.state.outputs import Outputs


def install(context: Context) -> None:
    """Makes the pane "Link"."""
    state, shell = context.state, context.shell
    view = LinkView(parent=shell.layout.place("link"))
    shell.layout.fill("link", view)
    LinkController(
        state.documents,
        state.settings,
        state.build_controller,
        state.outputs,
        view,
        context.files,
        shell,
    )
    InlinedController(state.lowered_names, state.outputs, state.settings, view.inlined)
    go_to, outputs, settings = context.navigator.go_to, state.outputs, state.settings
    view.linked_sass_requested.connect(partial(go_to, ListingPlace(CodeKind.SASS, LINKED)))
    view.inlined.fix_requested.connect(context.fixer.apply)
    view.inlined.location_activated.connect(context.navigator.go_to_source)
    view.inlined.ptx_line_activated.connect(
        lambda line: go_to(ListingPlace(CodeKind.PTX, LINKED, line))
    )
    view.comparison_requested.connect(shell.actions["compareLinksAction"].trigger)
    shell.stale_marks.add(
        view, lambda: outputs.is_behind and shown_link(settings, outputs) is outputs.shown_result
    )


class LinkController(QObject):
    """Shows the documents as modules, and applies the user's changes of rows to documents."""

    def __init__(
        self,
        documents: Documents,
        settings: BuildSettings,
        build_controller: BuildController,
        outputs: Outputs,
        view: LinkView,
        files: FileCommands,
        shell: Shell,
    ) -> None:
        super().__init__(view)
        self._documents = documents
        self._settings = settings
        self._outputs = outputs
        self._files = files
        self._layout = shell.layout
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
        build_controller.module_changed.connect(self._on_documents_changed)
        outputs.result_changed.connect(self._on_result_changed)
        view.files_requested.connect(self._on_files_requested)
        view.link_mode_changed.connect(self._on_link_mode_chosen)
        view.inclusion_changed.connect(self._on_inclusion_changed)
        view.order_changed.connect(self._on_order_changed)
        view.set_link_mode(self._settings.link)
        self._on_documents_changed()
        self._on_result_changed()

    def _linkable(self) -> list[Document]:
        return [document for document in self._documents if takes_part_alone(document)]

    @Slot()
    def _on_documents_changed(self) -> None:
        program = self._settings.program
        rows = tuple(
            ModuleRow(id(d), d.name, d.kind, d.included and d.program == program)
            for d in self._linkable()
        )
        self._view.set_modules(rows)

    @Slot()
    def _on_result_changed(self) -> None:
        self._view.show_result(shown_link(self._settings, self._outputs))

    @Slot()
    def _on_files_requested(self) -> None:
        """Opens files for the link; the pane keeps the keyboard."""
        self._files.open_to_link()
        self._layout.bring_up(self._view)

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
