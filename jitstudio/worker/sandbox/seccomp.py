"""The system calls that a sealed process is refused, as a program for seccomp.

What is not refused here has to be in `allowed_calls`, unless the process has the driver or a
debugging tool in it; what files it may reach is landlock's business. A call is refused with an
error rather than by death, as libraries probe; only a call in the manner of another machine is
fatal. Layouts and numbers are those of Linux: seccomp(2), `linux/filter.h`, `asm/unistd.h`.
"""

from __future__ import annotations

import errno
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Flag, auto

from jitstudio.worker.sandbox.allowed_calls import allowed_numbers

_ALLOW = 0x7FFF0000
_KILL_PROCESS = 0x80000000
_ERRNO = 0x00050000

# Classic BPF: load a word of `struct seccomp_data`, compare it, return a verdict.
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_AND = 0x54
_NUMBER_AT, _ARCH_AT, _FIRST_ARGUMENT_AT, _SECOND_ARGUMENT_AT = 0, 4, 16, 24

_X32 = 0x40000000
_AF_UNIX = 1
# A datagram socket, and a raw one, which is the same, sends to any path without being connected.
_SOCK_STREAM, _SOCK_SEQPACKET, _SOCK_KINDS = 1, 5, 0xF
_SET_CHILD_SUBREAPER = 36
_THREAD = 0x00010000
_NAMESPACES = 0x7E020000

_ARCHES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
"""What the kernel calls the machine, and the column of the table."""


class SeccompGrant(Flag):
    """The needs of a process besides compiling."""

    NOTHING = 0
    PROGRAMS = auto()
    """It starts programs; landlock says which."""
    GPU = auto()
    """It uses the driver, which makes sockets of its own."""
    SHARED_GPU = auto()
    """A daemon shares the GPU among programs (CUDA MPS); the driver has to reach it."""
    WRAPPED = auto()
    """A debugging tool has started it, and looks into it."""


@dataclass(frozen=True)
class Denied:
    """Calls that are refused.

    Attributes:
        why: The harm that these calls could do.
        numbers: Their names, and numbers on x86_64 and aarch64; -1 where there is none.
        error: The answer to these calls.
        spared: Where any of these is granted, they are let through.
    """

    why: str
    numbers: dict[str, tuple[int, int]]
    error: int = errno.EPERM
    spared: SeccompGrant = SeccompGrant.NOTHING


