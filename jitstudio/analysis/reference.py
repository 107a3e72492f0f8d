"""The words of PTX and SASS, opcodes, modifiers, registers, directives, with their meanings.

The texts are data, in `resources/reference`; each file says how its rows are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache
from itertools import chain

from jitstudio.analysis.sass.opcodes import all_opcodes
from jitstudio.analysis.word_table import WordTable, read_table, rows
from jitstudio.core.code import CodeKind
from jitstudio.core.ptx_targets import targets_of_row

_NUMBER = re.compile(r"\d+")
# The names of the languages in the tables of the files.
_LANGUAGES = {CodeKind.PTX: "ptx", CodeKind.SASS: "sass"}

# The target of rows of instructions whose targets were measured.
_MEASURED = "*"

LATER = "{target} and later"
"""The words for a target and all later ones."""

UNKNOWN = "Not known here: with it the instruction may do something else."
"""The words for a part of an opcode that no table has."""


class Topic(Enum):
    """The kind of a word."""

    INSTRUCTION = "instruction"
    REGISTER = "register"
    DIRECTIVE = "directive"
    MODIFIER = "modifier"
    TYPE = "type"


@dataclass(frozen=True)
class ReferenceEntry:
    """The help on a word.

    Attributes:
        name: The word, or the parts that identify an opcode, such as ``atom.add``.
        topic: The kind of the word.
        text: The meaning, in a sentence or two.
        form: The word with its operands or arguments; empty for a modifier.
        operands: The names in the form, and their meaning.
        version: The first version of PTX with the word; empty where unknown.
        target: The first target with the word, or all where not all later ones have it; empty for
            any, or where unknown.
    """

    name: str
    topic: Topic
    text: str
    form: str = ""
    operands: tuple[tuple[str, str], ...] = ()
    version: str = ""
    target: str = ""

    @property
    def title(self) -> str:
        """The form, or the name where there is no form."""
        return self.form or self.name

    def since(self, later: str = LATER) -> str:
        """Returns the first version and target with the word, as far as known.

        Args:
            later: The words for a target and all later ones, with a place for the target.
        """
        # What ends in a letter is for the targets that are named alone.
        target = later.format(target=self.target) if self.target[-1:].isdigit() else self.target
        return ", ".join(filter(None, (f"PTX {self.version}" if self.version else "", target)))


@dataclass(frozen=True)
class Help:
    """The help on a word as a text has it.

    Attributes:
        entry: The entry of the word, without version and target where a part is unknown.
        modifiers: The entries of the other parts, in their order.
        unknown: The other parts without an entry: the help may be on another instruction.
    """

    entry: ReferenceEntry
    modifiers: tuple[ReferenceEntry, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def tables(self) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]:
        """The operands and the modifiers, each with its meaning."""
        parts = (*((part.name, part.text) for part in self.modifiers), *self.unknown_parts)
        return self.entry.operands, parts

    @property
    def unknown_parts(self) -> tuple[tuple[str, str], ...]:
        """The parts without an entry, with words that say so."""
        return tuple((part, UNKNOWN) for part in self.unknown)


class Reference:
    """All words of a language."""

    def __init__(self, entries: Iterable[ReferenceEntry]) -> None:
        self.entries = tuple(entries)
        self._opcodes = WordTable(
            (entry.name, entry) for entry in self.entries if entry.topic is Topic.INSTRUCTION
        )
        self._others: dict[Topic, dict[str, ReferenceEntry]] = {topic: {} for topic in Topic}
        for entry in self.entries:
            self._others[entry.topic][entry.name] = entry

    def explain(self, word: str, *, opens: bool = False) -> Help | None:
        """Returns the help on a word with all modifiers; None for an unknown word.

        Args:
            word: The word, such as ``ld.global.nc.f32``, ``%tid.x``, ``SR_TID.X``, ``R2.64`` or
                ``.reg``.
            opens: Whether the word begins a statement, as an opcode or a directive does.
        """
        if opens and (match := self._opcodes.find(word)):
            return self._help(match[0], match[1])
        topics = (Topic.REGISTER, Topic.MODIFIER, Topic.TYPE, Topic.DIRECTIVE)
        for topic in reversed(topics) if opens else topics:
            if entry := self._find(topic, word):
                return Help(entry)
        head, _, tail = word.partition(".")
        register = self._find(Topic.REGISTER, head)
        return self._help(register, tail.split(".")) if register and tail else None

    def _find(self, topic: Topic, word: str) -> ReferenceEntry | None:
        entries = self._others[topic]
        # A # represents any number, and for the whole row where registers are declared.
        spellings = (word, _NUMBER.sub("#", word, count=1), f"{word}#")
        return next((entries[spelling] for spelling in spellings if spelling in entries), None)

    def _help(self, entry: ReferenceEntry, parts: Sequence[str]) -> Help:
        entries = {part: self._part(f".{part}") for part in parts}
        unknown = tuple(f".{part}" for part in entries if part and not entries[part])
        return Help(
            # With an unknown part it may have come later than the entry.
            replace(entry, version="", target="") if unknown else entry,
            tuple(dict.fromkeys(chain.from_iterable(entries.values()))),
            unknown,
        )

    def _part(self, part: str) -> list[ReferenceEntry]:
        """Returns the entries of a modifier or type; a # in their names is any number."""
        tables = self._others[Topic.MODIFIER], self._others[Topic.TYPE]
        for spelling in (part, _NUMBER.sub("#", part)):
            if found := [table[spelling] for table in tables if spelling in table]:
                return found
        return []


