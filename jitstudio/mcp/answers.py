"""Answers that a language model can afford: what matters first, and how to get the rest."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from jitstudio.command_options.values import UsageError
from jitstudio.listing.lines import split_at_newlines

Json = dict[str, Any]

LONGEST = 4_000
"""Characters of an answer to a call that does not ask for more: about 1,000 tokens."""
LONGEST_COMPARISON = 1_600
"""Characters of an answer of `compare`, likewise."""
MOST_CHARACTERS = 100_000
"""Characters of an answer to a call with `lines`."""
_LONGEST_VALUE = 400
_LONGEST_LINE = 1_000
_CUT = " …"
_MORE = 90
"""Characters that say how to get the rest of a section."""


@dataclass(frozen=True)
class Page:
    """The part of an answer that was asked for.

    Attributes:
        detail: The only section; empty for all that are shown by themselves.
        offset: The entries of that section to pass over.
        lines: The entries of each section, with values in full; 0 for as many as fit.
    """

    detail: str = ""
    offset: int = 0
    lines: int = 0


class Section(NamedTuple):
    """A list in an answer, what matters most first.

    Attributes:
        entries: Texts, or objects of texts and numbers.
        on_request: Whether only `detail` shows it.
    """

    entries: Sequence[Any]
    on_request: bool = False


class Answer(NamedTuple):
    """The result of a tool before it is fitted into the room for it.

    Attributes:
        head: Values that are always shown.
        sections: The lists, by name.
        longest: The characters of an answer to a call without `lines`.
    """

    head: Json
    sections: Mapping[str, Section] = {}
    longest: int = LONGEST


def text_lines(text: str) -> list[str]:
    """Returns the lines of a text, very long ones in pieces."""
    return [
        line[at : at + _LONGEST_LINE]
        for line in (split_at_newlines(text.removesuffix("\n")) if text else ())
        for at in range(0, len(line) or 1, _LONGEST_LINE)
    ]


def answer_text(answer: Answer, page: Page) -> str:
    """Returns the JSON of an answer, of which `more` tells what was left out.

    Raises:
        UsageError: There is no such section, or no entry beyond the offset.
    """
    present = {name: section for name, section in answer.sections.items() if section.entries}
    chosen = _chosen(present, page)
    longest = MOST_CHARACTERS if page.lines else answer.longest
    room = longest - len(_dumped(_plain(answer.head, page))) - _MORE * (len(present) + 1)
    entries = {
        name: [_plain(entry, page) for entry in section.entries[page.offset :]]
        for name, section in chosen.items()
    }
    counts = _fitting(entries, page.lines, room)
    while True:
        text = _dumped(_assembled(answer.head, present, entries, counts, page))
        if len(text) <= longest or not any(counts.values()):
            return text
        counts[max(counts, key=lambda name: counts[name])] -= 1


def _chosen(present: Mapping[str, Section], page: Page) -> dict[str, Section]:
    if not page.detail:
        if page.offset:
            raise UsageError("offset: it needs 'detail', which says of what section.")
        return {name: section for name, section in present.items() if not section.on_request}
    section = present.get(page.detail)
    if section is None:
        raise UsageError(
            f"detail: this answer has no '{page.detail}'. It has: {', '.join(present) or 'none'}."
        )
    if page.offset >= len(section.entries):
        raise UsageError(
            f"offset: '{page.detail}' has {len(section.entries):,} entries, counted from 0."
        )
    return {page.detail: section}


def _fitting(entries: Mapping[str, Sequence[Any]], lines: int, room: int) -> dict[str, int]:
    """Returns how many entries of each section fit: what short ones leave goes to the others."""
    sizes = {
        name: [len(_dumped(entry)) + 1 for entry in of_section[: lines or None]]
        for name, of_section in entries.items()
    }
    counts = dict.fromkeys(entries, 0)
    waiting = sorted(sizes, key=lambda name: sum(sizes[name]))
    for at, name in enumerate(waiting):
        share = max(0, room) // (len(waiting) - at)
        used = len(name) + 6
        for size in sizes[name]:
            if used + size > share:
                break
            used += size
            counts[name] += 1
        room -= used
    return counts


def _assembled(
    head: Json,
    present: Mapping[str, Section],
    entries: Mapping[str, Sequence[Any]],
    counts: Mapping[str, int],
    page: Page,
) -> Json:
    made: Json = _plain(head, page)
    more: Json = {}
    for name, section in present.items():
        count = len(section.entries)
        shown = counts.get(name, 0)
        if shown:
            made[name] = entries[name][:shown]
        following = page.offset + shown if name in counts else 0
        if following < count and (name in counts or not page.detail):
            at = f", offset={following}" if following else ""
            more[name] = f"{count - following} of {count} left: detail='{name}'{at}"
    if _CUT in _dumped(made) and not page.lines:
        more[_CUT.strip()] = "values that end so are whole with lines=1 or more"
    return made | ({"more": more} if more else {})


def _plain(value: Any, page: Page) -> Any:
    """Returns JSON without empty fields, and with long values cut unless lines are asked for."""
    if isinstance(value, dict):
        fields = ((key, _plain(entry, page)) for key, entry in value.items())
        return {key: entry for key, entry in fields if entry not in (None, "", [], {})}
    if isinstance(value, str) and len(value) > _LONGEST_VALUE and not page.lines:
        return value[:_LONGEST_VALUE] + _CUT
    return value


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
