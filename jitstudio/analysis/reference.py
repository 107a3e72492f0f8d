"""The words of PTX and SASS, opcodes, modifiers, registers, directives: what they mean, and where.

The texts are data, in `resources/reference`; each file says how its rows are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache

from jitstudio.analysis.sass.opcodes import all_opcodes
from jitstudio.analysis.word_table import WordTable, read_table, rows
from jitstudio.core.code import CodeKind

_NUMBER = re.compile(r"\d+")
# What the tables of the files are called.
_LANGUAGES = {CodeKind.PTX: "ptx", CodeKind.SASS: "sass"}


class Topic(Enum):
    """What kind of word it is."""

    INSTRUCTION = "instruction"
    REGISTER = "register"
    DIRECTIVE = "directive"
    MODIFIER = "modifier"
    TYPE = "type"


@dataclass(frozen=True)
class ReferenceEntry:
    """What is known about one word.

    Attributes:
        name: The word, or the parts of an opcode by which it is known, such as ``atom.add``.
        topic: What kind of word it is.
        text: A sentence or two.
        form: How it is written with what belongs to it; empty for a modifier.
        operands: What is in the form: names, and their meaning.
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
    """What is known about a word as it is in a text.

    Attributes:
        entry: What it is.
        modifiers: What its other parts mean, in their order; unknown ones are left out.
    """

    entry: ReferenceEntry
    modifiers: tuple[ReferenceEntry, ...] = ()


class Reference:
    """All that is known about one language."""

    def __init__(self, entries: Iterable[ReferenceEntry]) -> None:
        self.entries = tuple(entries)
        self._opcodes = WordTable(
            (entry.name, entry) for entry in self.entries if entry.topic is Topic.INSTRUCTION
        )
        self._others: dict[Topic, dict[str, ReferenceEntry]] = {topic: {} for topic in Topic}
        for entry in self.entries:
            self._others[entry.topic][entry.name] = entry

    def explain(self, word: str, *, opens: bool = False) -> Help | None:
        """Returns what a word means, with all its modifiers; None if nothing is known of it.

        Args:
            word: Such as ``ld.global.nc.f32``, ``%tid.x``, ``SR_TID.X``, ``R2.64`` or ``.reg``.
            opens: Whether a statement begins with it, as with an opcode or a directive.
        """
        if opens and (found := self._opcodes.find(word)):
            return Help(found[0], self._modifiers(found[1]))
        topics = (Topic.REGISTER, Topic.MODIFIER, Topic.TYPE, Topic.DIRECTIVE)
        for topic in reversed(topics) if opens else topics:
            if entry := self._find(topic, word):
                return Help(entry)
        head, _, tail = word.partition(".")
        register = self._find(Topic.REGISTER, head)
        return Help(register, self._modifiers(tail.split("."))) if register and tail else None

    def _find(self, topic: Topic, word: str) -> ReferenceEntry | None:
        known = self._others[topic]
        # A # represents any number, and for the whole row where registers are declared.
        spellings = (word, _NUMBER.sub("#", word, count=1), f"{word}#")
        return next((known[spelling] for spelling in spellings if spelling in known), None)

    def _modifiers(self, parts: Sequence[str]) -> tuple[ReferenceEntry, ...]:
        known = self._others[Topic.MODIFIER], self._others[Topic.TYPE]
        found = (words.get(f".{part}") for part in parts for words in known)
        return tuple(dict.fromkeys(entry for entry in found if entry))


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
        yield ReferenceEntry(
            name, Topic.INSTRUCTION, text, form, _operands(operands), *_since(since, True)
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
    """Version and target of the last fields of a row."""
    version, target, *_ = (*fields, "", "") if with_version else ("", *fields, "")
    return version, target


# ---- The word at a place of a line of code; an opcode or register whole, with its modifiers

LONGEST_LINE = 5000
"""Longer lines are not searched for words: it would take too long."""

# A directive is one word, also where the next one follows without a gap.
_WORD = re.compile(r"(?<![\w$%])%?[A-Za-z_$][\w$]*(?:(?:\.|::)\w+)*|\.[A-Za-z_]\w*(?:::\w+)*")
_NAME = re.compile(r"[@#]?\b[A-Za-z_]\w*(?:\.\w+)*")
_COMMENT = "//"
# What may come before the word that a statement begins with: a label, an address, a guard.
_BEFORE = {
    CodeKind.PTX: re.compile(r"(?:.*[;{}]|\s*[\w$]+:)?\s*(?:@!?%?[\w$]+\s+)?\Z"),
    CodeKind.SASS: re.compile(r"\s*+(?:/\*[\da-fA-F]++\*/)?\s*+(?:\{\s*+)?(?:@!?\w++\s++)?\Z"),
}


@dataclass(frozen=True)
class WordAt:
    """A word where it is.

    Attributes:
        text: The word with all its modifiers, such as ``ld.global.f32``.
        span: Its first column, counted from 0, and the one behind its last.
        opens: Whether a statement begins with it, as with an opcode or a directive.
    """

    text: str
    span: tuple[int, int]
    opens: bool


def word_at(kind: CodeKind, line: str, column: int) -> WordAt | None:
    """Returns the word that covers a column, counted from 0; None in between and in comments."""
    code = line.partition(_COMMENT)[0]
    words = (_WORD if kind in _BEFORE else _NAME).finditer(code)
    found = next((word for word in words if word.start() <= column < word.end()), None)
    return WordAt(found[0], found.span(), _opens(kind, code, found)) if found else None


def openings(kind: CodeKind, line: str) -> Iterator[int]:
    """Yields the columns of the words that say what the line does: of PTX and SASS the opcode's.

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
