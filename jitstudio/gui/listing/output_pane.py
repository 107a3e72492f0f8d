"""A kind of generated code, PTX or SASS, of a module or of the link."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import PurePath
from threading import Event

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from jitstudio.core.code import CodeKind
from jitstudio.gui.code.languages import LANGUAGES
from jitstudio.gui.kit.background import Background, Paced
from jitstudio.gui.listing.columns.columns import Columns
from jitstudio.gui.listing.hints import output_hint
from jitstudio.gui.listing.listing_pane import ListingPane
from jitstudio.gui.listing.listing_view import ListingView
from jitstudio.gui.listing.output_exports import OutputExports
from jitstudio.gui.listing.output_header import (
    ColumnsButton,
    FilterButton,
    HiddenLines,
    OutputHeader,
)
from jitstudio.gui.state.outputs import Output
from jitstudio.listing.code_links import CodeLink, CodeText, Place, link_at
from jitstudio.listing.functions import first_instruction, function_at, functions
from jitstudio.listing.kernel_names import DemangledListing, lowered_names, meanings

# Such a listing is spelt within milliseconds, before anything is painted.
_AT_ONCE = 20_000


@dataclass(frozen=True)
class _ReadCode:
    code: CodeText
    names: frozenset[str]


class ListingCode(QObject):
    """Parses a listing in the background, and spells names as demanded.

    Attributes:
        code: The lines with their functions; those are not known before `read`.
        spelling: The lines to show.

    Signals:
        read: The functions are known.
        names_wanted: These lowered names are wanted demangled; see `learn`.
        spelt: The lines shall be shown in another spelling.
    """

    read = Signal()
    names_wanted = Signal(frozenset)
    spelt = Signal()

    def __init__(self, kind: CodeKind, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.code = CodeText(kind, ())
        self.spelling = DemangledListing.plain(())
        # Those of the listing; None until it is read.
        self._names: frozenset[str] | None = None
        self._known: Mapping[str, str] = {}
        # What is shown in place of them, or will be once the lines are spelt.
        self._shown: Mapping[str, str] = {}
        self._is_demangled = False
        self._reading = Background(self)
        self._spelling = Background(self)
        self._reading.done.connect(self._on_read)
        self._spelling.done.connect(self._on_spelt)

    @property
    def is_reading(self) -> bool:
        """Whether the functions will be known soon."""
        return self._reading.is_busy

    def set_lines(self, lines: Sequence[str], more: frozenset[str] = frozenset()) -> None:
        """Parses another listing; where the names are known, the spelling is right at once.

        Args:
            lines: The listing.
            more: Names that it lacks, and that are to be shown with it.
        """
        self._spelling.stop()
        self.code = CodeText(self.code.kind, lines)
        self.spelling = DemangledListing.plain(lines)
        self._names, self._shown = None, {}
        if self._is_demangled and len(lines) <= _AT_ONCE:
            names = lowered_names(lines) | more
            if names <= self._known.keys():
                self._names, self._shown = names, meanings(names, self._known)
                self.spelling = DemangledListing.of(lines, self._shown)
        self._reading.start(partial(_read, self.code, more))

    def set_demangled(self, on: bool) -> None:
        """Shows names demangled, or as the tools wrote the names."""
        self._is_demangled = on
        if on:
            self._want_names()
        else:
            self._spelling.stop()
            self._shown = {}
            self._on_spelt(DemangledListing.plain(self.code.lines))

    def learn(self, known: Mapping[str, str]) -> None:
        """Spells the names anew, if they are wanted demangled and all are known now."""
        self._known = known
        if not self._is_demangled or self._names is None or not self._names <= known.keys():
            return
        shown, lines = meanings(self._names, known), self.code.lines
        if shown != self._shown:
            self._shown = shown
            self._spelling.start(lambda _stop: DemangledListing.of(lines, shown))

    def link_at(self, place: Place) -> CodeLink | None:
        """Returns the link at a place of the lines that are shown."""
        line, column = place
        spelling = self.spelling
        link = link_at(self.code, (line, spelling.to_lowered(line, column)))
        if link is None:
            return None
        there, at = link.target
        start, end = (spelling.to_shown(line, edge) for edge in link.span)
        return CodeLink(line, (start, end), (there, spelling.to_shown(there, at)))

    def _want_names(self) -> None:
        if self._names:
            self.names_wanted.emit(self._names)

    @Slot(object)
    def _on_read(self, reading: _ReadCode) -> None:
        self.code, self._names = reading.code, reading.names
        self.read.emit()
        if self._is_demangled:
            self._want_names()

    @Slot(object)
    def _on_spelt(self, spelling: DemangledListing) -> None:
        self.spelling = spelling
        self.spelt.emit()


def _read(code: CodeText, more: frozenset[str], stop: Event) -> _ReadCode:
    lines = Paced(code.lines, stop)
    parsed = functions(code.kind, lines)
    return _ReadCode(CodeText(code.kind, code.lines, parsed), lowered_names(lines) | more)


class OutputPane(ListingPane):
    """Shows PTX or SASS; see `ListingPane`.

    Attributes:
        header: Names the shown listing.
        code: The functions and names in the listing.
        columns: The columns of the instructions.

    Signals:
        function_wanted: Another function shall be listed, by its lowered name; all if it is empty.
    """

    function_wanted = Signal(str)

    def __init__(self, kind: CodeKind, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__(kind, object_name, parent)
        self._wanted_kernel = ""
        # Where the caret was put in a new listing, and the kernels to begin with.
        self._begun: int | None = None
        self._kernels: Sequence[str] = ()
        self._cover: ListingView | None = None
        self.code = ListingCode(kind, self)
        self.header = OutputHeader(kind)
        self.columns = Columns(self.code_view, kind)
        filters = FilterButton(kind, self.code_view.visibility)
        self.header.add_tool(filters, "filter")
        self._hidden = HiddenLines(kind, self.code_view.visibility)
        self.header.add_note(self._hidden)
        self._exports = OutputExports(kind, self.code_view)
        columns = ColumnsButton(self.columns)
        self.header.add_tool(columns, "columns")
        self._listing_tools = (filters, columns)
        self._exports.offer_columns(self.columns.copied)
        self.header.add_tool(self._exports.copy_button, "copy")
        self.header.add_tool(self._exports.save_button, "save")
        # The palette has what a pane offers.
        self.addActions([*filters.commands, *self._exports.commands])
        self._lay_out()
        self._connect()
        self.show_output(Output())

    def show_output(self, output: Output) -> None:
        """Shows another output; the chosen module stays chosen where still present."""
        self._output = output
        self.header.show_modules([listing.name for listing in output.listings])
        self._show_chosen()

    def choose(self, name: str) -> None:
        """Shows the listing of a module, if present."""
        self.header.choose(name)

    def go_to(self, name: str, line: int) -> bool:
        """Goes to a line of the listing of a module; returns whether there is a listing.

        Args:
            name: The assembler's name of the module: the module's name, or that of the file of this
                kind.
            line: Counted from 1.
        """
        stem = name.removesuffix(self._kind.ending)
        for listing in self._output.listings:
            if listing.name == name or PurePath(listing.name).stem == stem:
                self.choose(listing.name)
                self.code_view.go_to(line)
                return True
        return False

    def go_to_kernel(self, module: str, name: str) -> None:
        """Shows the beginning of a kernel, as soon as the functions of the module are known."""
        self.choose(module)
        self._wanted_kernel = name
        self._begun = None
        self._seek_kernel()

    def begin_with(self, kernels: Sequence[str]) -> None:
        """Shows, in a new listing, the first kernel of `kernels` that is present."""
        if kernels != self._kernels:
            self._kernels = kernels
            self._begin()

    def insert_above(self, strip: QWidget) -> None:
        """Puts a strip between the header and the listing."""
        self._column.insertWidget(1, strip)

    def add_cover(self, view: ListingView) -> None:
        """Adds a view that can be shown in place of the listing."""
        self._cover = view
        view.hide()
        self._column.addWidget(view, 1)

    def show_cover(self, on: bool) -> None:
        """Shows the other view, or the listing again."""
        if self._cover is None:
            return
        front, back = (self._cover, self.code_view) if on else (self.code_view, self._cover)
        had_focus = back.hasFocus()
        back.hide()
        front.show()
        for tool in self._listing_tools:
            tool.setVisible(not on)
        self._hidden.set_covered(on)
        self.find_bar.set_target(front)
        self.setFocusProxy(front)
        if had_focus:
            front.setFocus()

    @Slot(object)
    def _connect(self) -> None:
        view, functions = self.code_view, self.header.functions
        self.header.module_chosen.connect(self._on_module_chosen)
        self._exports.reported.connect(self.reported)
        self._exports.save_requested.connect(self.save_requested)
        self.code.read.connect(self._on_read)
        self.code.spelt.connect(self._on_spelt)
        functions.line_requested.connect(self._on_line_requested)
        functions.function_wanted.connect(self.function_wanted)
        view.line_changed.connect(functions.follow)
        view.links.set_finder(self.code.link_at)
        view.links.missed.connect(self._on_link_missed)
        view.marks.set_scope(self._function_lines)
        view.marks.counted.connect(self.header.show_marked)

    def _lay_out(self) -> None:
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(self.find_bar)
        column.addWidget(self.code_view, 1)
        self.setFocusProxy(self.code_view)

    def _show_chosen(self) -> None:
        listings = self._output.listings
        if not listings:
            self._shown = None
            self.header.show_line_count(0)
            self.code_view.clear(output_hint(self._kind, self._output))
            self._read((), ())
            self.listing_changed.emit()
            return
        listing = listings[self.header.module_index]
        shown = self._shown
        keep = shown is not None and (shown.name, shown.function) == (
            listing.name,
            listing.function,
        )
        is_new = listing is not self._shown
        if is_new:
            lexer = LANGUAGES[self._kind].lexer
            self.code_view.set_lines(
                listing.lines, lexer, self._kind, keep_position=keep, extent=listing.extent
            )
            self._read(listing.lines, listing.functions)
            self._begun = None if keep else 0
        self._shown = listing
        self.header.show_line_count(len(listing.lines), len(listing.functions))
        if is_new:
            self.listing_changed.emit()

    def _read(self, lines: Sequence[str], functions: Sequence[str]) -> None:
        self._wanted_kernel = ""
        self._exports.set_available(bool(lines))
        self.code.set_lines(lines, frozenset(functions))
        if self.code.spelling.stand_ins:
            self._on_spelt()
        elif not lines:
            self._on_read()

    def _function_lines(self, line: int) -> range | None:
        function = function_at(self.code.code.functions, line)
        return range(function.line, function.end) if function is not None else None

    def _seek_kernel(self) -> None:
        lines = (f.line for f in self.code.code.functions if f.name == self._wanted_kernel)
        if (line := next(lines, None)) is not None:
            self._wanted_kernel = ""
            self.code_view.go_to(line + 1)

    def _begin(self) -> None:
        """Comes up at the first instruction of the kernel that matters, until the caret moves."""
        kernels = {f.name: f for f in self.code.code.functions if f.is_kernel and f.is_defined}
        caret = self.code_view.caret
        if not kernels or caret.line != self._begun or caret.has_selection:
            return
        named = (kernels[name] for name in self._kernels if name in kernels)
        kernel = next(named, next(iter(kernels.values())))
        self._begun = first_instruction(self._kind, self.code.code.lines, kernel)
        self.code_view.come_up(kernel.line, self._begun)

    @Slot()
    def _on_read(self) -> None:
        self._seek_kernel()
        self._begin()
        functions = self.header.functions
        every = self._shown.functions if self._shown is not None else ()
        functions.show_functions(self.code.code.functions, self.code.spelling, every)
        functions.follow(self.code_view.line)
        self.code_view.marks.set_scope(self._function_lines)

    @Slot()
    def _on_spelt(self) -> None:
        self.code_view.respell(self.code.spelling.lines, self.code.spelling.stand_ins)
        if self.code.code.functions:
            self._on_read()

    @Slot(int)
    def _on_line_requested(self, line: int) -> None:
        self.code_view.go_to(line)
        self.code_view.setFocus()

    @Slot()
    def _on_link_missed(self) -> None:
        self.reported.emit(
            self.tr("There is nothing to follow here: no label, function or register")
        )

    @Slot()
    def _on_module_chosen(self) -> None:
        self._show_chosen()
