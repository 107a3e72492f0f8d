"""Messages by which a program hands code to an open window: the format, limits and version.

A message is a head (`MARK`, the version, the length) and a value of `core.codec`, which holds data
only: reading it runs nothing. The answer has the same form. Both ends close after one of each.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath
from typing import Generic, TypeVar

from jitstudio.core.code import CodeKind, Source, kind_of
from jitstudio.core.codec import Codec, CodecError

MARK = b"jitstudio"
VERSION = 1
LARGEST_MESSAGE = 256 * 2**20
"""Bytes of the largest message, its head not counted."""
MOST_ITEMS = 100
_LONGEST_NAME = 200  # bytes: a file gets it, with a few more while it is written
_LONGEST_PATH = 4096
_LONGEST_PROBLEM = 4096
_HEAD = struct.Struct(f"<{len(MARK)}sHQ")
HEAD_BYTES = _HEAD.size
"""How long the head of a message is."""

_T = TypeVar("_T")


class HandoverError(ValueError):
    """Nothing was handed over; the message is a sentence that says why."""


@dataclass(frozen=True)
class HandedCode:
    """Code to open in a tab.

    Attributes:
        name: What its tab is called, with the ending of its kind.
        kind: What it is.
        content: Its text in UTF-8, or its bytes.
    """

    name: str
    kind: CodeKind
    content: bytes


@dataclass(frozen=True)
class Handover:
    """The code and the paths to open.

    Attributes:
        code: Each in a tab of its own.
        paths: Files, by their absolute paths, as if the user had opened them.
    """

    code: tuple[HandedCode, ...] = ()
    paths: tuple[str, ...] = ()

    @classmethod
    def of(cls, sources: Iterable[Source]) -> Handover:
        """Returns the message that hands over these modules."""
        return cls(tuple(HandedCode(_named(s), s.kind, s.content) for s in sources))


@dataclass(frozen=True)
class HandoverAnswer:
    """The tabs that were opened, or the problem.

    Attributes:
        tabs: The tabs that were opened, by their names.
        problem: Why not all was opened, in sentences; empty if all was.
    """

    tabs: tuple[str, ...] = ()
    problem: str = ""


class _Format(Generic[_T]):
    """Messages with a value of a type."""

    def __init__(self, kind: type[_T]) -> None:
        self._codec: Codec[_T] = Codec(kind)

    def message(self, value: _T) -> bytes:
        pieces = self._codec.dump(value)
        length = sum(map(len, pieces))
        if length > LARGEST_MESSAGE:
            raise HandoverError(_too_large(length))
        return b"".join((_HEAD.pack(MARK, VERSION, length), *pieces))

    def read(self, body: bytes) -> _T:
        try:
            return self._codec.load(body)
        except CodecError as error:
            raise HandoverError(f"The message cannot be read: {error}.") from None


_HANDOVERS = _Format(Handover)
_ANSWERS = _Format(HandoverAnswer)


def message(handover: Handover) -> bytes:
    """Returns the message for a window.

    Raises:
        HandoverError: It is larger than a window takes.
    """
    _check(handover)
    return _HANDOVERS.message(handover)


def read_message(body: bytes) -> Handover:
    """Returns the handover in a message, read from the bytes behind the head.

    Raises:
        HandoverError: It asks for nothing that can be done.
    """
    handover = _HANDOVERS.read(body)
    _check(handover)
    return handover


def answer(reply: HandoverAnswer) -> bytes:
    """Returns the answer to a message."""
    return _ANSWERS.message(HandoverAnswer(reply.tabs, reply.problem[:_LONGEST_PROBLEM]))


def read_answer(body: bytes) -> HandoverAnswer:
    """Returns an answer, read from the bytes behind the head.

    Raises:
        HandoverError: It is none.
    """
    return _ANSWERS.read(body)


def length_in(head: bytes) -> int:
    """Returns how many bytes follow a head.

    Raises:
        HandoverError: It is no head, of another version, or announces more than is taken.
    """
    if len(head) < HEAD_BYTES:
        raise HandoverError("The message ends before its head does.")
    mark, version, length = _HEAD.unpack_from(head)
    if mark != MARK:
        raise HandoverError("The message is none of jitstudio.")
    if version != VERSION:
        raise HandoverError(
            f"The message has version {version}, and this jitstudio knows version {VERSION}: use "
            "the same jitstudio in your program as in the window."
        )
    if length > LARGEST_MESSAGE:
        raise HandoverError(_too_large(length))
    return int(length)


def _too_large(length: int) -> str:
    return (
        f"The message has {length:,} bytes, and a window takes at most {LARGEST_MESSAGE:,}. "
        "Hand over fewer kernels at a time, or save them and open the files."
    )


def _named(source: Source) -> str:
    """Returns the name of the tab, with the ending of the module's kind."""
    is_known = kind_of(source.name) is source.kind
    return source.name if is_known else source.name + source.kind.ending


def _check(handover: Handover) -> None:
    if not handover.code and not handover.paths:
        raise HandoverError("There is nothing in it to show.")
    if len(handover.code) + len(handover.paths) > MOST_ITEMS:
        raise HandoverError(f"A window takes at most {MOST_ITEMS} tabs at a time.")
    for code in handover.code:
        is_name = code.name.isprintable() and PurePath(code.name).name == code.name
        if not is_name or code.name in ("", "..") or len(code.name.encode()) > _LONGEST_NAME:
            raise HandoverError(
                f"{code.name[:_LONGEST_NAME]!r} is not the name of a tab. Give it one of at most "
                f"{_LONGEST_NAME} bytes, without folders."
            )
        if code.kind in (CodeKind.SASS, CodeKind.OPTIXIR):
            raise HandoverError(f"'{code.name}' is {code.kind.title}, which no tab holds.")
        if kind_of(code.name) is not code.kind:
            raise HandoverError(
                f"'{code.name}' is {code.kind.title}, whose names end in '{code.kind.ending}'."
            )
    for path in handover.paths:
        if not path.startswith("/") or "\0" in path or len(path) > _LONGEST_PATH:
            raise HandoverError(f"{path[:_LONGEST_NAME]!r} is not an absolute path of a file.")
