"""Seals a worker process: from then on only the needs of the work are in reach.

Whatever a compiler is made to do by a hostile text, it does in here. Three things of Linux hold it,
none of which needs root: `no_new_privs`, landlock (which files, which programs, which signals) and
seccomp (which system calls, `syscalls`). Nothing takes them off again, and what the process starts
has them too. Where the kernel lacks one, the others hold, and `status` says so.

By ctypes: the bindings there are for landlock and seccomp are young, each in one person's care, and
longer than this file. Constants and layouts are those of landlock(7) and prctl(2).
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from stat import S_ISDIR

from jitstudio.core.bounds.folders import walk
from jitstudio.core.toolchain_info import SandboxState
from jitstudio.worker.sandbox import system_paths
from jitstudio.worker.sandbox.access import SandboxAccess, identity
from jitstudio.worker.sandbox.seccomp import SeccompGrant, filter_program
from jitstudio.worker.scratch import own_folder

SWITCH = "JITSTUDIO_SANDBOX"
"""The environment variable that switches it off where it says ``off``: to find out what breaks."""

_PRCTL = {"x86_64": 157, "aarch64": 167}
_SECCOMP = {"x86_64": 317, "aarch64": 277}
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # on every machine

_SET_NO_NEW_PRIVS = 38
_SET_MODE_FILTER, _ALL_THREADS = 1, 1
_ASK_VERSION = 1
_PATH_BENEATH = 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_REMOVE_DIR, _REMOVE_FILE, _MAKE_DIR, _MAKE_FILE = 1 << 4, 1 << 5, 1 << 7, 1 << 8
_REFER, _TRUNCATE, _DEVICE = 1 << 13, 1 << 14, 1 << 15
_RIGHTS_SINCE = {1: 13, 2: 14, 3: 15, 5: 16}
"""How many rights to files there are, from which version of landlock on."""

_NET_SINCE, _ALL_TCP = 4, 0b11
_SCOPES_SINCE, _ABSTRACT_SOCKETS, _SIGNALS = 6, 0b01, 0b10

_READ = _READ_FILE | _READ_DIR
# No links, pipes and sockets: the parent opens what it finds there.
_WRITE = (
    _READ | _WRITE_FILE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_FILE | _REFER | _TRUNCATE
)
_USE = _READ | _WRITE_FILE | _DEVICE
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _DEVICE

Syscall = Callable[..., int]
"""Calls the kernel by number.

Raises:
    OSError: It refuses.
"""


@dataclass(frozen=True)
class ProgramNeeds:
    """The needs of a worker program, whatever the texts are.

    Attributes:
        programs: Finds the programs that it starts.
        headers: Unpacks the headers that come inside a compiler, if they are not, and returns
            where; nothing can be written there afterwards.
        host_compiler: Finds the programs that it starts where it may start a host compiler.
        interpreter: Finds the folders that a Python interpreter reads, whose programs it may start.
        choose: Takes the folder that the compilers are in, before any of them is loaded.
    """

    programs: Callable[[], Iterable[str]] = tuple
    headers: Callable[[], Iterable[str]] = tuple
    host_compiler: Callable[[], Iterable[str]] = tuple
    interpreter: Callable[[str], Iterable[str]] = tuple
    choose: Callable[[str], object] = str


@dataclass(frozen=True)
class _Rule:
    paths: Iterable[str]
    rights: int


def seal(access: SandboxAccess, role: ProgramNeeds, syscall: Syscall | None = None) -> None:
    """Seals this process, for good; the process must have a single thread.

    Args:
        access: The reach beyond the toolchain and the temporary folder of the process.
        role: The needs of the program.
        syscall: Calls the kernel.

    Raises:
        RuntimeError: Another thread runs already, which would stay outside.
    """
    role.choose(access.toolchain)
    headers, programs = tuple(role.headers()), tuple(role.programs())
    if access.host_compiler:
        programs = (*programs, *role.host_compiler())
    _look_at(own_folder(), headers)
    python = tuple(role.interpreter(access.python)) if access.python else ()
    grant = SeccompGrant.PROGRAMS if programs or python else SeccompGrant.NOTHING
    if access.gpu:
        system_paths.prepare_driver(own_folder())
        grant |= SeccompGrant.GPU | (
            SeccompGrant.SHARED_GPU if system_paths.is_gpu_shared() else SeccompGrant.NOTHING
        )
    if system_paths.is_wrapped():
        grant |= SeccompGrant.WRAPPED
    machine = os.uname().machine if sys.platform == "linux" else ""
    if os.environ.get(SWITCH) == "off":
        _remember(problem=f"it is switched off by {SWITCH}=off")
    elif machine not in _SECCOMP:
        _remember(problem="it needs Linux on x86_64 or aarch64")
    else:
        if SeccompGrant.WRAPPED not in grant:  # whose own thread stays outside
            _refuse_other_threads()
        rules = _rules(access, headers, programs, python, grant)
        _hold(syscall or _syscall, machine, grant, rules)


def state() -> SandboxState | None:
    """Returns the guards of this process; None before the seal."""
    return _state


def guards_gpu() -> bool:
    """Returns whether there is a GPU that the sandbox could keep this process from."""
    return _state is not None and bool(_state.landlock or _state.seccomp) and system_paths.has_gpu()


_state: SandboxState | None = None
_own_folder: dict[str, tuple[int, int] | None] = {}
_headers: dict[str, tuple[int, ...] | None] = {}


def is_current() -> bool:
    """Returns whether this process still reaches the sealed files and folders.

    The kernel allows folders, not their names: what is removed and made again is out of reach for
    good, be it the process's own folder or headers that were unpacked.
    """
    is_there = all(identity(path) == number for path, number in _own_folder.items())
    return is_there and all(_stamp(path) == stamp for path, stamp in _headers.items())


def _look_at(own: str, headers: Iterable[str]) -> None:
    """Remembers the process's own folder, and folders of headers with all that comes and goes."""
    _own_folder[own] = identity(own)
    for folder in headers:
        if folder not in _headers:
            _headers.update((path, _stamp(path)) for path, _ in walk(folder))


