"""Places that a click can lead to; features register the ways to their places."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from jitstudio.analysis.key_figures import Figure
from jitstudio.core.code import CodeKind
from jitstudio.core.launch.simulation import ThreadPlace
from jitstudio.core.result import Kernel
from jitstudio.core.tools import Tool
from jitstudio.gui.state.documents import Document


@dataclass(frozen=True)
class SourcePlace:
    """A place in a source, or in the PTX of a source.

    Attributes:
        file: The name of a tab, or a path; a file that is in no tab is opened.
        line: Counted from 1; 0 where it is unknown.
        column: The same, in characters.
    """

    file: str
    line: int = 0
    column: int = 0


@dataclass(frozen=True)
class DocumentPlace:
    """The tab of a document, which may have been closed."""

    document: Document


@dataclass(frozen=True)
class ListingPlace:
    """A listing of PTX or SASS by name.

    Attributes:
        line: Counted from 1, 0 where it is unknown; None for the listing as it is.
    """

    kind: CodeKind
    name: str
    line: int | None = None


@dataclass(frozen=True)
class KernelPlace:
    """A kernel in PTX or SASS."""

    kind: CodeKind
    kernel: Kernel


@dataclass(frozen=True)
class LogPlace:
    """The log of a tool's run: the tool, the source and the number; None for the whole log."""

    key: tuple[Tool, str, int] | None


@dataclass(frozen=True)
class ProblemPlace:
    """The first problem of the list."""


@dataclass(frozen=True)
class SettingPlace:
    """A setting by key, in the dialog."""

    key: str


@dataclass(frozen=True)
class HelpPlace:
    """The best topic of the help for a text, such as a question."""

    text: str


@dataclass(frozen=True)
class StepPlace:
    """A step of a thread in the simulated launch of the form."""

    thread: ThreadPlace


@dataclass(frozen=True)
class CausePlace:
    """The cause of a key figure of the kernel that is looked at, in the report.

    Attributes:
        figure: The figure.
        lowered: The kernel's lowered name.
        threads: Threads of the block that the occupancy is of; None where it is unknown.
        dynamic_shared: Bytes of shared memory that the launch adds to each block.
    """

    figure: Figure
    lowered: str
    threads: int | None = None
    dynamic_shared: int = 0


@dataclass(frozen=True)
class RunPlace:
    """The cause of a key figure of the last run, in its results."""

    figure: Figure


Place = (
    SourcePlace
    | DocumentPlace
    | ListingPlace
    | KernelPlace
    | LogPlace
    | ProblemPlace
    | SettingPlace
    | HelpPlace
    | StepPlace
    | CausePlace
    | RunPlace
)
_Kind = TypeVar("_Kind", bound=Place)


class Navigator:
    """Leads to each kind of place by the function that the feature has registered.

    Args:
        register: Makes the pane whose feature registers the way to a class of places, by its name.
    """

    def __init__(self, register: Callable[[str], object]) -> None:
        self._ways: dict[type, Callable[[Any], object]] = {}
        self._register = register

    def lead(self, kind: type[_Kind], way: Callable[[_Kind], object]) -> None:
        """Registers the function that leads to a kind of place."""
        self._ways[kind] = way

    def go_to(self, place: Place) -> None:
        """Brings up a place."""
        if type(place) not in self._ways:
            self._register(type(place).__name__)
        self._ways[type(place)](place)

    def go_to_source(self, file: str, line: int = 0, column: int = 0) -> None:
        """Brings up a place in a source; see `SourcePlace`."""
        self.go_to(SourcePlace(file, line, column))
