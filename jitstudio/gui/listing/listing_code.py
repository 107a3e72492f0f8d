"""What is known of a listing beyond its lines: its functions, its names, and how they are spelt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from threading import Event

from PySide6.QtCore import QObject, Signal, Slot

from jitstudio.core.code import CodeKind
from jitstudio.gui.kit.background import Background, Paced
from jitstudio.listing.functions import CodeText, Link, Place, functions, link_at
from jitstudio.listing.kernel_names import Spelling, lowered_names, meanings

# Such a listing is spelt within milliseconds, so that nobody sees it change.
_AT_ONCE = 20_000


@dataclass(frozen=True)
class _Reading:
    code: CodeText
    names: frozenset[str]


class ListingCode(QObject):
    """Reads through a listing in the background, and spells its names as they are wanted.

    Attributes:
        code: The lines with their functions; those are not known before `read`.
        spelling: The lines to show.

    Signals:
        read: The functions are known.
        names_wanted: These lowered names are wanted in words of C++; see `learn`.
        spelt: The lines shall be shown in another spelling.
    """

    read = Signal()
    names_wanted = Signal(frozenset)
    spelt = Signal()

    def __init__(self, kind: CodeKind, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.code = CodeText(kind, ())
        self.spelling = Spelling.plain(())
        self._names: frozenset[str] = frozenset()
        self._known: Mapping[str, str] = {}
        self._is_demangled = False
        self._reading = Background(self)
        self._spelling = Background(self)
        self._reading.done.connect(self._on_read)
        self._spelling.done.connect(self._on_spelt)

    @property
    def is_reading(self) -> bool:
        """Whether the functions will be known soon."""
        return self._reading.is_busy

    def set_lines(self, lines: Sequence[str]) -> None:
        """Read another listing; where its names are known, its spelling is right at once."""
        self._spelling.stop()
        self.code = CodeText(self.code.kind, lines)
        self.spelling = Spelling.plain(lines)
        self._names = frozenset()
        if self._is_demangled and len(lines) <= _AT_ONCE:
            names = lowered_names(lines)
            if names <= self._known.keys():
                self.spelling = Spelling.of(lines, meanings(names, self._known))
        self._reading.start(partial(_read, self.code))

    def set_demangled(self, on: bool) -> None:
        """Want names in words of C++, or as the tools wrote them."""
        self._is_demangled = on
        if on:
            self._want_names()
        else:
            self._spelling.stop()
            self._on_spelt(Spelling.plain(self.code.lines))

    def learn(self, known: Mapping[str, str]) -> None:
        """Spell the names anew, if they are wanted in words and all are known now."""
        self._known = known
        if not self._is_demangled or not self._names <= known.keys():
            return
        shown, lines = meanings(self._names, known), self.code.lines
        if shown != self.spelling.names:
            self._spelling.start(lambda _stop: Spelling.of(lines, shown))

    def link_at(self, place: Place) -> Link | None:
        """The link at a place of the lines that are shown."""
        line, column = place
        spelling = self.spelling
        link = link_at(self.code, (line, spelling.to_lowered(line, column)))
        if link is None:
            return None
        there, at = link.target
        start, end = (spelling.to_shown(line, edge) for edge in link.span)
        return Link(line, (start, end), (there, spelling.to_shown(there, at)))

    def _want_names(self) -> None:
        if self._names:
            self.names_wanted.emit(self._names)

    @Slot(object)
    def _on_read(self, reading: _Reading) -> None:
        self.code, self._names = reading.code, reading.names
        self.read.emit()
        if self._is_demangled:
            self._want_names()

    @Slot(object)
    def _on_spelt(self, spelling: Spelling) -> None:
        self.spelling = spelling
        self.spelt.emit()


def _read(code: CodeText, stop: Event) -> _Reading:
    lines = Paced(code.lines, stop)
    found = functions(code.kind, lines)
    return _Reading(CodeText(code.kind, code.lines, found), lowered_names(lines))
