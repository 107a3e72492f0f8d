"""The program for seccomp, for machines that are not at hand too: what it answers to each call."""

import errno
import re
import struct
from pathlib import Path

import pytest

from jitstudio.worker.sandbox.allowed_calls import ALLOWED as ALLOWED_CALLS
from jitstudio.worker.sandbox.seccomp import DENIED, SeccompGrant, filter_program

ALLOWED = 0
KILLED = "killed"
ARCHES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
PID, PARENT = 77, 55


def answer(machine, granted, number, *arguments, arch=None):
    """What a kernel would do: the rules of classic BPF, as far as they are used."""
    program = list(struct.iter_unpack("=HBBI", filter_program(machine, granted, PID, PARENT)))
    data = struct.pack("=IIQ", number, arch or ARCHES[machine][0], 0)
    data += b"".join(struct.pack("=Q", value & (1 << 64) - 1) for value in (*arguments, 0, 0)[:2])
    at = value = 0
    while True:
        code, yes, no, operand = program[at]
        at += 1
        match code:
            case 0x20:
                (value,) = struct.unpack_from("=I", data, operand)
            case 0x54:
                value &= operand
            case 0x06:
                if operand == 0x80000000:
                    return KILLED
                return operand & 0xFFFF if operand >> 16 == 5 else ALLOWED
            case 0x15:
                at += yes if value == operand else no
            case 0x35:
                at += yes if value >= operand else no
            case 0x45:
                at += yes if value & operand else no


@pytest.fixture(params=ARCHES)
def ask(request):
    """Asks the program of each machine; numbers are a pair as in the table."""
    column = ARCHES[request.param][1]
    return lambda granted, numbers, *arguments: answer(
        request.param, granted, numbers[column], *arguments
    )


KILL, CONNECT = (62, 129), (42, 203)
SOCKETS = SOCKET, PAIR = (41, 198), (53, 199)
STREAM, DATAGRAM, RAW, PACKETS = 1, 2, 3, 5
AFFINITY, PRCTL, STATX, UNKNOWN = (203, 122), (157, 167), (332, 291), (500, 500)
CLONE, LIMITS, READ = (56, 220), (302, 261), (0, 63)


@pytest.mark.parametrize(
    "granted", [SeccompGrant.NOTHING, SeccompGrant.PROGRAMS, SeccompGrant.GPU, SeccompGrant.WRAPPED]
)
def test_every_row_is_refused_unless_spared(ask, granted):
    for row in DENIED:
        spared = bool(row.spared & granted)
        for numbers in row.numbers.values():
            if -1 not in numbers and numbers not in SOCKETS:
                assert ask(granted, numbers) == (ALLOWED if spared else row.error)
    assert ask(granted, READ) == ask(granted, STATX) == ALLOWED
    is_listed = granted in (SeccompGrant.NOTHING, SeccompGrant.PROGRAMS)
    assert ask(granted, UNKNOWN) == (errno.ENOSYS if is_listed else ALLOWED)


def test_signals_reach_nobody_else(ask):
    assert ask(SeccompGrant.NOTHING, KILL, PID) == ALLOWED
    for other in (PARENT, 1, 0, -1):
        assert ask(SeccompGrant.NOTHING, KILL, other) == errno.EPERM
    assert ask(SeccompGrant.PROGRAMS, KILL, 1234) == ALLOWED  # nvdisasm
    for other in (PARENT, -1, -PARENT):
        assert ask(SeccompGrant.PROGRAMS, KILL, other) == errno.EPERM


def test_threads_begin_and_processes_where_programs_are_started(ask):
    thread, fork, namespace = 0x3D0F00, 17, 0x10000000 | 17
    assert ask(SeccompGrant.NOTHING, CLONE, thread) == ALLOWED
    assert ask(SeccompGrant.NOTHING, CLONE, fork) == errno.EPERM
    assert ask(SeccompGrant.PROGRAMS, CLONE, fork) == ALLOWED
    for granted in (SeccompGrant.NOTHING, SeccompGrant.PROGRAMS, SeccompGrant.WRAPPED):
        assert ask(granted, CLONE, namespace) == errno.EPERM