def _stamp(path: str) -> tuple[int, ...] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_mtime_ns


def _remember(landlock: int = 0, seccomp: bool = False, problem: str = "") -> None:
    global _state
    _state = SandboxState(landlock, seccomp, problem)


def _hold(call: Syscall, machine: str, grant: SeccompGrant, rules: Iterable[_Rule]) -> None:
    version, filtered, problems = 0, False, []
    try:
        call(_PRCTL[machine], _SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        version = _restrict_files(call, rules, grant)
    except OSError as error:
        problems.append(f"this kernel has no landlock for us ({error.strerror})")
    try:
        _restrict_calls(call, machine, grant)
        filtered = True
    except OSError as error:
        problems.append(f"this kernel has no seccomp for us ({error.strerror})")
    _remember(version, filtered, ", and ".join(problems))


def _rules(
    access: SandboxAccess,
    headers: tuple[str, ...],
    programs: tuple[str, ...],
    python: tuple[str, ...],
    grant: SeccompGrant,
) -> Iterator[_Rule]:
    yield _Rule(("/",) if access.readable is None else access.readable, _READ)
    yield _Rule((*headers, *system_paths.toolchain(programs, access.toolchain)), _READ)
    yield _Rule(map(system_paths.lock_of, headers), _READ_FILE | _WRITE_FILE)
    yield _Rule(system_paths.SCRATCH_DEVICES, _READ_FILE | _WRITE_FILE)
    yield _Rule((own_folder(), *access.writable), _WRITE)
    if python:
        yield _Rule((*python, *system_paths.PROGRAMS), _READ | _EXECUTE)
    if programs or python:
        yield _Rule((*programs, *system_paths.loaders()), _READ_FILE | _EXECUTE)
    if SeccompGrant.GPU in grant:
        yield _Rule(system_paths.DRIVER_READS, _READ)
        yield _Rule(system_paths.devices(), _USE)
        yield _Rule(system_paths.THREADS, _READ_FILE | _WRITE_FILE | _TRUNCATE)
    if SeccompGrant.SHARED_GPU in grant:
        yield _Rule(system_paths.SHARED_MEMORY, _WRITE)
    if SeccompGrant.WRAPPED in grant:
        yield _Rule(system_paths.wrapper_reads(), _READ)
        yield _Rule(system_paths.WRAPPER_WRITES, _WRITE)


def _restrict_files(call: Syscall, rules: Iterable[_Rule], grant: SeccompGrant) -> int:
    """Restricts this thread, and threads started later; the version of landlock.

    Raises:
        OSError: There is none.
    """
    version = call(_CREATE_RULESET, 0, 0, _ASK_VERSION)
    count = max(bits for since, bits in _RIGHTS_SINCE.items() if since <= version)
    handled = (1 << count) - 1
    attributes = [handled]
    # What a wrapper's library in this process talks to is its own affair.
    wrapped = SeccompGrant.WRAPPED in grant
    if version >= _NET_SINCE:
        attributes.append(0 if wrapped else _ALL_TCP)
    if version >= _SCOPES_SINCE:
        # The daemon that shares a GPU may listen on a socket without a path.
        scopes = _SIGNALS | (0 if SeccompGrant.SHARED_GPU in grant else _ABSTRACT_SOCKETS)
        attributes.append(0 if wrapped else scopes)
    packed = struct.pack(f"={len(attributes)}Q", *attributes)
    ruleset = call(_CREATE_RULESET, ctypes.c_char_p(packed), len(packed), 0)
    try:
        for rule in rules:
            for path in rule.paths:
                _allow(call, ruleset, path, rule.rights & handled)
        call(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)
    return version


def _allow(call: Syscall, ruleset: int, path: str, rights: int) -> None:
    """Allows `rights` at the path and, in a folder, below; nothing where the path is missing."""
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except (OSError, ValueError):
        return
    try:
        if not S_ISDIR(os.fstat(descriptor).st_mode):
            rights &= _OF_FILES
        beneath = struct.pack("=Qi", rights, descriptor)
        call(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.c_char_p(beneath), 0)
    finally:
        os.close(descriptor)


def _restrict_calls(call: Syscall, machine: str, grant: SeccompGrant) -> None:
    """Has seccomp refuse system calls to all threads.

    Raises:
        OSError: There is none.
    """
    program = filter_program(machine, grant, os.getpid(), os.getppid())
    if program is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    buffer = ctypes.create_string_buffer(program, len(program))
    # struct sock_fprog: a number of instructions of eight bytes, and where they are.
    header = struct.pack("@HP", len(program) // 8, ctypes.addressof(buffer))
    call(_SECCOMP[machine], _SET_MODE_FILTER, _ALL_THREADS, ctypes.c_char_p(header))


def _refuse_other_threads() -> None:
    """Refuses other threads: landlock holds only this thread and the threads started later.

    Raises:
        RuntimeError: There is.
    """
    if len(os.listdir("/proc/self/task")) > 1:
        raise RuntimeError(
            "Another thread runs already and could not be put into the sandbox. Something "
            f"loaded with Python has started it; {SWITCH}=off does without the sandbox."
        )


def _syscall(number: int, *arguments: object) -> int:
    result = int(_LIBC.syscall(ctypes.c_long(number), *map(_as_argument, arguments)))
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return result


def _as_argument(value: object) -> object:
    return ctypes.c_long(value) if isinstance(value, int) else value


_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.syscall.restype = ctypes.c_long
