"""How the documents are built: target, options, link, switches. One owner, many views."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal, Slot

from jitstudio.core.arch import DEFAULT_ARCH, Arch
from jitstudio.core.request import CudaCompiler, LinkMode
from jitstudio.gui.state.preferences import Preferences
from jitstudio.gui.state.settings_table import INTERPRETER

if TYPE_CHECKING:
    # The window comes up without one.
    from jitstudio.core.project.project import Project


class Switch(Enum):
    """A part of building that is on or off; the value is the name in session files.

    Those of `USERS_SWITCHES` are the user's, whatever is open; the others are the work's.
    """

    LIBDEVICE = "libdevice"
    JOIN_IR = "join_ir"
    DRIVER_JIT = "driver_jit"
    NVCC = "nvcc"
    KEEP_HOST_CODE = "keep_host_code"
    CACHE = "cache"
    PRECOMPILE = "precompile_headers"
    UNSAFE = "unsafe_options"


USERS_SWITCHES = {
    Switch.CACHE: "build.cache",
    Switch.PRECOMPILE: "build.precompile",
    Switch.UNSAFE: "build.unsafe_options",
}
"""The setting that says whether it is on."""
_KEYS = frozenset(USERS_SWITCHES.values())
_ON_CHANGE = "build.on_change"


class CodeTrust(NamedTuple):
    """Whether the code to build is trusted, and its folder.

    Attributes:
        folder: That of the project, where relative paths in the options begin; empty for none.
        is_trusted: Whether the code is trusted like the user's own.
    """

    folder: str = ""
    is_trusted: bool = True

    @property
    def confined_to(self) -> str:
        """The folder that builds stay within; empty for trusted code. See `Document`."""
        return "" if self.is_trusted else self.folder


class BuildSettings(QObject):
    """The settings of builds, apart from the documents.

    Each program has a link of its own, so that one of them does not change how others are built.

    Args:
        preferences: The settings that belong to the user, whatever is open.

    Signals:
        changed: Something that changes the result of builds.
        arch_changed, options_changed, drafting_changed, auto_build_changed: That value.
        toolchain_changed: The folder of the compilers.
        toolchain_wanted: The open work names other compilers, whose folder has to be looked for.
        toolchain_settled: It has been found, or is not there.
        link_changed: How the program is linked that is looked at now.
        switches_changed: All switches that are on.
        trust_changed: Code of another folder is built, or the trust in the code has changed.
    """

    changed = Signal()
    arch_changed = Signal(Arch)
    options_changed = Signal(str)
    drafting_changed = Signal(bool)
    toolchain_changed = Signal(str)
    toolchain_wanted = Signal()
    toolchain_settled = Signal()
    link_changed = Signal(LinkMode)
    auto_build_changed = Signal(bool)
    switches_changed = Signal(frozenset)
    trust_changed = Signal()

    def __init__(self, preferences: Preferences, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._preferences = preferences
        self._arch = DEFAULT_ARCH
        self._options = ""
        self._is_drafting = False
        self._toolchain = ""
        self._toolchain_name = ""
        self._awaits_toolchain = False
        self._program = ""
        self._links: dict[str, LinkMode] = {}
        self._switches = frozenset[Switch]()
        self._trust = CodeTrust()
        preferences.changed.connect(self._on_preference_changed)

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
        """Whether an option is still being typed: until then, changes start no build.

        A build that starts all the same takes the options as they are.
        """
        return self._is_drafting

    @is_drafting.setter
    def is_drafting(self, is_drafting: bool) -> None:
        if is_drafting != self._is_drafting:
            self._is_drafting = is_drafting
            self.drafting_changed.emit(is_drafting)

    @property
    def toolchain(self) -> str:
        """The folder of the compilers; see `BuildRequest`. No project and no session has one."""
        return self._toolchain

    @property
    def toolchain_name(self) -> str:
        """The name of the compilers in projects and sessions; empty for our own.

        Where there are none of that name, our own build in their place.
        """
        return self._toolchain_name

    @property
    def awaits_toolchain(self) -> bool:
        """Whether the search for the compilers of this name is still running."""
        return self._awaits_toolchain

    def choose_toolchain(self, name: str, folder: str) -> None:
        """Builds with the compilers in a folder, as the user wants."""
        if (name, folder) != (self._toolchain_name, self._toolchain):
            self._toolchain_name, self._awaits_toolchain = name, False
            self._set_toolchain(folder)
            self.changed.emit()

    def want_toolchain(self, name: str) -> None:
        """Builds with the named compilers as soon as `settle_toolchain` tells their folder."""
        if name != self._toolchain_name:
            self._toolchain_name, self._awaits_toolchain = name, bool(name)
            self._set_toolchain("")
            self.changed.emit()
            self.toolchain_wanted.emit()

    def settle_toolchain(self, folder: str) -> None:
        """Builds with the wanted compilers, which are in `folder`.

        Nothing else is changed, so that a build which the user has not asked for stays held.

        Args:
            folder: The folder; empty where the compilers are not there.
        """
        self._awaits_toolchain = False
        self._set_toolchain(folder)
        self.toolchain_settled.emit()

    def _set_toolchain(self, folder: str) -> None:
        if folder != self._toolchain:
            self._toolchain = folder
            self.toolchain_changed.emit(folder)

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
        """The link modes by program; programs that are not linked are left out."""
        return self._links

    def link_of(self, program: str) -> LinkMode:
        """Returns whether and how the modules of a program are linked."""
        return self._links.get(program, LinkMode.NONE)

    def set_link(self, program: str, link: LinkMode) -> None:
        """Sets the link mode of a program."""
        if link is self.link_of(program):
            return
        self._links[program] = link
        if link is LinkMode.NONE:
            del self._links[program]
        if program == self._program:
            self.link_changed.emit(link)
        self.changed.emit()

    def turn_to(self, program: str) -> None:
        """Looks at a program: `link` is about this program from now on."""
        before, self._program = self.link, program
        if self.link is not before:
            self.link_changed.emit(self.link)

    @property
    def switches(self) -> frozenset[Switch]:
        """The switches that are on."""
        value = self._preferences.value
        return self._switches | {switch for switch, key in USERS_SWITCHES.items() if value(key)}

    @property
    def works_switches(self) -> frozenset[Switch]:
        """The switches that are on and belong to the work."""
        return self._switches

    @works_switches.setter
    def works_switches(self, switches: frozenset[Switch]) -> None:
        if switches != self._switches:
            self._switches = switches
            self._emit_switches_changed()

    def turn(self, switch: Switch, on: bool) -> None:
        """Turns `switch` on or off."""
        if switch in USERS_SWITCHES:
            self._preferences.set_value(USERS_SWITCHES[switch], on)
        else:
            self.works_switches = self._switches | {switch} if on else self._switches - {switch}

    @property
    def trust(self) -> CodeTrust:
        """The trust in the code to build: full as long as no project is open."""
        return self._trust

    @trust.setter
    def trust(self, trust: CodeTrust) -> None:
        if trust != self._trust:
            self._trust = trust
            self.trust_changed.emit()

    @property
    def python(self) -> str:
        """The interpreter of Python files; see `BuildRequest`."""
        return str(self._preferences.value(INTERPRETER))

    @property
    def compiler(self) -> CudaCompiler:
        """The compiler of CUDA C++: NVCC or NVRTC."""
        return CudaCompiler.NVCC if Switch.NVCC in self._switches else CudaCompiler.NVRTC

    def take_from(self, project: Project) -> None:
        """Builds the user's own program as a project says."""
        self.arch = project.arch
        self.options = project.options
        self.set_link("", project.link)
        self.want_toolchain(project.toolchain)
        on = {
            Switch.LIBDEVICE: project.libdevice,
            Switch.JOIN_IR: project.join_ir,
            Switch.DRIVER_JIT: project.driver_jit,
            Switch.NVCC: project.compiler is CudaCompiler.NVCC,
            Switch.KEEP_HOST_CODE: project.keep_host_code,
        }
        self.works_switches = frozenset(switch for switch, is_on in on.items() if is_on)

    @property
    def auto_build(self) -> bool:
        """Whether an edit starts a build after a pause."""
        return bool(self._preferences.value(_ON_CHANGE))

    @auto_build.setter
    def auto_build(self, auto_build: bool) -> None:
        self._preferences.set_value(_ON_CHANGE, auto_build)

    def _emit_switches_changed(self) -> None:
        self.switches_changed.emit(self.switches)
        self.changed.emit()

    @Slot(str)
    def _on_preference_changed(self, key: str) -> None:
        if key == _ON_CHANGE:
            self.auto_build_changed.emit(self.auto_build)
        elif key in _KEYS:
            self._emit_switches_changed()
