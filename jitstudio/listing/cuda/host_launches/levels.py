"""The templates that a function of the host is made of: its own, and those of its classes."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from jitstudio.listing.cuda.host_launches.brackets import arguments_at_end, split
from jitstudio.listing.cuda.host_launches.templates import TemplateHead, counted, template
from jitstudio.listing.cuda.outline import CACHED, OPERATOR, Kind, OutlineItem, close_of

_BASES = re.compile(rb"(?<!:):(?!:)")
_LAST_WORD = re.compile(rb"(?<!\w)~?+\w++\Z")
_ALIAS = re.compile(rb"using\s++(\w++)\s*+=")
# The name in `void (*const table)(int) = `.
_POINTER = re.compile(rb"\(\s*+\*(?>\s*+const\b)?+\s*+(\w++)")
_TOKEN = re.compile(rb"\w++|\S")
_BETWEEN_WORDS = re.compile(rb"(?<=\w)\s++(?=\w)")


class Level(NamedTuple):
    """A template that a function of the host is of, or is itself.

    Attributes:
        name: Of the class or function, without namespaces.
        head: Its parameters; those of the function, too, where it is one.
        pattern: The arguments that a specialisation is for; empty for the template itself.
        is_class: Whether it is a class.
    """

    name: bytes
    head: TemplateHead
    pattern: tuple[bytes, ...]
    is_class: bool

    @property
    def weight(self) -> int:
        """How much its pattern says: of two that match, the one that says more is chosen."""
        words = _TOKEN.findall(b" ".join(self.pattern))
        return sum(len(word) for word in words if word not in self.head.names)

    def matched(self, arguments: tuple[bytes, ...]) -> dict[bytes, bytes] | None:
        """Returns what its parameters represent for these arguments; None where it is not meant."""
        if not self.pattern:
            return self.head.places(arguments)
        places: dict[bytes, bytes] = {}
        pattern = self.pattern
        if self.head.has_pack and pattern[-1] == self.head.names[-1] + b"...":
            places[self.head.names[-1]] = b", ".join(arguments[len(pattern) - 1 :])
            pattern, arguments = pattern[:-1], arguments[: len(pattern) - 1]
        if len(pattern) != len(arguments):
            return None
        for part, argument in zip(pattern, arguments, strict=True):
            match = _matcher(part, self.head.names).fullmatch(_plain(argument))
            for at, meant in match.groupdict().items() if match else ():
                name = self.head.names[int(at[1:])]
                if places.setdefault(name, meant) != meant:
                    return None
            if match is None:
                return None
        return places


def levels(item: OutlineItem) -> tuple[Level, ...]:
    """Returns the templates that a declaration is made of, the outermost first."""
    around = levels(item.parent) if item.parent is not None else ()
    return around + _own(item.template, item.head, item.kind) if item.template else around


def constructor(item: OutlineItem, level: Level) -> TemplateHead | None:
    """Returns a class template with the parameters of a constructor; None for another function."""
    if item.kind is not Kind.FUNCTION or not level.is_class or level.pattern:
        return None
    path = qualified(item.head.partition(b"(")[0])
    if not path or path[-1][0] != level.name:
        return None
    return replace(level.head, parameters=template(b"", item.head).parameters)


def qualified(before: bytes) -> list[tuple[bytes, bytes | None]]:
    """Returns the name at the end of a text: its parts, each with template arguments or None."""
    parts: list[tuple[bytes, bytes | None]] = []
    before = before.rstrip()
    while True:
        given = None
        if before.endswith(b">"):
            given = arguments_at_end(before)
            before = before[: len(before) - len(given) - 2].rstrip()
        word = _LAST_WORD.search(before[-_LONGEST_NAME:])
        if word is None:
            return parts
        parts.insert(0, (word[0], given))
        before = before[: len(before) - len(word[0])].rstrip()
        if before.endswith(b"template"):
            before = before[: -len(b"template")].rstrip()
        if not before.endswith(b"::"):
            return parts
        before = before[:-2].rstrip()


_LONGEST_NAME = 200


@lru_cache(CACHED)
def _own(templates: bytes, head: bytes, kind: Kind) -> tuple[Level, ...]:
    """Returns the templates that the head of a declaration names, without those around it."""
    headers = []
    while (at := templates.find(b"<")) >= 0:
        end = close_of(templates, at, b"<", b">")
        headers.append(templates[at:end])
        templates = templates[end:]
    path = _path(head, kind)
    made = []
    # `template <class T> template <int N> void Outer<T>::run()`.
    for name, given in path[:-1]:
        if given is not None and headers:
            made.append(_level(name, template(headers.pop(0)), given, is_class=True))
    if headers and path:
        is_type = kind is Kind.TYPE
        own = template(headers[-1], head if kind is Kind.FUNCTION else b"")
        made.append(_level(*path[-1][:1], own, path[-1][1], is_class=is_type))
    return tuple(level for level in made if level.head.names or level.pattern)


def _level(name: bytes, head: TemplateHead, given: bytes | None, *, is_class: bool) -> Level:
    parts = tuple(split(given)) if given else ()
    names = tuple(
        name + b"..." if head.has_pack and i == len(head.names) - 1 else name
        for i, name in enumerate(head.names)
    )
    pattern = tuple(_plain(part) for part in parts)
    return Level(name, head, () if pattern == names else pattern, is_class)


def _path(head: bytes, kind: Kind) -> list[tuple[bytes, bytes | None]]:
    """Returns the name of a declaration with the classes before it."""
    if kind is Kind.TYPE:
        return qualified(_BASES.split(head, maxsplit=1)[0].rstrip(b"{ \t\r\n"))
    if kind is Kind.FUNCTION:
        if b"operator" in head and (sign := OPERATOR.search(head)):
            return [(b"operator" + sign[1].strip(), None)]
        return qualified(head.partition(b"(")[0])
    before, is_defined, _ = head.partition(b"=")
    if not is_defined:
        return []
    if name := _ALIAS.match(head) or _POINTER.search(before):
        return [(name[1], None)]
    return qualified(before.partition(b"[")[0])


@lru_cache(CACHED)
def _matcher(part: bytes, names: tuple[bytes, ...]) -> re.Pattern[bytes]:
    """Returns the pattern of arguments that a part of a specialisation is for."""
    pieces, seen = [], set()
    for token in _TOKEN.findall(part):
        if token in names:
            group = b"p%d" % names.index(token)
            pieces.append(b"(?P=%s)" % group if token in seen else b"(?P<%s>.+?)" % group)
            seen.add(token)
        else:
            pieces.append((rb"\b%s\b" if token.isalnum() else b"%s") % re.escape(token))
    return re.compile(rb"\s*+".join(pieces))


def _plain(argument: bytes) -> bytes:
    """Returns a template argument as others spell it: without blanks that say nothing."""
    inner = argument[1:-1] if argument.startswith(b"(") and argument.endswith(b")") else argument
    words = _BETWEEN_WORDS.sub(b"\0", counted(inner))
    return b"".join(words.split()).replace(b"\0", b" ")
