"""Whether an option is typed to its end, and what it could become before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from jitstudio.core.options.parsing import OPTIONS, addressed, find, read, split_options
from jitstudio.core.options.spec import Kind, OptionSpec

_WORDS_OF_TRUTH = ("true", "false")


@dataclass(frozen=True)
class Suggestion:
    """A word to offer.

    Attributes:
        word: What it would become.
        help: What that is, in words.
    """

    word: str
    help: str


def suggestions(word: str) -> tuple[Suggestion, ...]:
    """The options, or the values after `=`, that a word could become.

    The word may be addressed to a tool, as in ``nvjitlink:-l``; then that tool's are offered.
    """
    tool, typed = addressed(word)
    if not typed.startswith("-"):
        return ()
    address = word[: len(word) - len(typed)]
    return tuple(
        Suggestion(address + text, f"{spec.name}: {spec.help}")
        for text, spec in (_values(typed) if "=" in typed else _flags())
        if text.startswith(typed) and text != typed and (tool is None or tool in spec.spellings)
    )


def is_half_typed(text: str, cursor: int) -> bool:
    """Whether the word at the cursor is no option yet, with its value, that the table knows.

    One that the table does not know is typed to its end once a blank follows it.
    """
    typed = text[:cursor] + text[cursor:].partition(" ")[0]
    try:
        given = read(split_options(typed))
    except ValueError:
        return True  # a quote is open
    if not given:
        return False
    last = given[-1]
    if last.spec is None:
        return not typed[-1:].isspace()
    return not (last.spec.accepts(last.value) and last.value != "")


def _flags() -> Iterator[tuple[str, OptionSpec]]:
    for spec in OPTIONS:
        if not spec.managed:
            for flag in sorted(spec.flags):
                yield f"{flag}=" if spec.takes_value and not spec.glued else flag, spec


def _values(typed: str) -> Iterator[tuple[str, OptionSpec]]:
    spec, _ = find(typed)
    if spec is None:
        return
    flag = typed.partition("=")[0]
    words = _WORDS_OF_TRUTH if spec.value.kind is Kind.TRUTH else spec.value.choices
    for value in words:
        yield f"{flag}={value}", spec
