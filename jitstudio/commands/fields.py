"""Options of commands: fields with their checks, and with how the command line says them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any, NamedTuple, Self

from jitstudio.commands.values import FLAG, ArgumentKind, WrongValueError


class CommandWord(NamedTuple):
    """How the command line says the value of a field.

    Attributes:
        flags: Such as ``--arch``; empty for words without one.
        help: What it does.
        kind: What the value may be.
        metavar: What stands for the value in the help.
        const: The value, where the flag alone says it; None for a word behind it.
        nargs: How many words, as argparse counts; None for one.
        is_required: Whether it has to be there.
        group: Of the words of a group only one may be there.
        has_opposite: Whether there is ``--no-…``, too.
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


def word(
    said: str,
    kind: ArgumentKind,
    what: str = "",
    *,
    default: Any = None,
    **more: Any,
) -> Any:
    """Returns a field of options whose value is a word behind a flag, or one without a flag.

    Args:
        said: As the help has it: ``-o, --output DIR``, or ``SRC``.
        kind: What the value may be.
        what: What it does.
        default: The value where nothing is said; an empty tuple where there may be several.
        more: See `CommandWord`.
    """
    words = said.split()
    flags = tuple(each.rstrip(",") for each in words if each.startswith("-"))
    names = words[len(flags) :]
    metavar = names[0] if len(names) == 1 else tuple(names) or None
    default = () if kind.is_list and default is None else default
    made = CommandWord(flags, what, kind, metavar, **more)
    return field(default=default, metadata=_metadata(made))


def flag(said: str, what: str, *, default: Any = False, const: Any = True, **more: Any) -> Any:
    """Returns a field of options that a flag alone sets; `what` is its help."""
    made = CommandWord((said,), what, FLAG, const=const, **more)
    return field(default=default, metadata=_metadata(made))


def ways(kind: ArgumentKind, flags: Mapping[str, tuple[Any, str]], group: str = "") -> Any:
    """Returns a field of options that one of several flags sets, each to a value of its own."""
    made = (
        CommandWord((each,), text, kind, const=const, group=group)
        for each, (const, text) in flags.items()
    )
    return field(default=None, metadata=_metadata(*made))


_KEY = "words"


def _metadata(*words: CommandWord) -> Mapping[str, tuple[CommandWord, ...]]:
    return {_KEY: words}


@dataclass(frozen=True, kw_only=True)
class CommandOptions:
    """What a command is asked to do. Whoever makes it has each value checked.

    Raises:
        WrongValueError: A value is wrong; the message names the field.
    """

    def __post_init__(self) -> None:
        for each, said in self.words():
            value = getattr(self, each.name)
            if value is None and each.default is None:
                continue
            try:
                checked = said[0].kind.check(value)
            except ValueError as error:
                raise WrongValueError(each.name, value, str(error)) from None
            object.__setattr__(self, each.name, checked)
        self.check_together()

    def check_together(self) -> None:
        """Checks what no value says alone.

        Raises:
            UsageError: Some of the values do not go together.
        """

    @classmethod
    def of(cls, **values: Any) -> Self:
        """Returns the options with these values, written in any way that a check takes."""
        return cls(**values)

    @classmethod
    def words(cls) -> Iterator[tuple[Field[Any], tuple[CommandWord, ...]]]:
        """Yields each field with how the command line says it."""
        return ((each, each.metadata[_KEY]) for each in fields(cls))

    @classmethod
    def flag_of(cls, name: str) -> str:
        """Returns what the command line calls a field: a flag, or what stands in the help."""
        said = next(said[0] for each, said in cls.words() if each.name == name)
        return said.flags[-1] if said.flags else str(said.metavar)
