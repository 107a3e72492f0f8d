"""The values of commands: a check for each kind, whoever has written the value.

A check returns the value as commands use it, or raises a ValueError whose message has no subject:
``must be at least 1``. Python's name, a flag or a key is put in front by whoever shows it.

To add a kind of value: a check here, whose message has no subject; `tests/commands` tries wrong
values on every field from every front end.
"""

from __future__ import annotations

import contextlib
import os
import reprlib
import sys
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from numbers import Integral, Real
from typing import Any, NamedTuple, TypeAlias

from jitstudio.core.arch import Arch
from jitstudio.core.code import EMITTED_KINDS, CodeKind, Header, Source
from jitstudio.core.launch.device import SIMULATED_DEVICE
from jitstudio.core.options import split_options

ModuleInput: TypeAlias = str | Source
"""A module of a command: the path of its file, or what Python has handed over."""
Pairs: TypeAlias = tuple[tuple[str, str], ...]
HeaderInputs: TypeAlias = tuple[tuple[str, str | Header], ...]
"""Headers by the names under which they are included: the paths of files, or texts in memory."""
_PREDICATES = ("must ", "is ", "takes ", "gives ", "does ")
_EMPTY = "is empty. Say what it shall be, or leave it out."
_Check: TypeAlias = Callable[[Any], Any]


class UsageError(ValueError):
    """A command cannot be carried out; the message says how to change the command."""


class WrongValueError(UsageError):
    """The value of an option is wrong.

    Attributes:
        name: The option, as Python calls it.
        reason: The mistake, without a subject.
    """

    def __init__(self, name: str, value: object, reason: str) -> None:
        super().__init__(f"{name}={reprlib.repr(value)}: {reason}")
        self.name, self.reason = name, reason

    def about(self, subject: str) -> str:
        """Returns the message with another name of the option, such as ``--shared``."""
        return f"{subject}{'' if self.reason.startswith(_PREDICATES) else ':'} {self.reason}"


class ArgumentKind(NamedTuple):
    """A kind of values, with check and reader.

    Attributes:
        check: Returns the value as commands use it; raises a ValueError.
        read: Returns the value that one word says, for `check` to judge; None for the word itself.
        is_list: Whether there are several words, each with a flag of its own.
        choices: The words, where there are few.
        is_flag: Whether a flag alone says it, without a word.
    """

    check: _Check
    read: _Check | None = None
    is_list: bool = False
    choices: tuple[str, ...] = ()
    is_flag: bool = False


_LONGEST_QUOTED = 200


def _quoted(value: object) -> str:
    if not isinstance(value, str):
        return reprlib.repr(value)
    rest = "…" if len(value) > _LONGEST_QUOTED else ""
    return f"'{value[:_LONGEST_QUOTED]}{rest}'"


def _number(read: type[int] | type[float], takes: str, refusal: str, fits: _Check) -> ArgumentKind:
    """Returns the kind of the numbers that fit; the refusal says which do."""
    kind, noun = (Integral, "whole number") if read is int else (Real, "number")

    def check(value: Any) -> Any:
        # True is an int in Python, and no number of blocks.
        if isinstance(value, bool) or not isinstance(value, kind):
            word = noun if isinstance(value, Real) else "number"
            raise ValueError(f"{_quoted(value)} is not a {word}. It takes {takes}.")
        # As Python's own number first: one of NumPy's warns where it is compared with a large one.
        with contextlib.suppress(OverflowError):
            if fits(number := read(value)):  # type: ignore[call-overload]
                return number
        raise ValueError(f"{refusal}.")

    def number_in(text: str) -> Any:
        try:
            return read(text)
        # `check` refuses the text, with the message for values from Python.
        except ValueError:
            return text

    return ArgumentKind(check, number_in)


_LARGEST = sys.float_info.max


def whole(least: int, more: str = "") -> ArgumentKind:
    """Returns the kind of whole numbers from `least` on; `more` names further values."""
    takes = f"a whole number, at least {least}{more}"
    return _number(int, takes, f"must be at least {least}", lambda value: value >= least)


COUNT, COUNT_OR_NONE = whole(1), whole(0)
SECONDS = _number(
    float,
    "seconds, more than 0",
    "must be more than 0 seconds, and a number that Python has",
    lambda value: 0 < value <= _LARGEST,
)
TOLERANCE = _number(
    float, "a number, 0 or more", "must be 0 or more", lambda value: 0 <= value <= _LARGEST
)


