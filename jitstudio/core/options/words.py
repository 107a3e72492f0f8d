"""What a user typed, read as options."""

from __future__ import annotations

import os
import shlex
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from jitstudio.core.options.spec import Kind, OptionSpec
from jitstudio.core.options.table import find
from jitstudio.core.tools import Tool

# The compiler in the driver has no spellings of its own: it is sent what nvJitLink would be.
ADDRESSES = {tool.value.lower(): tool for tool in Tool if tool is not Tool.DRIVER} | {
    "nvvm": Tool.NVVM
}
"""What may stand before the colon of an option, in small letters."""

# Splitting takes the square of the longest word.
_LONGEST = 1 << 16


@dataclass(frozen=True)
class Given:
    """One option as it was given.

    Attributes:
        words: What was written: one word, or a flag and its value.
        option: The same without the address of a tool.
        tool: The tool it is addressed to, as in ``nvjitlink:-O0``.
        spec: Its row; None for an option that the table does not know.
        value: What it was given; None where nothing was.
    """

    words: tuple[str, ...]
    option: str
    tool: Tool | None = None
    spec: OptionSpec | None = None
    value: str | None = None


def split_options(text: str) -> tuple[str, ...]:
    """Split what was typed into an options field, with the quoting of a shell.

    Raises:
        ValueError: A quote is not closed, or there is too much; the message is fit for a person.
    """
    if len(text) > _LONGEST:
        raise ValueError(f"The options are longer than {_LONGEST:,} characters.")
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise ValueError(f"The options cannot be read: {error}. Check the quotes.") from None


def join_options(words: Iterable[str]) -> str:
    """The text of an options field for these words."""
    return shlex.join(words)


def read(words: Iterable[str]) -> tuple[Given, ...]:
    """The options that these words are."""
    rest = deque(words)
    given: list[Given] = []
    while rest:
        word = rest.popleft()
        tool, option = addressed(word)
        spec, value = find(option)
        if spec and tool is None and value is None and _begins_with_value(spec, rest):
            value = rest.popleft()
            given.append(Given((word, value), spec.written(value), None, spec, value))
        else:
            given.append(Given((word,), option, tool, spec, value))
    return tuple(given)


def rooted(words: Iterable[str], folder: str) -> tuple[str, ...]:
    """These words with the paths of files and folders from this folder on; as they are for ''."""
    given = read(words) if folder else ()
    return tuple(word for one in given for word in _rooted(one, folder)) if folder else (*words,)


def without(words: Iterable[str], others: Iterable[str]) -> tuple[str, ...]:
    """These words less the options that the others give another value."""
    anew = {_place(given) for given in read(others)} - {None}
    kept = (given for given in read(words) if _place(given) not in anew)
    return tuple(word for given in kept for word in given.words)


def without_option(options: Iterable[str], unwanted: str) -> tuple[str, ...]:
    """The words of all options but this one, whatever tool it addresses.

    An option that is named without a value goes with any value.
    """
    kept = (given for given in read(options) if not _is_meant(given, unwanted))
    return tuple(word for given in kept for word in given.words)


def addressed(word: str) -> tuple[Tool | None, str]:
    """The tool that a word such as ``nvjitlink:-O0`` is for, and what is left without it."""
    address, _, option = word.partition(":")
    tool = ADDRESSES.get(address.lower())
    return (tool, option) if tool else (None, word)


def _rooted(given: Given, folder: str) -> tuple[str, ...]:
    spec, value, tool = given.spec, given.value, given.tool
    if not (spec and value and spec.names_file) or value == spec.value.harmless:
        return given.words
    path = os.path.join(folder, value)
    if tool is None:
        return (spec.written(path),)
    return (f"{tool.value}:{spec.sent(tool, path)}",) if tool in spec.spellings else given.words


def _is_meant(given: Given, unwanted: str) -> bool:
    flag = given.option.partition("=")[0]
    spec = given.spec
    # A tool complains of the option as it was sent, in that tool's spelling.
    sent = [spec.sent(tool, given.value) for tool in spec.spellings] if spec else []
    return unwanted in (" ".join(given.words), given.option, flag, *sent)


def _place(given: Given) -> tuple[str, Tool | None] | None:
    """What an option sets, for the options of which only one can count."""
    spec = given.spec
    return None if spec is None or spec.repeated else (spec.name, given.tool)


def _begins_with_value(spec: OptionSpec, rest: deque[str]) -> bool:
    """Whether the next word is the value of a flag that stands alone, as in ``-I include``."""
    if not (rest and spec.takes_value):
        return False
    if spec.value.kind is Kind.OPTION:
        return True
    return not rest[0].startswith("-") and addressed(rest[0])[0] is None
