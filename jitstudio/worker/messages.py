"""What crosses the pipe between the program and its worker processes, around what they are asked.

A program of `worker.programs` declares what it takes and what it answers. Nothing else is read:
whoever writes to the pipe, the native code in a child included, can only give values of that type.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, reduce
from operator import or_
from types import GenericAlias, NoneType
from typing import Any, Generic, TypeVar

from jitstudio.core.codec import Codec
from jitstudio.worker.sandbox.access import Access

_Request = TypeVar("_Request")
_Event = TypeVar("_Event")
_Answer = TypeVar("_Answer")


class Unfit(ValueError):
    """What a child says is of the right type and still no answer to what it was asked."""


@dataclass(frozen=True)
class Call(Generic[_Request]):
    """To the child: do this.

    Attributes:
        ticket: The number of the call.
        request: What to do.
        access: What the process may reach; it is sealed with that of its first call.
    """

    ticket: int
    request: _Request
    access: Access = field(default_factory=Access)


@dataclass(frozen=True)
class Told(Generic[_Event]):
    """From the child, while it works: this happened."""

    ticket: int
    event: _Event


@dataclass(frozen=True)
class Done(Generic[_Answer]):
    """From the child: finished.

    Attributes:
        ticket: Of the call.
        answer: What was asked for. What a `Job` has made is in its events; its answer is what that
            rests on, a `Basis`.
        chores: Whether a `Precompile` would be of use.
        spent: Whether the process is of no use any more, so that the next call needs another.
    """

    ticket: int
    answer: _Answer
    chores: bool = False
    spent: bool = False


@dataclass(frozen=True)
class Broke:
    """From the child: an exception that nobody expected, a bug of jitstudio's own."""

    ticket: int
    traceback: str


Reply = Told[Any] | Done[Any] | Broke


def anything_goes(request: Any, said: Any) -> None:
    """There is nothing to see about an answer but its type."""


@dataclass(frozen=True, eq=False)
class Service:
    """One kind of request that a program takes.

    Attributes:
        request: Its type.
        largest: Bytes that all replies to one request together may have.
        answer: The type of the answer.
        event: The type of what is told meanwhile; None where nothing is.
        check: Called with a request and each event or answer to it; raises `Unfit` where one
            would lead the program astray though its type is right.
        most_events: How often something may be told.
    """

    request: type
    largest: int
    answer: Any = NoneType
    event: Any = None
    check: Callable[[Any, Any], None] = anything_goes
    most_events: int = 1_000

    @cached_property
    def replies(self) -> Codec[Reply]:
        """How replies are stored."""
        told = [GenericAlias(Told, (self.event,))] if self.event is not None else []
        return Codec(reduce(or_, [GenericAlias(Done, (self.answer,)), *told, Broke]))


@dataclass(frozen=True, eq=False)
class Program:
    """What a worker process runs.

    Attributes:
        module: Whose `main` it is.
        services: All that it can be asked.
    """

    module: str
    services: tuple[Service, ...]

    @cached_property
    def calls(self) -> Codec[Call[Any]]:
        """How calls are stored."""
        requests = reduce(or_, [service.request for service in self.services])
        return Codec(GenericAlias(Call, (requests,)))

    def service(self, request: object) -> Service:
        """What answers this request."""
        return next(one for one in self.services if isinstance(request, one.request))