@cache
def reference(kind: CodeKind) -> Reference:
    """Returns the reference of a kind of code; empty for all but PTX and SASS."""
    language = _LANGUAGES.get(kind)
    return Reference(_entries(language) if language else ())


def _entries(language: str) -> Iterator[ReferenceEntry]:
    content = read_table(language)
    yield from _ptx_instructions() if language == "ptx" else _sass_instructions()
    # A release of PTX has no meaning for machine code: there a target alone follows.
    with_version = language == "ptx"
    for topic, file in ((Topic.REGISTER, "registers"), (Topic.DIRECTIVE, "directives")):
        for name, (form, text, *since) in rows(read_table(file)[language]):
            yield ReferenceEntry(name, topic, text, form, (), *_since(since, with_version))
    for topic in (Topic.MODIFIER, Topic.TYPE):
        for name, (text,) in rows(content.get(topic.value, {})):
            yield ReferenceEntry(name, topic, text)


def _ptx_instructions() -> Iterator[ReferenceEntry]:
    for name, (form, text, operands, *since) in rows(read_table("ptx")["instruction"]):
        version, target = _since(since, True)
        target = targets_of_row(name) if target == _MEASURED else target
        yield ReferenceEntry(
            name, Topic.INSTRUCTION, text, form, _operands(operands), version, target
        )


def _sass_instructions() -> Iterator[ReferenceEntry]:
    for row in all_opcodes():
        operands = _operands(row.operands)
        yield ReferenceEntry(
            row.name, Topic.INSTRUCTION, row.text, row.shown_form, operands, "", row.target
        )


def _operands(text: str) -> tuple[tuple[str, str], ...]:
    pairs = (pair.partition(": ") for pair in text.split("; ") if pair)
    return tuple((names, meaning) for names, _, meaning in pairs)


def _since(fields: Sequence[str], with_version: bool) -> tuple[str, str]:
    """Returns version and target from the last fields of a row."""
    version, target, *_ = (*fields, "", "") if with_version else ("", *fields, "")
    return version, target


# ---- The word at a place of a line of code; an opcode or register whole, with its modifiers

LONGEST_LINE = 5000
"""Longer lines are not searched for words: it would take too long."""

# A directive is a single word, also where the next one follows without a gap.
# A ratio such as ``sp::2:4`` is part of an opcode, the colon of a label is not.
_WORD = re.compile(
    r"(?<![\w$%])%?[A-Za-z_$][\w$]*(?:(?:\.|::(?:\d+:(?=\d))?)\w+)*|\.[A-Za-z_]\w*(?:::\w+)*"
)
_NAME = re.compile(r"[@#]?\b[A-Za-z_]\w*(?:\.\w+)*")
_COMMENT = "//"
# Text in front of the word that begins a statement: a label, an address, a guard.
_BEFORE = {
    CodeKind.PTX: re.compile(r"(?:.*[;{}]|\s*[\w$]+:)?\s*(?:@!?%?[\w$]+\s+)?\Z"),
    CodeKind.SASS: re.compile(r"\s*+(?:/\*[\da-fA-F]++\*/)?\s*+(?:\{\s*+)?(?:@!?\w++\s++)?\Z"),
}


@dataclass(frozen=True)
class WordAt:
    """A word in a line.

    Attributes:
        text: The word with all its modifiers, such as ``ld.global.f32``.
        span: The first column, counted from 0, and the column behind the last.
        opens: Whether the word begins a statement, as an opcode or a directive does.
    """

    text: str
    span: tuple[int, int]
    opens: bool


def word_at(kind: CodeKind, line: str, column: int) -> WordAt | None:
    """Returns the word that covers a column, counted from 0; None in between and in comments."""
    code = line.partition(_COMMENT)[0]
    words = (_WORD if kind in _BEFORE else _NAME).finditer(code)
    match = next((word for word in words if word.start() <= column < word.end()), None)
    return WordAt(match[0], match.span(), _opens(kind, code, match)) if match else None


def openings(kind: CodeKind, line: str) -> Iterator[int]:
    """Yields the columns of the words that determine a line: of PTX and SASS the opcodes.

    In other languages any word may.
    """
    code = line.partition(_COMMENT)[0] if len(line) <= LONGEST_LINE else ""
    for word in (_WORD if kind in _BEFORE else _NAME).finditer(code):
        if kind not in _BEFORE or _opens(kind, code, word):
            yield word.start()


def _opens(kind: CodeKind, code: str, word: re.Match[str]) -> bool:
    before = _BEFORE.get(kind)
    is_label = code[word.end() :].lstrip().startswith(":")
    return before is not None and not is_label and bool(before.match(code[: word.start()]))
