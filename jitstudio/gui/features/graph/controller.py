"""Keeps the control-flow graph in step with the listings; blocks lead to the text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Event
from typing import NamedTuple

from PySide6.QtCore import QObject, Slot

from jitstudio.analysis.diagrams.captions import TextMetrics
from jitstudio.analysis.diagrams.flow_svg import svg
from jitstudio.analysis.sass.model import SassFunction
from jitstudio.core.code import CodeKind
from jitstudio.gui.context import Context
from jitstudio.gui.features.graph.model import GraphPicture, ptx_picture, sass_picture
from jitstudio.gui.features.graph.scene import SVG_FONT, look_of
from jitstudio.gui.features.graph.view import GraphView
from jitstudio.gui.kit.background import Background
from jitstudio.gui.kit.dialogs import Dialogs
from jitstudio.gui.kit.lazy_widget import Visibility
from jitstudio.gui.kit.theme import current_theme
from jitstudio.gui.listing.hints import output_hint
from jitstudio.gui.listing.kernel_pane import KernelCode, KernelReader
from jitstudio.gui.listing.output_pane import OutputPane
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.current_disassembly import CurrentDisassembly
from jitstudio.gui.state.document_files import write_file
from jitstudio.listing.functions import Function
from jitstudio.listing.kernel_names import spelled
from jitstudio.listing.lines import NOWHERE
from jitstudio.system.paths import home_folder


class _Look(NamedTuple):
    """The letters and the names of a picture.

    Attributes:
        letters: The room that the text in blocks takes.
        names: Shown in place of lowered ones: they come after the code.
    """

    letters: TextMetrics
    names: Mapping[str, str]

    def spell(self, text: str) -> str:
        """Returns a name, or a text with names, as shown."""
        return spelled(text, self.names)


class _PtxKey(NamedTuple):
    """The inputs of a picture of PTX: the lines, the same object as long as current, and others."""

    lines: Sequence[str]
    function: str
    look: _Look


def install(context: Context) -> None:
    """Makes the pane "Graph"."""
    state, shell = context.state, context.shell
    view = GraphView(parent=shell.layout.place("graph"))
    shell.layout.fill("graph", view)
    GraphController(view, state.disassembly, context.listings, shell)
    shell.stale_marks.add(view, lambda: context.listings[view.kind].is_old)
    view.kind_chosen.connect(shell.stale_marks.update)
    shell.context_menus.add_to_picture(view)


class GraphController(QObject):
    """Ties the Graph pane to the panes of PTX and SASS."""

    def __init__(
        self,
        view: GraphView,
        disassembly: CurrentDisassembly,
        listings: Mapping[CodeKind, OutputPane],
        shell: Shell,
        dialogs: Dialogs | None = None,
    ) -> None:
        super().__init__(view)
        self._shell = shell
        self._listings = listings
        self._disassembly = disassembly
        self._view = view
        self._dialogs = dialogs or Dialogs(view)
        self._kind = CodeKind.SASS
        # A kernel that was chosen in the PTX, of which there may be no machine code.
        self._ptx_kernel = ""
        self._shown_ptx: _PtxKey | None = None
        self._folder = home_folder()
        self._drawing = Background(self)
        self._drawing.done.connect(view.show_reading)
        self._drawing.failed.connect(view.show_hint)
        self._saving = Background(self)
        self._saving.done.connect(shell.status.show_message)
        self._saving.failed.connect(shell.notices.show_message)
        disassembly.kernel_changed.connect(self._on_kernel_changed)
        ptx = listings[CodeKind.PTX].code
        ptx.read.connect(self._update_ptx)
        ptx.spelt.connect(self._update_ptx)
        for pane in listings.values():
            pane.code_view.line_changed.connect(self._mark_caret)
        view.kind_chosen.connect(self._on_kind_chosen)
        view.kernel_chosen.connect(self._on_kernel_chosen)
        view.drawn.connect(self._mark_caret)
        view.canvas.block_chosen.connect(self._go_to)
        view.canvas.block_clicked.connect(self._on_block_clicked)
        view.canvas.block_activated.connect(self._on_block_activated)
        view.picture_requested.connect(self._on_export)
        shell.actions.bind({"exportGraphAction": self._on_export})
        sass = listings[CodeKind.SASS]
        self._reader = KernelReader(view, disassembly, sass, _draw_sass, self._look_of_sass)
        Visibility(view, self, self._on_visibility_changed)

    @Slot(bool)
    def _on_visibility_changed(self, _visible: bool) -> None:
        self._update_ptx()
        # Meanwhile the caret may have moved.
        self._mark_caret()

    def _look_of_sass(self, _function: SassFunction) -> _Look:
        return self._look(CodeKind.SASS)

    def _look(self, kind: CodeKind) -> _Look:
        names = self._listings[kind].code.spelling.names
        return _Look(self._view.canvas.letters, names)

    @Slot()
    def _update_ptx(self) -> None:
        """Draws the graph of the current function of the PTX, unless shown or out of sight."""
        if self._kind is not CodeKind.PTX or not self._view.isVisible():
            return
        pane = self._listings[CodeKind.PTX]
        code = pane.code.code
        functions = [function for function in code.functions if function.is_defined]
        function = self._ptx_function(functions)
        if function is None:
            self._forget_ptx()
            self._view.show_hint(self._why_no_ptx(pane))
            return
        look = self._look(CodeKind.PTX)
        names = tuple((defined.name, look.spell(defined.name)) for defined in functions)
        self._view.show_kernels(names, function.name)
        key, before = _PtxKey(code.lines, function.name, look), self._shown_ptx
        if before is None or before.lines is not key.lines or before[1:] != key[1:]:
            self._shown_ptx = key

            def draw(_stop: Event) -> GraphPicture:
                return ptx_picture(code.lines, function, look.letters, look.spell)

            self._drawing.start(draw)

    def _forget_ptx(self) -> None:
        self._shown_ptx = None
        self._drawing.stop()

    def _why_no_ptx(self, pane: OutputPane) -> str:
        if pane.listing is None:
            return output_hint(pane.kind, pane.output)
        if pane.code.is_reading:
            return self.tr("Reading the PTX…")
        return self.tr("This PTX defines no function: there is no flow to draw.")

    def _ptx_function(self, functions: list[Function]) -> Function | None:
        """Returns the function chosen here or in another pane, or the first kernel."""
        for name in (self._ptx_kernel, self._disassembly.kernel):
            if chosen := next((function for function in functions if function.name == name), None):
                return chosen
        return min(functions, key=lambda function: not function.is_kernel, default=None)

    @Slot(str)
    def _on_kernel_changed(self, _name: str) -> None:
        self._ptx_kernel = ""
        self._update_ptx()

    @Slot(CodeKind)
    def _on_kind_chosen(self, kind: CodeKind) -> None:
        self._kind = kind
        self._forget_ptx()
        self._reader.set_on(kind is CodeKind.SASS)
        self._update_ptx()

    @Slot(str)
    def _on_kernel_chosen(self, name: str) -> None:
        if self._kind is CodeKind.PTX:
            self._ptx_kernel = name
        self._update_ptx()

    @Slot()
    def _mark_caret(self) -> None:
        """Marks the block with the caret, if the caret is in the function of the graph."""
        picture = self._view.canvas.picture
        if picture is None or not self._view.isVisible():
            return
        line = self._listings[picture.kind].code_view.line - 1
        position: int | None = line
        if picture.kind is CodeKind.SASS:
            position = self._instruction(line, picture)
        block = picture.graph.block_at(position) if position is not None else None
        if block is not None:
            self._view.canvas.mark(block.id)

    def _instruction(self, line: int, picture: GraphPicture) -> int | None:
        inspection = self._disassembly.current
        spot = inspection.rows.spot(line) if inspection is not None else None
        return spot.index if spot and spot.function.name == picture.graph.name else None

    @Slot(int)
    def _on_block_clicked(self, block: int) -> None:
        self._go_to(block)
        picture = self._view.canvas.picture
        if picture is not None:
            self._shell.layout.uncover_beside(self._listings[picture.kind], self._view)

    @Slot(int)
    def _on_block_activated(self, block: int) -> None:
        self._go_to(block)
        picture = self._view.canvas.picture
        if picture is not None:
            self._shell.layout.uncover_beside(self._listings[picture.kind], self._view)
            self._shell.layout.bring_up(self._listings[picture.kind])

    @Slot(int)
    def _go_to(self, block: int) -> None:
        """Brings the caret of the text to a block; the keyboard stays here."""
        picture = self._view.canvas.picture
        line = self._line_of(picture, block) if picture is not None else NOWHERE
        if picture is not None and line != NOWHERE:
            pane = self._listings[picture.kind]
            pane.code_view.go_to(line + 1)

    def _line_of(self, picture: GraphPicture, block: int) -> int:
        if self._drawing.is_busy or self._reader.is_busy:
            # Of the code before: what is known now is of another one.
            return NOWHERE
        start = picture.graph.blocks[block].start
        if picture.kind is CodeKind.PTX:
            return start
        function = self._sass_function(picture)
        inspection = self._disassembly.current
        return inspection.rows.line(function, start) if inspection and function else NOWHERE

    def _sass_function(self, picture: GraphPicture) -> SassFunction | None:
        inspection = self._disassembly.current
        return inspection.code.function(picture.graph.name) if inspection is not None else None

    @Slot()
    def _on_export(self) -> None:
        picture = self._view.canvas.picture
        if picture is None:
            self._shell.notices.show_message(
                self.tr("There is no graph to save: open the Graph pane on a kernel first.")
            )
            return
        proposed = self._folder / f"{_file_name(picture)}.svg"
        if (path := self._dialogs.file_to_save(proposed)) is not None:
            self._folder = path.parent
            self._save(picture, path)

    def _save(self, picture: GraphPicture, path: Path) -> None:
        said = self.tr("Saved {path}").format(path=path)

        def write(_stop: Event) -> str:
            parts = (picture.graph, picture.layout, picture.captions, picture.letters)
            write_file(path, svg(*parts, look_of(current_theme()).svg, SVG_FONT).encode())
            return said

        self._saving.start(write)


def _draw_sass(code: KernelCode, _stop: Event) -> GraphPicture:
    look: _Look = code.more
    return sass_picture(code.function, look.letters, look.spell)


def _file_name(picture: GraphPicture) -> str:
    """Returns a file name for the picture; a name in C++ can be too long for a file."""
    return f"{picture.graph.name[:100]}.{picture.kind.value}"
