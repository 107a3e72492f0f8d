"""Explains findings, and words of SASS, PTX, CUDA C++ and LLVM IR as the window's tips do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from jitstudio.analysis.findings.model import findings_called
from jitstudio.analysis.reference import openings, reference, word_at
from jitstudio.core.alike import nearest
from jitstudio.core.code import CodeKind
from jitstudio.help.topics import glossary

_OPCODES = (CodeKind.SASS, CodeKind.PTX)
_LANGUAGES = (CodeKind.CUDA, CodeKind.LLVM_IR)


@dataclass(frozen=True)
class WordExplanation:
    """The meaning of a word in a language, or of a finding.

    Attributes:
        kind: The title of the language, or the kind of finding.
        title: The word with its operands or arguments.
        text: The meaning, in a sentence or two.
        operands: The names in the title with their meanings.
        modifiers: The modifiers with their meanings.
        since: The first version and target with the word; empty where unknown.
    """

    kind: str
    title: str
    text: str
    operands: tuple[tuple[str, str], ...] = ()
    modifiers: tuple[tuple[str, str], ...] = ()
    since: str = ""


def explanations_of(text: str) -> list[WordExplanation]:
    """Returns the meanings of a word, or of the opcode of a line of SASS or PTX.

    Capitals count where there is a word with them: ``BAR`` is SASS, ``bar`` is PTX.
    """
    exact = list(_explanations(text, text, text))
    return exact or list(_explanations(text, text.upper(), text.lower()))


def findings_of(text: str) -> list[WordExplanation]:
    """Returns the findings of a rule or of a title, with dots for their figures."""
    return [
        WordExplanation(
            f"Finding ({finding.severity.value})",
            finding.title,
            f"{finding.reason} {finding.remedy}".rstrip(),
        )
        for finding in findings_called(text)
    ]


def nearest_word(text: str) -> str:
    """Returns the known word that is spelt most like a text; empty where none is alike."""
    from jitstudio.listing.vocabulary import vocabulary  # noqa: PLC0415 - takes long

    names = {entry.name for kind in _OPCODES for entry in reference(kind).entries}
    names |= {word.text for kind in _LANGUAGES for word in vocabulary(kind).words.values()}
    return nearest(text, names | {entry.title for entry in glossary().values()})


def _explanations(text: str, sass: str, ptx: str) -> Iterator[WordExplanation]:
    for kind, spelling in zip(_OPCODES, (sass, ptx), strict=True):
        words = reference(kind)
        column = next(openings(kind, spelling), None)
        opening = word_at(kind, spelling, column) if column is not None else None
        explanation = opening and words.explain(opening.text, opens=True)
        if explanation := explanation or words.explain(spelling):
            entry = explanation.entry
            yield WordExplanation(
                kind.title, entry.title, entry.text, *explanation.tables, entry.since()
            )
    from jitstudio.listing.vocabulary import vocabulary  # noqa: PLC0415 - takes long

    for kind in _LANGUAGES:
        words_of_kind = vocabulary(kind).words
        # Of `threadIdx.x` the first part is known.
        known = words_of_kind.get(text) or words_of_kind.get(text.partition(".")[0])
        if known is not None and known.help:
            yield WordExplanation(kind.title, known.usage or known.text, known.help)
