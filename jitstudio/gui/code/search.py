"""Searching a text line by line without ever holding up the window.

`Matcher` finds within one line, `TextSearch` walks over all lines in slices of a few milliseconds;
`SearchSources` lists the texts besides tabs and listings that "Find in all" searches.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from time import perf_counter

from PySide6.QtCore import (
    QCoreApplication,
    QObject,
    QRegularExpression,
    QTimer,
    Signal,
    Slot,
)

from jitstudio.gui.code.code_view import Change, Found, Searchable, Span
from jitstudio.gui.kit.code_units import from_units, is_plain, to_units

MOST_MATCHES = 100_000
# PCRE gives up on one start position after so many steps, about a millisecond.
_STEP_LIMIT = 20_000
_LIMIT_PREFIX = f"(*LIMIT_MATCH={_STEP_LIMIT})"
# No expression looks at more of one line.
_REGEX_REACH = 200_000
_SLICE = 0.008
_BATCH = 256


class PatternError(ValueError):
    """The pattern cannot be searched for; the message says why, for the user."""


class TooComplex(RuntimeError):
    """An expression took too many steps on a line."""


@dataclass(frozen=True)
class Query:
    """A text or expression to search, with options.

    Attributes:
        text: The text, or the expression.
        case: Whether capitals matter.
        word: Whether it must be a whole word.
        regex: Whether `text` is a regular expression.
    """

    text: str
    case: bool = False
    word: bool = False
    regex: bool = False


class Matcher:
    """Finds a query in single lines.

    Plain text goes to Python's `re`, which is linear on it. A regular expression of the user goes
    to PCRE: it gives up after a limit, where Python could hang for hours.

    Raises:
        PatternError: If the expression is not valid.
    """

    def __init__(self, query: Query) -> None:
        self.query = query
        self._plain: re.Pattern[str] | None = None
        if query.regex:
            self._regex = _expression(query)
        else:
            text = re.escape(query.text)
            text = rf"(?<!\w){text}(?!\w)" if query.word else text
            self._plain = re.compile(text, re.NOFLAG if query.case else re.IGNORECASE)
        self._must_have = query.text if query.case and not query.regex else ""

    def spans(self, line: str) -> list[Span]:
        """Returns all matches in a line; empty ones do not count.

        Raises:
            TooComplex: If the expression takes too many steps.
        """
        if self._plain is None:
            return self._regex_spans(line[:_REGEX_REACH])
        if self._must_have not in line:
            return []
        return [match.span() for match in islice(self._plain.finditer(line), MOST_MATCHES)]

    def _regex_spans(self, line: str) -> list[Span]:
        spans: list[Span] = []
        reached = 0
        matches = self._regex.globalMatch(line)
        while matches.hasNext():
            match = matches.next()
            reached = max(match.capturedEnd(), match.capturedStart() + 1)
            if match.capturedLength():
                spans.append((match.capturedStart(), match.capturedEnd()))
        # An iterator is not valid behind an empty match at the very end either.
        may_go_on = not matches.isValid() and reached <= len(line)
        if may_go_on and not self._regex.match(line, reached).isValid():
            raise TooComplex
        if is_plain(line):
            return spans
        return [(from_units(line, start), from_units(line, end)) for start, end in spans]

    def replacement(self, line: str, span: Span, template: str) -> str:
        r"""Returns the replacement of a match; in a regular expression `\1` or `$1` is a group."""
        if not self.query.regex:
            return template
        match = self._regex.match(line, to_units(line, span[0]))

        def group(reference: re.Match[str]) -> str:
            if reference[1] is None:
                return {"n": "\n", "t": "\t"}.get(reference[2], reference[2])
            return match.captured(int(reference[1]))

        return re.sub(r"[\\$](\d)|\\(.)", group, template)


def _expression(query: Query) -> QRegularExpression:
    option = QRegularExpression.PatternOption
    options = option.UseUnicodePropertiesOption
    if not query.case:
        options |= option.CaseInsensitiveOption
    bare = QRegularExpression(query.text)
    if not bare.isValid():
        place = bare.patternErrorOffset()
        text = QCoreApplication.translate("Find", "Not a valid expression: {problem} (at {place})")
        raise PatternError(text.format(problem=bare.errorString(), place=place + 1))
    text = rf"\b(?:{query.text})\b" if query.word else query.text
    return QRegularExpression(_LIMIT_PREFIX + text, options)


class TextSearch(QObject):
    """All matches of a query in a text, found in slices.

    Signals:
        progressed: After each slice; the last one leaves `is_finished` behind.
    """

    progressed = Signal()

    def __init__(self, target: Searchable, matcher: Matcher, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._target = target
        self._matcher = matcher
        self._next_line = 0
        self.matches: list[Found] = []
        self.by_line: dict[int, list[Span]] = {}
        self.skipped = 0
        self.is_finished = False
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._on_turn)

    @property
    def is_capped(self) -> bool:
        """Whether there may be more matches than were kept."""
        return len(self.matches) >= MOST_MATCHES

    def start(self, at_once: bool = True) -> None:
        """Searches; `at_once` does the first slice before the call returns."""
        self._timer.start()
        if at_once:
            self._on_turn()

    def stop(self) -> None:
        """Stops searching; no signal comes after the call."""
        self._timer.stop()

    def after(self, place: Found | tuple[int, int], strictly: bool = False) -> int | None:
        """Returns the number of the first match at or behind a place, or None if none is known."""
        key = _key(place)
        number = (bisect_right if strictly else bisect_left)(self.matches, key, key=_key)
        return number if number < len(self.matches) else None

    def before(self, place: tuple[int, int]) -> int | None:
        """Returns the number of the last match that begins before a place."""
        number = bisect_left(self.matches, place, key=_key) - 1
        return number if number >= 0 else None

    def has_reached(self, line: int) -> bool:
        """Returns whether all lines up to and including `line` were searched."""
        return self.is_finished or self._next_line > line

    def changes(self, first: int, last: int, template: str) -> list[Change]:
        """Returns the changes that replace the matches `first` to `last`."""
        changes: list[Change] = []
        for line, span in self.matches[first:last]:
            text = self._target.search_lines(line, 1)[0]
            changes.append((line, span, self._matcher.replacement(text, span, template)))
        return changes

    @Slot()
    def _on_turn(self) -> None:
        deadline = perf_counter() + _SLICE
        count = self._target.search_line_count()
        while self._next_line < count and not self.is_capped:
            if not self._search_batch(deadline):
                break
        self.is_finished = self._next_line >= count or self.is_capped
        self.progressed.emit()
        if self.is_finished:
            self._timer.stop()

    def _search_batch(self, deadline: float) -> bool:
        """Searches some lines; returns whether there is time for more."""
        spans_of = self._matcher.spans
        for line in self._target.search_lines(self._next_line, _BATCH):
            number = self._next_line
            self._next_line += 1
            try:
                spans = spans_of(line)
            except TooComplex:
                self.skipped += 1
                spans = []
            if spans:
                self.by_line[number] = spans
                self.matches += [(number, span) for span in spans]
            # A slow expression shall be noticed within the batch; asking costs 40 ns.
            if self.is_capped or perf_counter() > deadline:
                return False
        return True


def _key(place: Found | tuple[int, int]) -> tuple[int, int]:
    line, column = place
    return (line, column) if isinstance(column, int) else (line, column[0])


@dataclass(frozen=True)
class SearchedText:
    """A text to be searched.

    Attributes:
        place: The place for going there: a document, the name of a listing, or a function without
            arguments that shows the text.
        title: The name of the text.
        lines: Gives its lines; called in the background.
    """

    place: object
    title: str
    lines: Callable[[], Sequence[str]]


class SearchSources:
    """Sources of searchable texts of features, besides tabs and listings."""

    def __init__(self) -> None:
        self._sources: list[Callable[[], Iterable[SearchedText]]] = []

    def add(self, source: Callable[[], Iterable[SearchedText]]) -> None:
        """Has the texts of `source` searched, too, from now on."""
        self._sources.append(source)

    def texts(self) -> Iterator[SearchedText]:
        """Yields the texts of all sources, as they are now."""
        for source in self._sources:
            yield from source()