def test_only_the_gpu_has_sockets_and_only_local_ones(ask):
    local, internet = 1, 2
    for flags in (0, 0x800, 0x80000, 0x80800):
        for sockets in SOCKETS:
            for kind in (STREAM, PACKETS):
                assert ask(SeccompGrant.GPU, sockets, local, kind | flags) == ALLOWED
            for kind in (DATAGRAM, RAW):
                assert ask(SeccompGrant.GPU, sockets, local, kind | flags) == errno.EPERM
    assert ask(SeccompGrant.GPU, SOCKET, internet, STREAM) == errno.EPERM
    assert ask(SeccompGrant.NOTHING, SOCKET, local) == errno.EPERM
    assert ask(SeccompGrant.WRAPPED, SOCKET, internet) == ALLOWED
    assert ask(SeccompGrant.GPU, CONNECT, 3) == errno.EPERM
    assert ask(SeccompGrant.GPU | SeccompGrant.SHARED_GPU, CONNECT, 3) == ALLOWED


def test_limits_of_others_stay(ask):
    assert ask(SeccompGrant.NOTHING, LIMITS, 0) == ALLOWED
    assert ask(SeccompGrant.NOTHING, LIMITS, PARENT) == errno.EPERM


def test_the_manners_of_other_machines_are_no_way_around():
    i386 = 0x40000003
    assert answer("x86_64", SeccompGrant.NOTHING, 0, arch=i386) == KILLED
    assert answer("x86_64", SeccompGrant.NOTHING, 0x40000000 | 41) == errno.ENOSYS
    assert filter_program("sparc64", SeccompGrant.NOTHING, PID, PARENT) is None


def test_others_keep_their_cores_and_orphans_their_parent(ask):
    for granted in (SeccompGrant.NOTHING, SeccompGrant.PROGRAMS, SeccompGrant.GPU):
        assert ask(granted, AFFINITY, 0) == ask(granted, AFFINITY, PID) == ALLOWED
        assert ask(granted, AFFINITY, PARENT) == errno.EPERM
        assert ask(granted, PRCTL, 36) == errno.EPERM
        assert ask(granted, PRCTL, 15) == ALLOWED


def test_nobody_else_is_sent_a_signal_when_something_can_be_read(ask):
    fcntl, ioctl = (72, 25), (16, 29)
    owners = [(fcntl, 8), (fcntl, 10), (fcntl, 15), (ioctl, 0x8901), (ioctl, 0x8902)]
    for granted in (SeccompGrant.NOTHING, SeccompGrant.PROGRAMS, SeccompGrant.GPU):
        for numbers, command in owners:
            # The kernel takes the lower half of the second argument.
            for spelled in (command, 1 << 32 | command):
                assert ask(granted, numbers, 3, spelled) == errno.EPERM
        for numbers, command in ((fcntl, 2), (fcntl, 4), (ioctl, 0x5401)):
            assert ask(granted, numbers, 3, command) == ALLOWED
    assert ask(SeccompGrant.WRAPPED, fcntl, 3, 8) == ALLOWED


HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}


@pytest.mark.parametrize("machine", HEADERS)
def test_numbers_are_those_of_the_kernel(machine):
    if not HEADERS[machine].exists():
        pytest.skip("the headers of the kernel are not installed")
    text = HEADERS[machine].read_text()
    numbers = dict(re.findall(r"^#define __NR(?:3264)?_(\w+)\s+(\d+)$", text, re.MULTILINE))
    numbers |= {"newfstatat": numbers.get("newfstatat", numbers.get("fstatat"))}
    column = ARCHES[machine][1]
    rows = [entry.split() for group in ALLOWED_CALLS.values() for entry in group.split(",")]
    table = {name: pair[column] for name, *pair in rows}
    assert len(table) == len(rows) > 150
    table |= {name: str(pair[column]) for row in DENIED for name, pair in row.numbers.items()}
    wrong = {
        name: (number, numbers.get(name))
        for name, number in table.items()
        if numbers.get(name, "-1" if int(number) < 440 else number) != number
    }
    assert wrong == {}
