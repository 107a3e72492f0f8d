"""Source, PTX and SASS in turn, in place of the listing in the pane of SASS."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from threading import Event

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QToolButton

from jitstudio.analysis.correlation.hues import PLAIN
from jitstudio.analysis.correlation.interleaved import (
    InterleavedLine,
    interleaved,
    source_blocks,
    source_text,
)
from jitstudio.analysis.sass.model import SassFunction, SourceLocation
from jitstudio.core.code import CodeKind
from jitstudio.gui.code.languages import LANGUAGES
from jitstudio.gui.code.line_marks import LineColours
from jitstudio.gui.kit.background import Background, Paced
from jitstudio.gui.kit.lazy_widget import Visibility
from jitstudio.gui.kit.parts import show_tip
from jitstudio.gui.kit.theme import TokenType
from jitstudio.gui.listing.listing_view import ListingView
from jitstudio.gui.listing.output_pane import OutputPane
from jitstudio.gui.shell.context_menus import OF_SASS
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.constant_namings import ConstantNamings, NamedListing
from jitstudio.gui.state.correlation import CorrelatedCode, Correlations, MatchedLines
from jitstudio.gui.state.current_disassembly import CurrentDisassembly
from jitstudio.gui.state.preferences import Preferences
from jitstudio.gui.state.settings_table import INTERLEAVED, RAW_SASS
from jitstudio.listing.lines import NOWHERE
from jitstudio.listing.sass import NameInPlace, TextExtent

# What is in front of a line tells the lexer its language.
_PTX, _SASS = "    ", "        "


@dataclass(frozen=True, eq=False)
class InterleavedText:
    """A function as source, PTX and SASS in turn.

    Attributes:
        tied: The correlation that it was made by.
        function: The function.
        origins: What each line is; of SASS the number is that of the line in the listing.
        lines: The lines as they are shown.
        names: What is drawn in place of constants.
        hues: The colour of each line.
        extent: How much room it takes.
    """

    tied: CorrelatedCode
    function: SassFunction
    origins: Sequence[InterleavedLine]
    lines: Sequence[str]
    names: Mapping[int, Sequence[NameInPlace]]
    hues: bytes
    extent: TextExtent

    @property
    def module(self) -> str:
        """The module of the PTX."""
        return self.tied.correlation.module_of(self.function)


def interleaved_text(
    tied: CorrelatedCode, function: SassFunction, named: NamedListing | None, stop: Event
) -> InterleavedText:
    """Returns a function as source, PTX and SASS in turn."""
    inspection, correlation = tied.inspection, tied.correlation
    rows, listed = inspection.rows.lines(function), inspection.listing.lines
    blocks = source_blocks(correlation, function, source_text(inspection.request))
    module = correlation.module_of(function)
    of_ptx = tied.hues.ptx.get(module, b"")
    origins: list[InterleavedLine] = []
    lines: list[str] = []
    names: dict[int, tuple[NameInPlace, ...]] = {}
    hues = bytearray()
    made = interleaved(blocks, tied.ptx.get(module, ()), lambda _index: "")
    for line in Paced(made, stop):
        hue, text = PLAIN, ""
        if line.kind is CodeKind.SASS:
            row = rows[line.number]
            if row == NOWHERE:
                continue
            line, text, hue = line._replace(number=row), _SASS + listed[row], tied.sass[row]
            if named is not None and row in named.names:
                indent = len(_SASS)
                names[len(lines)] = tuple(
                    NameInPlace(x.start + indent, x.end + indent, x.text) for x in named.names[row]
                )
        elif line.kind is CodeKind.PTX:
            text = _PTX + line.text.replace(" \t", " ").replace("\t", " ")
            hue = of_ptx[line.number - 1] if line.number <= len(of_ptx) else PLAIN
        elif line.place is not None:
            text = f"{PurePath(line.place.file).name}:{line.place.line}  {line.text.strip()}"
        else:
            text = "// -"
        origins.append(line)
        lines.append(text)
        hues.append(hue)
    # A line of the source has the colour of the code below it.
    for at in range(len(hues) - 2, -1, -1):
        if origins[at].kind is CodeKind.HEADER:
            hues[at] = hues[at + 1]
    extent = TextExtent.of(lines, None)
    return InterleavedText(tied, function, origins, lines, names, bytes(hues), extent)


class InterleavedLexer:
    """Lexes each line in the language that the indentation tells."""

    def lex_line(self, line: str, _state: int = 0) -> tuple[list[tuple[int, int, TokenType]], int]:
        """Returns the tokens; no line goes on with the line above."""
        kind = CodeKind.CUDA
        if line.startswith(_PTX):
            kind = CodeKind.SASS if line.startswith(_SASS) else CodeKind.PTX
        start = 0 if kind is not CodeKind.CUDA else line.find("  ") + 1
        lexer = LANGUAGES[kind].lexer
        tokens = lexer.lex_line(line[start:])[0] if lexer is not None else []
        return [(start + at, length, token) for at, length, token in tokens], 0


class InterleavedSide:
    """The view of source, PTX and SASS in turn, as a text of the correlation."""

    def __init__(self, correlations: Correlations) -> None:
        self._state = correlations
        self.view = ListingView()
        self.text: InterleavedText | None = None
        self._lines: dict[tuple[CodeKind, int], int] = {}
        self._of_place: dict[SourceLocation, int] = {}

    def show_text(self, text: InterleavedText | None, hint: str, *, keep: bool) -> None:
        """Shows a text, or why there is none."""
        self.text = text
        origins = text.origins if text is not None else ()
        self._lines = {(o.kind, o.number): at for at, o in enumerate(origins) if not o.place}
        self._of_place = {o.place: at for at, o in enumerate(origins) if o.place}
        if text is None:
            self.view.clear(hint)
        else:
            self.view.set_lines(
                text.lines, InterleavedLexer(), extent=text.extent, keep_position=keep
            )
            self.view.show_names(text.names)

    @property
    def _is_known(self) -> bool:
        return self.text is not None and self.text.tied is self._state.tied

    def hues(self) -> bytes:
        """Returns the colours of all lines."""
        return self.text.hues if self.text is not None and self._is_known else b""

    @property
    def line_colours(self) -> LineColours | None:
        """The line colours of the view."""
        return self.view.line_colours if self.view.isVisible() else None

    @property
    def line(self) -> int:
        """The line of the caret."""
        return self.view.line - 1

    @property
    def has_keyboard(self) -> bool:
        """Whether the user is in the view."""
        return self.view.hasFocus()

    def matches(self, line: int) -> MatchedLines:
        """Returns the matches of a line in source, PTX and SASS."""
        text = self.text
        if text is None or not self._is_known or not 0 <= line < len(text.origins):
            return MatchedLines()
        origin = text.origins[line]
        if origin.kind is CodeKind.SASS:
            return self._state.of_sass(origin.number)
        if origin.kind is CodeKind.PTX:
            return self._state.of_ptx(text.module, origin.number - 1)
        return self._state.of_place(origin.place) if origin.place else MatchedLines()

    def alike(self, line: int) -> Sequence[int]:
        """Returns the lines with the same source line, ascending."""
        return self.lines_in(self.matches(line))

    def lines_in(self, shown: MatchedLines) -> Sequence[int]:
        """Returns the matching lines, ascending."""
        if self.text is None or not self._is_known:
            return ()
        keys = [(CodeKind.SASS, row) for row in shown.sass]
        keys += [(CodeKind.PTX, row + 1) for row in shown.ptx.get(self.text.module, ())]
        places = (self._of_place.get(place) for place in shown.chain[:1])
        lines = {*map(self._lines.get, keys), *places} - {None}
        return sorted(line for line in lines if line is not None)

    def has(self, shown: MatchedLines) -> bool:
        """Returns whether there are any."""
        return bool(self.lines_in(shown))

    def show(self, line: int) -> None:
        """Scrolls to a line, only as far as necessary."""
        self.view.show_line(line)

    def go_to(self, _shown: MatchedLines) -> bool:
        """Stays: no jump leads here."""
        return False

    def step_to(self, line: int) -> None:
        """Goes to a line."""
        self.view.go_to(line + 1)

    def go_to_listed(self, row: int) -> None:
        """Goes to an instruction by the line in the listing, if shown here."""
        if (line := self._lines.get((CodeKind.SASS, row))) is not None:
            self.step_to(line)


class InterleavedController(QObject):
    """Shows source, PTX and SASS in turn where the listing of SASS is, as long as that is wanted.

    Signals:
        changed: There is another text, or none.
    """

    changed = Signal()

    def __init__(
        self,
        side: InterleavedSide,
        correlations: Correlations,
        disassembly: CurrentDisassembly,
        constants: ConstantNamings,
        preferences: Preferences,
        pane: OutputPane,
        shell: Shell,
    ) -> None:
        super().__init__(pane)
        self._side, self._state, self._pane = side, correlations, pane
        self._disassembly, self._constants = disassembly, constants
        self._preferences = preferences
        self._action = shell.actions["interleaveAction"]
        side.view.setObjectName("interleavedView")
        side.view.setAccessibleName(self.tr("Source, PTX and SASS"))
        self._reading = Background(self)
        self._reading.done.connect(self._on_read)
        self._reading.failed.connect(self._on_failed)
        button = QToolButton(autoRaise=True)
        button.setCheckable(True)
        button.setObjectName("interleaveButton")
        button.setAccessibleName(self._action.toolTip())
        show_tip(button, self._action.toolTip())
        button.clicked.connect(self._action.trigger)
        self._action.toggled.connect(button.setChecked)
        pane.header.add_tool(button, "interleave")
        pane.add_cover(side.view)
        shell.actions.bind({"interleaveAction": self._on_interleave})
        shell.context_menus.add_to_text(side.view.menu_opening, OF_SASS)
        correlations.changed.connect(self._update)
        disassembly.kernel_changed.connect(self._update)
        constants.known.connect(self._update)
        preferences.changed.connect(self._on_preference_changed)
        pane.code_view.jumped.connect(self._on_jumped)
        Visibility(side.view, self, self._on_visibility_changed)
        if preferences.value(INTERLEAVED):
            self._on_preference_changed(INTERLEAVED)

    @Slot(bool)
    def _on_interleave(self, on: bool) -> None:
        self._preferences.set_value(INTERLEAVED, on)

    @Slot(bool)
    def _on_visibility_changed(self, visible: bool) -> None:
        if visible:
            self._update()

    @Slot(str)
    def _on_preference_changed(self, key: str) -> None:
        if key == RAW_SASS:
            self._update()
        elif key == INTERLEAVED:
            is_on = bool(self._preferences.value(INTERLEAVED))
            self._action.setChecked(is_on)
            self._pane.show_cover(is_on)

    @Slot()
    def _on_jumped(self) -> None:
        """Goes where a jump into the listing leads, which is not seen."""
        if self._side.view.isVisible():
            self._side.go_to_listed(self._pane.code_view.caret.line)

    @Slot()
    def _update(self) -> None:
        if not self._side.view.isVisible():
            return
        tied, name = self._state.tied, self._disassembly.kernel
        function = None
        if tied is not None:
            code = tied.inspection.code
            function = code.function(name) or next(iter(code.functions), None)
        if tied is None or function is None:
            self._reading.stop()
            self._side.show_text(None, self.tr("No SASS with line tables yet"), keep=False)
            self.changed.emit()
            return
        named = self._constants.listing
        is_raw = bool(self._preferences.value(RAW_SASS))
        if named is not None and (is_raw or named.inspection is not tied.inspection):
            named = None
        self._reading.start(lambda stop: interleaved_text(tied, function, named, stop))

    @Slot(object)
    def _on_read(self, text: InterleavedText) -> None:
        before = self._side.text
        keep = before is not None and before.function.name == text.function.name
        self._side.show_text(text, "", keep=keep)
        self.changed.emit()

    @Slot(str)
    def _on_failed(self, reason: str) -> None:
        message = self.tr("Source, PTX and SASS cannot be put in turn: {reason}")
        self._side.show_text(None, message.format(reason=reason), keep=False)
        self.changed.emit()
