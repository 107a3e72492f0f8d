"""Options of commands: fields with checks, and with the words of the command line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import Field, dataclass, field, fields
from enum import Enum
from typing import Any, NamedTuple, Self

from jitstudio.command_options.values import FLAG, ArgumentKind, WrongValueError


class CommandWord(NamedTuple):
    """How the command line says the value of a field.

    Attributes:
        flags: Such as ``--arch``; empty for words without one.
        help: The effect of the option.
        kind: The values that are taken.
        metavar: The word for the value in the help.
        const: The value, where the flag alone says it; None for a word behind it.
        nargs: How many words, as argparse counts; None for one.
        is_required: Whether it has to be there.
        group: Of the words of a group only one may be there.
        has_opposite: Whether there is ``--no-…``, too.
        takes_dash: Whether the word, behind the flag or without one, may begin with a dash.
    """

    flags: tuple[str, ...]
    help: str
    kind: ArgumentKind
    metavar: str | tuple[str, ...] | None = None
    const: Any = None
    nargs: Any = None
    is_required: bool = False
    group: str = ""
    has_opposite: bool = False
    takes_dash: bool = False


def word(form: str, kind: ArgumentKind, text: str = "", *, default: Any = None, **more: Any) -> Any:
    """Returns a field of options for a word behind a flag, or a word without a flag.

    Args:
        form: As the help has it: ``-o, --output DIR``, or ``SRC``.
        kind: The values that are taken.
        text: The effect of the option.
        default: The value of a field that is left out; an empty tuple for a list.
        more: See `CommandWord`.
    """
    parts = form.split()
    flags = tuple(part.rstrip(",") for part in parts if part.startswith("-"))
    names = parts[len(flags) :]
    metavar = names[0] if len(names) == 1 else tuple(names) or None
    words = (CommandWord(flags, text, kind, metavar, **more),)
    default = () if kind.is_list and default is None else default
    return field(default=default, metadata={_WORDS: words})


def flag(form: str, text: str, *, default: Any = False, const: Any = True, **more: Any) -> Any:
    """Returns a field of options that a flag alone sets."""
    words = (CommandWord((form,), text, FLAG, const=const, **more),)
    return field(default=default, metadata={_WORDS: words})


def ways(kind: ArgumentKind, flags: Mapping[str, tuple[Any, str]], group: str = "") -> Any:
    """Returns a field of options that several flags set, each to another value."""
    words = tuple(
        CommandWord((form,), text, kind, const=const, group=group)
        for form, (const, text) in flags.items()
    )
    return field(default=None, metadata={_WORDS: words})


_WORDS = "words"


@dataclass(frozen=True, kw_only=True)
class CommandOptions:
    """The options of a command. All values are checked when the object is made.

    Raises:
        WrongValueError: A value is wrong; the message names the field.
    """

    def __post_init__(self) -> None:
        for option, words in self.words():
            value = getattr(self, option.name)
            if value is None and option.default is None:
                continue
            try:
                checked = words[0].kind.check(value)
            except ValueError as error:
                raise WrongValueError(option.name, value, str(error)) from None
            object.__setattr__(self, option.name, checked)
        self.check_together()

    def check_together(self) -> None:
        """Checks values that no check of a single value can refuse.

        Raises:
            UsageError: Some of the values do not go together.
        """

    @classmethod
    def of(cls, **values: Any) -> Self:
        """Returns the options with these values, written in any way that a check takes."""
        return cls(**values)

    @classmethod
    def words(cls) -> Iterator[tuple[Field[Any], tuple[CommandWord, ...]]]:
        """Yields each field with the words of the command line."""
        return ((option, option.metadata[_WORDS]) for option in fields(cls))

    @classmethod
    def flag_of(cls, name: str) -> str:
        """Returns the name of a field on the command line: a flag, or the word in the help."""
        word = next(words[0] for option, words in cls.words() if option.name == name)
        return word.flags[-1] if word.flags else str(word.metavar)

    @classmethod
    def command_words(cls, values: Mapping[str, Any]) -> Iterator[str]:
        """Yields the words of the command line that say these values of fields, unchecked."""
        for option, words in cls.words():
            value: Any = values.get(option.name)
            for word in () if value is None else words:
                if word.const is None:
                    flag, is_list = word.flags[0], word.kind.is_list
                    for text in map(_text, value if is_list else (value,)):
                        # argparse takes a value with a dash for a flag of its own.
                        is_whole = is_list or text.startswith("-")
                        yield from (f"{flag}={text}",) if is_whole else (flag, text)
                elif value == word.const:
                    yield word.flags[0]
                elif word.has_opposite:
                    yield word.flags[0].replace("--", "--no-", 1)


def _text(value: object) -> str:
    if isinstance(value, tuple):
        return "=".join(value)
    return str(value.value if isinstance(value, Enum) else value)