DENIED = (
    Denied(
        "send what was read elsewhere, or ask another program to act",
        {"socket": (41, 198), "socketpair": (53, 199)},
        spared=SeccompGrant.GPU
        | SeccompGrant.WRAPPED,  # `_arguments` leaves the GPU local sockets only
    ),
    Denied(
        "reach a desktop's and a system's daemons, whose sockets have paths that landlock ignores",
        {"connect": (42, 203)},
        spared=SeccompGrant.SHARED_GPU | SeccompGrant.WRAPPED,
    ),
    Denied(
        "talk to programs by shared memory, which has no path that landlock would see",
        {
            "shmget": (29, 194),
            "shmat": (30, 196),
            "shmctl": (31, 195),
            "shmdt": (67, 197),
            "semget": (64, 190),
            "semctl": (66, 191),
            "semop": (65, 193),
            "semtimedop": (220, 192),
            "msgget": (68, 186),
            "msgctl": (71, 187),
            "msgsnd": (69, 189),
            "msgrcv": (70, 188),
            "mq_open": (240, 180),
            "mq_unlink": (241, 181),
        },
        spared=SeccompGrant.WRAPPED,
    ),
    Denied(
        "read and change other processes, or watch them",
        {
            "ptrace": (101, 117),
            "process_vm_readv": (310, 270),
            "process_vm_writev": (311, 271),
            "pidfd_getfd": (438, 438),
            "process_madvise": (440, 440),
            "kcmp": (312, 272),
            "perf_event_open": (298, 241),
        },
        spared=SeccompGrant.WRAPPED,
    ),
    Denied(
        "slow other processes down, or move them and their memory",
        {
            "setpriority": (141, 140),
            "ioprio_set": (251, 30),
            "sched_setscheduler": (144, 119),
            "sched_setparam": (142, 118),
            "sched_setattr": (314, 274),
            "migrate_pages": (256, 238),
            "move_pages": (279, 239),
        },
        spared=SeccompGrant.WRAPPED,
    ),
    Denied(
        "watch folders, of which landlock knows nothing",
        {
            "inotify_init": (253, -1),
            "inotify_init1": (294, 26),
            "inotify_add_watch": (254, 27),
        },
        spared=SeccompGrant.WRAPPED,
    ),
    Denied(
        "outlive the end of its process group",
        {"setsid": (112, 157), "setpgid": (109, 154)},
        spared=SeccompGrant.WRAPPED,
    ),
    Denied(
        "change who may use a file or when it was written, of which landlock knows nothing",
        {
            "chmod": (90, -1),
            "fchmod": (91, 52),
            "fchmodat": (268, 53),
            "fchmodat2": (452, 452),
            "chown": (92, -1),
            "lchown": (94, -1),
            "fchown": (93, 55),
            "fchownat": (260, 54),
            "utime": (132, -1),
            "utimes": (235, -1),
            "futimesat": (261, -1),
            "utimensat": (280, 88),
            "setxattr": (188, 5),
            "lsetxattr": (189, 6),
            "fsetxattr": (190, 7),
            "setxattrat": (463, 463),
            "removexattr": (197, 14),
            "lremovexattr": (198, 15),
            "fremovexattr": (199, 16),
            "removexattrat": (466, 466),
            "file_setattr": (469, 469),
        },
    ),
    Denied(
        "run a file that has no path",
        {"execveat": (322, 281)},
        spared=SeccompGrant.WRAPPED,
    ),
    Denied(
        "make a file that has no path",
        {"memfd_create": (319, 279), "memfd_secret": (447, 447)},
        spared=SeccompGrant.GPU | SeccompGrant.WRAPPED,
    ),
    Denied(
        "start programs",
        {"execve": (59, 221), "fork": (57, -1), "vfork": (58, -1)},
        spared=SeccompGrant.PROGRAMS | SeccompGrant.WRAPPED,
    ),
    Denied(
        "pass by this table: what it asks for lies in memory, where seccomp cannot look",
        {
            "io_uring_setup": (425, 425),
            "io_uring_enter": (426, 426),
            "io_uring_register": (427, 427),
            "clone3": (435, 435),
        },
        errno.ENOSYS,
    ),
    Denied(
        "reach parts of the kernel that no compiler needs and attacks begin with",
        {
            "bpf": (321, 280),
            "keyctl": (250, 219),
            "add_key": (248, 217),
            "request_key": (249, 218),
            "userfaultfd": (323, 282),
            "personality": (135, 92),
            "modify_ldt": (154, -1),
            "iopl": (172, -1),
            "ioperm": (173, -1),
            "syslog": (103, 116),
            "fanotify_init": (300, 262),
            "name_to_handle_at": (303, 264),
            "open_by_handle_at": (304, 265),
        },
    ),
    Denied(
        "arrange file systems and namespaces",
        {
            "mount": (165, 40),
            "umount2": (166, 39),
            "pivot_root": (155, 41),
            "chroot": (161, 51),
            "move_mount": (429, 429),
            "open_tree": (428, 428),
            "fsopen": (430, 430),
            "fsconfig": (431, 431),
            "fsmount": (432, 432),
            "fspick": (433, 433),
            "mount_setattr": (442, 442),
            "unshare": (272, 97),
            "setns": (308, 268),
        },
    ),
    Denied(
        "administer the machine, if the user is root",
        {
            "init_module": (175, 105),
            "finit_module": (313, 273),
            "delete_module": (176, 106),
            "kexec_load": (246, 104),
            "kexec_file_load": (320, 294),
            "reboot": (169, 142),
            "swapon": (167, 224),
            "swapoff": (168, 225),
            "acct": (163, 89),
            "quotactl": (179, 60),
            "quotactl_fd": (443, 443),
            "settimeofday": (164, 170),
            "clock_settime": (227, 112),
            "adjtimex": (159, 171),
            "clock_adjtime": (305, 266),
            "sethostname": (170, 161),
            "setdomainname": (171, 162),
        },
    ),
)

_SIGNALS = {
    "kill": (62, 129),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
}
_SIGNALS_TO_THREADS = {"tkill": (200, 130), "pidfd_send_signal": (424, 424)}
_SOCKETS = {"socket": (41, 198), "socketpair": (53, 199)}
_LIMITS = (302, 261)
_AFFINITY = (203, 122)
_PRCTL = (157, 167)
_CLONE = (56, 220)
# By their second arguments: who is sent a signal, and which, when something can be read from what
# is open (fcntl(2), `asm-generic/fcntl.h`, `asm-generic/sockios.h`).
_OWNERS = {
    "fcntl": ((72, 25), {"F_SETOWN": 8, "F_SETSIG": 10, "F_SETOWN_EX": 15}),
    "ioctl": ((16, 29), {"FIOSETOWN": 0x8901, "SIOCSPGRP": 0x8902}),
}

_Instruction = tuple[int, int, int, int]
"""Code, jump if true, jump if false, operand."""


