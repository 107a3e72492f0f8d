"""What the words of PTX and SASS mean: opcodes, modifiers, special registers, directives.

The texts are data, in `resources/reference`; each file tells how its rows are written.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any

from jitstudio.core.code import CodeKind
from jitstudio.paths import resource

_BRACES = re.compile(r"\{([^{}]*)\}")
_NUMBER = re.compile(r"\d+")
# What the tables of the files are called.
_LANGUAGES = {CodeKind.PTX: "ptx", CodeKind.SASS: "sass"}
_Rows = Mapping[str, Any]


class Topic(Enum):
    """What kind of word it is."""

    INSTRUCTION = "instruction"
    REGISTER = "register"
    DIRECTIVE = "directive"
    MODIFIER = "modifier"
    TYPE = "type"


@dataclass(frozen=True)
class Entry:
    """What is told of one word.

    Attributes:
        name: The word, or the parts of an opcode by which it is known, such as ``atom.add``.
        topic: What kind of word it is.
        text: A sentence or two.
        form: How it is written with what belongs to it; empty for a modifier.
        operands: What stands in the form: names, and their meaning.
        version: The version of PTX that brought it; empty where that is not known.
        target: The first target that has it; empty for any, or where that is not known.
    """

    name: str
    topic: Topic
    text: str
    form: str = ""
    operands: tuple[tuple[str, str], ...] = ()
    version: str = ""
    target: str = ""


@dataclass(frozen=True)
class Help:
    """What is told of a word as it stands in a text.

    Attributes:
        entry: What it is.
        modifiers: What its other parts mean, in their order; unknown ones are left out.
    """

    entry: Entry
    modifiers: tuple[Entry, ...] = ()


class Reference:
    """All that is told of one language."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.entries = tuple(entries)
        self._opcodes: dict[str, list[Entry]] = {}
        self._others: dict[Topic, dict[str, Entry]] = {topic: {} for topic in Topic}
        for entry in self.entries:
            if entry.topic is Topic.INSTRUCTION:
                self._opcodes.setdefault(entry.name.partition(".")[0], []).append(entry)
            else:
                self._others[entry.topic][entry.name] = entry

    def explain(self, word: str, *, opens: bool = False) -> Help | None:
        """What a word means, with all its modifiers; None if nothing is known of it.

        Args:
            word: Such as ``ld.global.nc.f32``, ``%tid.x``, ``SR_TID.X``, ``R2.64`` or ``.reg``.
            opens: Whether a statement begins with it, as with an opcode or a directive.
        """
        if opens and (told := self._opcode(word)):
            return told
        topics = (Topic.REGISTER, Topic.MODIFIER, Topic.TYPE, Topic.DIRECTIVE)
        for topic in reversed(topics) if opens else topics:
            if entry := self._find(topic, word):
                return Help(entry)
        head, _, tail = word.partition(".")
        register = self._find(Topic.REGISTER, head)
        return Help(register, self._modifiers(tail.split("."))) if register and tail else None

    def _opcode(self, word: str) -> Help | None:
        parts = word.split(".")
        fitting = [
            (-len(places), places, entry)
            for entry in self._opcodes.get(parts[0], ())
            if (places := _places(entry.name.split("."), parts))
        ]
        if not fitting:
            return None
        # The most parts; of as many, those that stand first.
        _, places, entry = min(fitting, key=lambda found: found[:2])
        rest = [part for place, part in enumerate(parts) if place not in places]
        return Help(entry, self._modifiers(rest))

    def _find(self, topic: Topic, word: str) -> Entry | None:
        known = self._others[topic]
        # A # stands for any number, and for the whole row where registers are declared.
        spellings = (word, _NUMBER.sub("#", word, count=1), f"{word}#")
        return next((known[spelling] for spelling in spellings if spelling in known), None)

    def _modifiers(self, parts: Sequence[str]) -> tuple[Entry, ...]:
        known = self._others[Topic.MODIFIER], self._others[Topic.TYPE]
        found = (words.get(f".{part}") for part in parts for words in known)
        return tuple(dict.fromkeys(entry for entry in found if entry))


@cache
def reference(kind: CodeKind) -> Reference:
    """What is told of a kind of code; nothing but of PTX and SASS."""
    language = _LANGUAGES.get(kind)
    return Reference(_entries(language) if language else ())


def _entries(language: str) -> Iterator[Entry]:
    content = _read(language)
    # A release of PTX has no meaning for machine code: there a target alone follows.
    with_version = language == "ptx"
    for name, (form, text, operands, *since) in _rows(content["instruction"]):
        yield Entry(
            name, Topic.INSTRUCTION, text, form, _operands(operands), *_since(since, with_version)
        )
    for topic, file in ((Topic.REGISTER, "registers"), (Topic.DIRECTIVE, "directives")):
        for name, (form, text, *since) in _rows(_read(file)[language]):
            yield Entry(name, topic, text, form, (), *_since(since, with_version))
    for topic in (Topic.MODIFIER, Topic.TYPE):
        for name, (text,) in _rows(content.get(topic.value, {})):
            yield Entry(name, topic, text)


def _read(name: str) -> _Rows:
    return tomllib.loads(resource(f"reference/{name}.toml").read_text("utf-8"))


def _rows(rows: _Rows) -> Iterator[tuple[str, list[str]]]:
    """Each name of a row with its fields."""
    for pattern, row in rows.items():
        fields = [row] if isinstance(row, str) else row
        braces = _BRACES.search(pattern)
        for word in braces[1].split(",") if braces else ("",):
            name = _BRACES.sub(word, pattern)
            yield name, [field.replace("{}", word) if braces else field for field in fields]


def _operands(text: str) -> tuple[tuple[str, str], ...]:
    pairs = (pair.partition(": ") for pair in text.split("; ") if pair)
    return tuple((names, meaning) for names, _, meaning in pairs)


def _since(fields: Sequence[str], with_version: bool) -> tuple[str, str]:
    """Version and target of the last fields of a row."""
    version, target, *_ = (*fields, "", "") if with_version else ("", *fields, "")
    return version, target


def _places(wanted: Sequence[str], parts: Sequence[str]) -> tuple[int, ...]:
    """Where all that is wanted stands, in this order; empty if some of it does not."""
    places: list[int] = []
    for part in wanted:
        begin = places[-1] + 1 if places else 0
        if part not in parts[begin:]:
            return ()
        places.append(parts.index(part, begin))
    return tuple(places)
