"""What expressions of host code need of whoever goes through the functions that they call."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from tree_sitter import Node

from jitstudio.listing.cuda.host_launches.declared import HostClass
from jitstudio.listing.cuda.host_launches.values import HostObject, Names, Value
from jitstudio.listing.cuda.types import Argument


class CallResults(Protocol):
    """What goes through the functions and constructors that expressions call."""

    def result(self, node: Node, names: Names) -> HostObject | None:
        """Returns what a call gives, once for each call; None for no function of the text."""

    def constructed(
        self,
        owner: HostClass,
        bindings: dict[str, Argument],
        given: Sequence[Node],
        names: Names,
    ) -> HostObject:
        """Returns an object of a class that is made of these arguments."""

    def constant(self, written: str, names: Names) -> Value | None:
        """Returns what a constant of a class comes to; None for no class of the text."""

    def apart(self) -> AbstractContextManager[None]:
        """Begins code whose calls are gone through anew each time it is met, as of a macro."""
