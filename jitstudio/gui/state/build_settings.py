"""How the documents are built: target, options, link, switches. One owner, many views."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from PySide6.QtCore import QObject, Signal

from jitstudio.core.arch import DEFAULT_ARCH, Arch
from jitstudio.core.project.project import Project
from jitstudio.core.request import LinkMode


class Switch(Enum):
    """Something about a build that is on or off; the value is its name in a session file."""

    LIBDEVICE = "libdevice"
    JOIN_IR = "join_ir"
    DRIVER_JIT = "driver_jit"
    HOST_CODE_ASIDE = "host_code_aside"
    CACHE = "cache"
    PRECOMPILE = "precompile_headers"
    UNSAFE = "unsafe_options"


ON_AT_FIRST = frozenset({Switch.CACHE, Switch.PRECOMPILE, Switch.HOST_CODE_ASIDE})
_OF_PROJECTS = frozenset(
    (Switch.LIBDEVICE, Switch.JOIN_IR, Switch.DRIVER_JIT, Switch.HOST_CODE_ASIDE)
)
"""The other switches are the user's, whatever the project."""


@dataclass(frozen=True)
class Origin:
    """The author of what is built.

    Attributes:
        folder: That of the project, where relative paths in the options begin; empty for none.
        is_trusted: Whether it may do what the user's own code may.
    """

    folder: str = ""
    is_trusted: bool = True

    @property
    def confined_to(self) -> str:
        """The folder that builds stay within; empty where it is trusted. See `Document`."""
        return "" if self.is_trusted else self.folder


class BuildSettings(QObject):
    """What a build is done with, apart from the documents.

    Each program has a link of its own, so that one of them does not change how others are built.

    Signals:
        changed: Something that changes what is built.
        arch_changed, options_changed, drafting_changed, auto_build_changed: That value.
        link_changed: How the program is linked that is looked at now.
        switches_changed: All switches that are on.
        origin_changed: Others have written what is built, or it is trusted or not any more.
    """

    changed = Signal()
    arch_changed = Signal(Arch)
    options_changed = Signal(str)
    drafting_changed = Signal(bool)
    link_changed = Signal(LinkMode)
    auto_build_changed = Signal(bool)
    switches_changed = Signal(frozenset)
    origin_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._arch = DEFAULT_ARCH
        self._options = ""
        self._is_drafting = False
        self._program = ""
        self._links: dict[str, LinkMode] = {}
        self._auto_build = True
        self._switches = ON_AT_FIRST
        self._origin = Origin()

    @property
    def arch(self) -> Arch:
        """The target architecture."""
        return self._arch

    @arch.setter
    def arch(self, arch: Arch) -> None:
        if arch != self._arch:
            self._arch = arch
            self.arch_changed.emit(arch)
            self.changed.emit()

    @property
    def options(self) -> str:
        """The options as typed."""
        return self._options

    @options.setter
    def options(self, options: str) -> None:
        if options != self._options:
            self._options = options
            self.options_changed.emit(options)
            self.changed.emit()

    @property
    def is_drafting(self) -> bool:
        """Whether one of the options is still being typed: nothing is built by itself until then.

        What builds all the same takes the options as they are.
        """
        return self._is_drafting

    @is_drafting.setter
    def is_drafting(self, is_drafting: bool) -> None:
        if is_drafting != self._is_drafting:
            self._is_drafting = is_drafting
            self.drafting_changed.emit(is_drafting)

    @property
    def link(self) -> LinkMode:
        """Whether and how the modules of the program that is looked at are linked."""
        return self.link_of(self._program)

    @link.setter
    def link(self, link: LinkMode) -> None:
        self.set_link(self._program, link)

    @property
    def program(self) -> str:
        """The program that is looked at; see `Document.program`."""
        return self._program

    @property
    def links(self) -> Mapping[str, LinkMode]:
        """How programs are linked; those that are not linked are left out."""
        return self._links

    def link_of(self, program: str) -> LinkMode:
        """Returns whether and how the modules of a program are linked."""
        return self._links.get(program, LinkMode.NONE)

    def set_link(self, program: str, link: LinkMode) -> None:
        """Links the modules of a program in this way."""
        if link is self.link_of(program):
            return
        self._links[program] = link
        if link is LinkMode.NONE:
            del self._links[program]
        if program == self._program:
            self.link_changed.emit(link)
        self.changed.emit()

    def turn_to(self, program: str) -> None:
        """Looks at a program: `link` is about it from now on."""
        before, self._program = self.link, program
        if self.link is not before:
            self.link_changed.emit(self.link)

    @property
    def switches(self) -> frozenset[Switch]:
        """The switches that are on."""
        return self._switches

    @switches.setter
    def switches(self, switches: frozenset[Switch]) -> None:
        if switches != self._switches:
            self._switches = switches
            self.switches_changed.emit(switches)
            self.changed.emit()

    def turn(self, switch: Switch, on: bool) -> None:
        """Turns one switch on or off."""
        self.switches = self._switches | {switch} if on else self._switches - {switch}

    @property
    def origin(self) -> Origin:
        """The author of what is built; the user as long as no project is open."""
        return self._origin

    @origin.setter
    def origin(self, origin: Origin) -> None:
        if origin != self._origin:
            self._origin = origin
            self.origin_changed.emit()

    def as_project(self, program: str = "") -> Project:
        """Returns what a project that consists of this program says of these settings."""
        return Project(
            arch=self._arch,
            options=self._options,
            link=self.link_of(program),
            libdevice=Switch.LIBDEVICE in self._switches,
            join_ir=Switch.JOIN_IR in self._switches,
            driver_jit=Switch.DRIVER_JIT in self._switches,
            keep_host_code=Switch.HOST_CODE_ASIDE not in self._switches,
        )

    def take_from(self, project: Project) -> None:
        """Builds the user's own program as a project says."""
        self.arch = project.arch
        self.options = project.options
        self.set_link("", project.link)
        on = {
            Switch.LIBDEVICE: project.libdevice,
            Switch.JOIN_IR: project.join_ir,
            Switch.DRIVER_JIT: project.driver_jit,
            Switch.HOST_CODE_ASIDE: not project.keep_host_code,
        }
        chosen = frozenset(switch for switch, is_on in on.items() if is_on)
        self.switches = (self._switches - _OF_PROJECTS) | chosen

    @property
    def auto_build(self) -> bool:
        """Whether an edit starts a build after a pause."""
        return self._auto_build

    @auto_build.setter
    def auto_build(self, auto_build: bool) -> None:
        if auto_build != self._auto_build:
            self._auto_build = auto_build
            self.auto_build_changed.emit(auto_build)