def filter_program(machine: str, granted: SeccompGrant, pid: int, parent: int) -> bytes | None:
    """Returns the program for seccomp, `sock_filter`s; None for an unknown machine.

    Args:
        machine: As `os.uname` calls it.
        granted: The needs of the process.
        pid: Its own.
        parent: The process that must not be sent signals.
    """
    if machine not in _ARCHES:
        return None
    arch, column = _ARCHES[machine]
    program = [
        (_LOAD, 0, 0, _ARCH_AT),
        *_unless_equal(arch, _KILL_PROCESS),
        (_LOAD, 0, 0, _NUMBER_AT),
        (_AT_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, _ERRNO | errno.ENOSYS),
    ]
    for row in DENIED:
        if not row.spared & granted:
            for numbers in row.numbers.values():
                program += _on(numbers[column], _refusal(row.error))
    for numbers, verdict in _arguments(granted, pid, parent):
        program += _on(numbers[column], (_LOAD, 0, 0, _FIRST_ARGUMENT_AT), *verdict)
    if not granted & (SeccompGrant.GPU | SeccompGrant.WRAPPED):
        for number in sorted(allowed_numbers(column)):
            program += _on(number, (_RETURN, 0, 0, _ALLOW))
        program.append(_refusal(errno.ENOSYS))
    program.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


def _arguments(
    granted: SeccompGrant, pid: int, parent: int
) -> Iterator[tuple[tuple[int, int], tuple[_Instruction, ...]]]:
    """Calls whose first arguments decide; the first argument is loaded."""
    allow, refuse = (_RETURN, 0, 0, _ALLOW), _refusal(errno.EPERM)
    if SeccompGrant.GPU in granted and SeccompGrant.WRAPPED not in granted:
        connected = (
            (_EQUAL, 1, 0, _AF_UNIX),
            refuse,
            (_LOAD, 0, 0, _SECOND_ARGUMENT_AT),
            (_AND, 0, 0, _SOCK_KINDS),
            (_EQUAL, 1, 0, _SOCK_STREAM),
            (_EQUAL, 0, 1, _SOCK_SEQPACKET),
            allow,
            refuse,
        )
        yield from ((numbers, connected) for numbers in _SOCKETS.values())
    if SeccompGrant.WRAPPED not in granted:
        # Of another process; 0 is the caller.
        yield _LIMITS, ((_EQUAL, 0, 1, 0), allow, refuse)
        yield _AFFINITY, ((_EQUAL, 1, 0, 0), (_EQUAL, 0, 1, pid), allow, refuse)
        # What it has started goes to it when it loses its parent, and so is counted (`limits`).
        yield _PRCTL, ((_EQUAL, 0, 1, _SET_CHILD_SUBREAPER), refuse, allow)
        # A signal that comes of a write to a pipe; landlock keeps those in from its version 6 on.
        for numbers, commands in _OWNERS.values():
            load = (_LOAD, 0, 0, _SECOND_ARGUMENT_AT)
            refusals = ((_EQUAL, 0, 1, command) for command in commands.values())
            yield numbers, (load, *(x for test in refusals for x in (test, refuse)), allow)
    threads_only = not granted & (SeccompGrant.PROGRAMS | SeccompGrant.WRAPPED)
    no_fork = ((_ANY_BIT, 1, 0, _THREAD), refuse) if threads_only else ()
    yield _CLONE, ((_ANY_BIT, 0, 1, _NAMESPACES), refuse, *no_fork, allow)
    if SeccompGrant.WRAPPED in granted:
        return
    if SeccompGrant.PROGRAMS in granted:
        # Its programs have other ids, so only the parent can be named, and groups (negative).
        verdict = [(_AT_LEAST, 1, 0, 1 << 31), (_EQUAL, 0, 1, parent), refuse, allow]
    else:
        verdict = [(_EQUAL, 0, 1, pid), allow, refuse]
        yield from ((numbers, (refuse,)) for numbers in _SIGNALS_TO_THREADS.values())
    yield from ((numbers, tuple(verdict)) for numbers in _SIGNALS.values())


def _on(number: int, *verdict: _Instruction) -> Iterator[_Instruction]:
    """Yields the instructions for this call; the last has to be a return."""
    if number >= 0:
        yield (_EQUAL, 0, len(verdict), number)
        yield from verdict


def _unless_equal(value: int, verdict: int) -> Iterator[_Instruction]:
    yield (_EQUAL, 1, 0, value)
    yield (_RETURN, 0, 0, verdict)


def _refusal(error: int) -> _Instruction:
    return (_RETURN, 0, 0, _ERRNO | error)