def _true_or_false(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{_quoted(value)} is neither True nor False.")
    return value


FLAG = ArgumentKind(_true_or_false, is_flag=True)


def _any_text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("a text belongs here.")
    try:
        value.encode()
    except UnicodeEncodeError:
        shown = value.encode("utf-8", "replace").decode()
        raise ValueError(f"{_quoted(shown)} is not UTF-8.") from None
    return value


def _text(value: Any) -> str:
    if not _any_text(value):
        raise ValueError(_EMPTY)
    return str(value)


def _path(value: Any) -> str:
    path = os.fspath(value) if isinstance(value, os.PathLike) else value
    if not isinstance(path, str):
        raise ValueError("the path of a file or folder belongs here.")
    if "\0" in path:
        raise ValueError("no file can have such a name: it holds a NUL character.")
    if not path:
        raise ValueError(_EMPTY)
    return path


TEXT = ArgumentKind(_text)
ANY_TEXT = ArgumentKind(_any_text)
"""A text that may be empty."""
PATH = ArgumentKind(_path)


def _several(check: _Check, what: str = "a text or several belong here") -> ArgumentKind:
    """Returns the kind of lists whose elements pass a check; a text alone is a list by itself."""

    def checked(value: Any) -> tuple[Any, ...]:
        is_item = isinstance(value, (str, bytes, os.PathLike, Source, Enum, Mapping))
        try:
            items: tuple[Any, ...] = (value,) if is_item else tuple(value)
        except TypeError:
            items = (value,)
        for item in items:
            if not isinstance(item, (str, os.PathLike, Source, Enum)):
                raise ValueError(f"{what}, not {reprlib.repr(item)}.")
        return tuple(map(check, items))

    return ArgumentKind(checked, is_list=True)


TEXTS, ANY_TEXTS = _several(_text), _several(_any_text)
OPTIONS = ArgumentKind(
    lambda value: TEXTS.check(split_options(_text(value)) if isinstance(value, str) else value),
    is_list=True,
)
"""Options for the compilers: a list has an option in each text, a text several as in a shell."""
ModuleOptionSets: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]
"""Options of modules, by their names."""
PATHS = _several(_path)


def _module(value: Any) -> ModuleInput:
    return value if isinstance(value, Source) else _path(value)


def _modules(value: Any) -> tuple[ModuleInput, ...]:
    modules: tuple[ModuleInput, ...] = _several(_module, "files belong here").check(value)
    if not modules:
        raise ValueError("is empty. Name a file.")
    return modules


MODULE, MODULES = ArgumentKind(_module), ArgumentKind(_modules)


def choice(
    words: Iterable[str] | Mapping[str, Any] | type[Enum], *, or_none: bool = False
) -> ArgumentKind:
    """Returns the kind of words in a list or mapping.

    Args:
        words: The known words, with their meaning; or an enumeration, by its values.
        or_none: Whether Python may say None in their place, for the message.
    """
    if isinstance(words, type):
        words = {member.value: member for member in words}
    members = words if isinstance(words, Mapping) else {word: word for word in words}
    names = [*(repr(word) for word in members), *(("None",) if or_none else ())]
    known = f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else names[0]

    def check(value: Any) -> Any:
        for word, member in members.items():
            if value is member or (isinstance(value, str) and value == word):
                return member
        raise ValueError(f"{_quoted(value)} is not known. It is {known}.")

    return ArgumentKind(check, choices=tuple(members))


def _arch(value: Any) -> Arch:
    if isinstance(value, Arch):
        return value
    if not isinstance(value, str):
        raise ValueError("takes a target such as 'sm_90'.")
    return Arch.parse(_any_text(value))


ARCH = ArgumentKind(_arch)


