"""Takes values out of JSON that anybody may have written, and names the place of a fault."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any, NoReturn, TypeVar

LARGEST = 64 * 2**20
"""Bytes of the largest project that is read."""

_DEEPEST = 32
_LARGEST_NUMBER = 2**63
_LONGEST_SHOWN = 40
_TITLES = {
    dict: "an object",
    list: "a list",
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    type(None): "null",
}
_Kind = TypeVar("_Kind", bound=Enum)
_Value = TypeVar("_Value")


class ProjectFormatError(ValueError):
    """A project cannot be understood; the message says where and why, in words."""


class Record:
    """One JSON object whose values are taken by their keys.

    Args:
        value: What stands at the place.
        place: Where it is, such as ``modules[1]``; empty for the whole.

    Raises:
        ProjectFormatError: It is no object.
    """

    def __init__(self, value: Any, place: str = "") -> None:
        self._place = place
        if type(value) is not dict:
            raise ProjectFormatError(_wrong(place, dict, value))
        self._values: dict[str, Any] = value

    def fail(self, key: str, message: str) -> NoReturn:
        """Say what is wrong with the value of this key.

        Raises:
            ProjectFormatError: Always.
        """
        raise ProjectFormatError(f"{self._at(key)}: {message}")

    def value(self, key: str, default: _Value) -> _Value:
        """The value, of the type of the default; the default where there is none."""
        value = self._values.get(key, default)
        # Not `isinstance`, to which True is a number.
        if type(value) is not type(default):
            raise ProjectFormatError(_wrong(self._at(key), type(default), value))
        return value

    def name(self, key: str) -> str:
        """A text that must be there and not be empty."""
        name = self.value(key, "")
        if not name or "\0" in name:
            self.fail(key, "a name belongs here.")
        return name

    def choice(self, key: str, default: _Kind) -> _Kind:
        """One of the words of an enumeration."""
        word = self.value(key, str(default.value))
        known = {str(kind.value): kind for kind in type(default)}
        if word not in known:
            self.fail(key, f"'{_short(word)}' is unknown here. Known: {', '.join(known)}.")
        return known[word]

    def parsed(self, key: str, parse: Callable[[str], _Value], default: _Value) -> _Value:
        """What a function makes of a text; its `ValueError` tells what is wrong."""
        if key not in self._values:
            return default
        try:
            return parse(self.value(key, ""))
        except ProjectFormatError:
            raise
        except ValueError as error:
            self.fail(key, str(error))

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts; empty where there is none."""
        texts: list[Any] = self.value(key, [])
        for index, text in enumerate(texts):
            if type(text) is not str:
                raise ProjectFormatError(_wrong(f"{self._at(key)}[{index}]", str, text))
        return tuple(texts)

    def records(self, key: str, most: int) -> Iterator[Record]:
        """The objects of a list; none where there is no list."""
        entries: list[Any] = self.value(key, [])
        if len(entries) > most:
            self.fail(key, f"{len(entries)} entries are more than the {most} that are read.")
        for index, entry in enumerate(entries):
            yield Record(entry, f"{self._at(key)}[{index}]")

    def record(self, key: str) -> Record:
        """The object of this key; an empty one where there is none."""
        return Record(self._values.get(key, {}), self._at(key))

    def items(self) -> Iterator[tuple[str, Any]]:
        """All keys and values."""
        yield from self._values.items()

    def has(self, key: str) -> bool:
        """Whether there is a value of this key."""
        return key in self._values

    def _at(self, key: str) -> str:
        return ".".join(filter(None, (self._place, key)))


def parse(data: bytes) -> Any:
    """The JSON in these bytes, without anything that cannot be written back as it was.

    Raises:
        ProjectFormatError: It is damaged, too large, nested too deeply, or holds numbers or texts
            that JSON has no place for.
    """
    if len(data) > LARGEST:
        raise ProjectFormatError(f"It is larger than the {LARGEST >> 20} MiB that are read.")
    try:
        value = json.loads(
            data.decode("utf-8-sig"),
            object_pairs_hook=_object,
            parse_constant=_no_number,
            parse_float=_number,
        )
    except UnicodeDecodeError as error:
        raise ProjectFormatError(f"It is damaged: byte {error.start} is no UTF-8.") from None
    except json.JSONDecodeError as error:
        raise ProjectFormatError(
            f"It is damaged in line {error.lineno}, column {error.colno}: {error.msg}."
        ) from None
    except RecursionError:
        raise ProjectFormatError("It is nested too deeply.") from None
    except ProjectFormatError:
        raise
    except ValueError:
        raise ProjectFormatError("It holds a number that is too large.") from None
    _check(value)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ProjectFormatError(f"The key '{_short(twice)}' stands twice in one object.")
    return made


def _number(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _no_number(text)


def _no_number(text: str) -> NoReturn:
    raise ProjectFormatError(f"'{_short(text)}' is no number that a project can hold.")


def _check(value: Any) -> None:
    """Look at everything in it, without recursion: it may be nested as deeply as Python goes."""
    level = [value]
    for _ in range(_DEEPEST):
        below: list[Any] = []
        for entry in level:
            if isinstance(entry, dict):
                below += [*entry, *entry.values()]
            elif isinstance(entry, list):
                below += entry
            else:
                _check_plain(entry)
        if not below:
            return
        level = below
    raise ProjectFormatError("It is nested too deeply.")


def _check_plain(value: Any) -> None:
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ProjectFormatError("A text holds half of a character (a surrogate).") from None
    elif isinstance(value, int) and abs(value) >= _LARGEST_NUMBER:
        raise ProjectFormatError("It holds a number that is too large.")


def _wrong(place: str, wanted: type, value: Any) -> str:
    return f"{place or 'The file'}: {_TITLES[wanted]} belongs here, not {_TITLES[type(value)]}."


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"