def _between_commas(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if not value:
        raise ValueError(_EMPTY)
    return tuple(dict.fromkeys(filter(None, map(str.strip, value.split(",")))))


def _emitted(value: Any) -> CodeKind:
    words = {kind.value: kind for kind in EMITTED_KINDS}
    if isinstance(value, CodeKind) and value in EMITTED_KINDS:
        return value
    if value not in words:
        raise ValueError(f"does not know {_quoted(value)}. It takes: {','.join(words)}.")
    return words[value]


def _targets(value: Any) -> tuple[str, ...]:
    words: tuple[str, ...] = TEXTS.check(_between_commas(value))
    if not words:
        raise ValueError(_EMPTY)
    for word in words:
        Arch.parse(word)
    return words


def _all_emitted(value: Any) -> tuple[CodeKind, ...]:
    kinds: tuple[CodeKind, ...] = _several(_emitted).check(_between_commas(value))
    # A list without a kind asks for figures alone; commas without one are a slip.
    if isinstance(value, str) and not kinds:
        raise ValueError(_EMPTY)
    return kinds


EMITTED = ArgumentKind(_all_emitted)
TARGETS = ArgumentKind(_targets)

_GPU = whole(0, f", or '{SIMULATED_DEVICE.uuid}' for the simulator")


def _device(value: Any) -> int | str:
    is_simulator = isinstance(value, str) and value == SIMULATED_DEVICE.uuid
    return SIMULATED_DEVICE.uuid if is_simulator else _GPU.check(value)


def _read_device(word: str) -> Any:
    return _GPU.read(word.strip()) if _GPU.read else word


def _devices(value: Any) -> tuple[int | str, ...]:
    values = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    if not values:
        raise ValueError(_EMPTY)
    return tuple(map(_device, values))


DEVICE = ArgumentKind(_device, _read_device)
DEVICES = ArgumentKind(_devices, lambda text: tuple(map(_read_device, text.split(","))))


def _size(value: Any) -> str:
    """Returns a size as launches are written: a number or an expression, or several by axis."""
    if isinstance(value, (tuple, list)) and value:
        return ",".join(map(_size_of_axis, value))
    return _size_of_axis(value)


def _size_of_axis(value: Any) -> str:
    return _any_text(value) if isinstance(value, str) else str(_SIZE.check(value))


_SIZE = whole(0, ", or an expression as a text")
SIZE = ArgumentKind(_size)


def _pair(pair: Any, takes: str, *, alone: bool = False) -> tuple[str, str]:
    """Returns name and text of a pair, or of a word ``NAME=TEXT``."""
    if isinstance(pair, tuple) and len(pair) == 2:
        name, text = _any_text(pair[0]).strip(), str(pair[1]).strip()
    else:
        word = _any_text(pair)
        name, equals, text = (part.strip() for part in word.partition("="))
        if alone and not (name and equals):
            # A variable alone is one to be read back: `hits:out`.
            name, _, text = (part.strip() for part in word.rpartition(":"))
            equals = text if text in ("in", "out", "inout") else ""
        name = name if equals else ""
    if not name:
        raise ValueError(f"takes {takes}, not {_quoted(pair)}.")
    return name, text


def _pairs(value: Any, takes: str, *, alone: bool = False) -> Pairs:
    if isinstance(value, Mapping):
        return tuple(_pair(pair, takes) for pair in value.items())
    if not isinstance(value, (tuple, list)):
        raise ValueError("names and values belong here, as in a dict.")
    return tuple(_pair(pair, takes, alone=alone) for pair in value)


def _named_texts(*, alone: bool) -> ArgumentKind:
    def check(value: Any) -> Pairs:
        texts: dict[str, str] = {}
        for name, text in _pairs(value, "NAME=TEXT", alone=alone):
            if name in texts:
                raise ValueError(f"gives '{name}' twice.")
            texts[name] = text
        return tuple(texts.items())

    return ArgumentKind(check, is_list=True)


ARGUMENTS, VARIABLES = _named_texts(alone=False), _named_texts(alone=True)


def _headers(value: Any) -> HeaderInputs:
    """Returns headers; in a mapping a text or bytes are the header itself, as is a `Header`."""
    if isinstance(value, Mapping):
        return tuple(_header(_text(name), content) for name, content in value.items())
    if isinstance(value, (tuple, list)) and any(_is_in_memory(pair) for pair in value):
        return tuple(pair if _is_in_memory(pair) else _headers([pair])[0] for pair in value)
    headers = _pairs(value, "NAME=PATH")
    for name, path in headers:
        if not path:
            raise ValueError(f"takes NAME=PATH, not '{name}='.")
    return headers


def _header(name: str, content: Any) -> tuple[str, str | Header]:
    match content:
        case Header():
            return name, content
        case os.PathLike():
            return name, _path(content)
        case bytes():
            return name, Header(name, content)
        case str():
            return name, Header(name, _any_text(content).encode())
    raise ValueError(f"'{name}' is {reprlib.repr(content)}, where the header belongs, or its path.")


def _is_in_memory(pair: Any) -> bool:
    return isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[1], Header)


HEADERS = ArgumentKind(_headers, is_list=True)


def _options_of_modules(value: Any) -> ModuleOptionSets:
    sets: dict[str, tuple[str, ...]] = {}
    if isinstance(value, Mapping):
        pairs = tuple(value.items())
    elif isinstance(value, (tuple, list)):
        pairs = tuple(p if isinstance(p, tuple) else _pair(p, "NAME=OPTIONS") for p in value)
    else:
        raise ValueError("names of modules and their options belong here, as in a dict.")
    for name, options in pairs:
        if _text(name) in sets:
            raise ValueError(f"gives '{name}' twice.")
        sets[name] = OPTIONS.check(options) if options else ()
    return tuple(sets.items())


OPTIONS_OF_MODULES = ArgumentKind(_options_of_modules, is_list=True)
