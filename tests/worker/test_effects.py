"""A table of effects on others: a sealed process tries each, and none of them comes about.

Not which call is refused, but what becomes of what it was aimed at counts: so each row prepares a
target, has the effect brought about by Python in a sealed process, and looks at the target. The
same Python in a process that is not sealed does bring it about, or the row would show nothing.
"""

import ctypes
import os
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from jitstudio.worker.host import WorkerHost
from jitstudio.worker.limits import EXIT_DISK_TAKEN, EXIT_OUT_OF_MEMORY, WATCH
from jitstudio.worker.protocol import Call
from jitstudio.worker.sandbox import system_paths
from jitstudio.worker.sandbox.access import Need, SandboxAccess
from tests.support import ROOT
from tests.worker.sealed import PLAIN, PROGRAMS

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux's"),
    pytest.mark.usefixtures("own_workers"),
    pytest.mark.slow,
]

LIBC = ctypes.CDLL(None, use_errno=True)
PRIVATE, MODE = 0, 0o600
REMOVE, STATUS, SET_VALUE, GET_VALUE = 0, 2, 16, 12
NATIVE = "import ctypes, os, socket, tempfile; libc = ctypes.CDLL(None, use_errno=True)\n"


class Message(ctypes.Structure):
    _fields_ = (("kind", ctypes.c_long), ("text", ctypes.c_char * 8))


@contextmanager
def message_queue(_folder):
    number = LIBC.msgget(PRIVATE, MODE)
    assert LIBC.msgsnd(number, ctypes.byref(Message(1, b"secret")), 8, 0) == 0
    taken = Message()
    yield number, lambda: LIBC.msgrcv(number, ctypes.byref(taken), 8, 0, 0o4000) == 8
    LIBC.msgctl(number, REMOVE, None)


@contextmanager
def semaphore(_folder):
    number = LIBC.semget(PRIVATE, 1, MODE)
    LIBC.semctl(number, 0, SET_VALUE, 5)
    yield number, lambda: LIBC.semctl(number, 0, GET_VALUE) == 5
    LIBC.semctl(number, 0, REMOVE)


@contextmanager
def shared_memory(_folder):
    number = LIBC.shmget(PRIVATE, 4096, MODE)
    LIBC.shmat.restype = ctypes.c_void_p
    at = LIBC.shmat(number, None, 0)
    buffer = (ctypes.c_char * 4096).from_address(at)
    yield number, lambda: buffer[0] == b"\0" and LIBC.shmget(PRIVATE, 1, MODE) > 0
    LIBC.shmctl(number, REMOVE, None)


@contextmanager
def process(_folder):
    """One whose niceness, policy, class of input and output, cores and limits are as they were."""
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as other:
        pid = other.pid

        def state():
            with suppress(subprocess.TimeoutExpired):
                other.wait(0.3)
            if other.poll() is not None:
                return other.poll()
            cores = sorted(os.sched_getaffinity(pid))
            limits = Path(f"/proc/{pid}/limits").read_text()
            ioprio = LIBC.syscall(252 if os.uname().machine == "x86_64" else 31, 1, pid)
            nice = os.getpriority(os.PRIO_PROCESS, pid)
            return nice, os.sched_getscheduler(pid), ioprio, cores, limits

        before = state()
        yield pid, lambda: state() == before
        other.kill()


@contextmanager
def this_process(_folder):
    before = os.getpriority(os.PRIO_PROCESS, 0)
    yield os.getuid(), lambda: os.getpriority(os.PRIO_PROCESS, 0) == before


@contextmanager
def datagram_socket(folder):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard:
        heard.bind(str(folder / "log"))
        heard.settimeout(0.2)

        def is_silent():
            try:
                return not heard.recv(100)
            except TimeoutError:
                return True

        yield str(folder / "log"), is_silent


@contextmanager
def stream_socket(folder):
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as heard:
        heard.bind(str(folder / "bus"))
        heard.listen()
        heard.settimeout(0.2)

        def is_alone():
            try:
                heard.accept()[0].close()
            except TimeoutError:
                return True
            return False

        yield str(folder / "bus"), is_alone


@contextmanager
def shared_file(_folder):
    path = Path(f"/dev/shm/jitstudio-test-{os.getpid()}")
    path.write_text("mine")
    new = path.with_name(f"{path.name}-new")
    yield str(path), lambda: path.read_text() == "mine" and not new.exists()
    path.unlink()
    new.unlink(missing_ok=True)


WRITE = "at and at < 2**63 and ctypes.memset(at, 65, 16)"
# Who is sent a signal when something can be read: fcntl(2), F_SETOWN and O_ASYNC.
ASYNC = "fcntl.fcntl(r, 4, fcntl.fcntl(r, 3) | os.O_ASYNC); os.write(w, b'x')"
BY_PIPE = f"import fcntl, struct; r, w = os.pipe(); {{}}; {ASYNC}"
BY_SOCKET = (
    "import fcntl, struct; a, b = socket.socketpair(); r, w = a.fileno(), b.fileno()\n"
    f"fcntl.ioctl(r, {{}}, struct.pack('i', {{{{0}}}})); {ASYNC}"
)
# What is aimed at, and how: `{0}` is the target.
EFFECTS = {
    "take a message": (message_queue, "libc.msgrcv({0}, b' ' * 64, 8, 0, 0o4000)"),
    "remove a queue": (message_queue, "libc.msgctl({0}, 0, None)"),
    "set a semaphore": (semaphore, "libc.semctl({0}, 0, 16, 9)"),
    "remove a semaphore": (semaphore, "libc.semctl({0}, 0, 0)"),
    "write shared memory": (
        shared_memory,
        "libc.shmat.restype = ctypes.c_void_p; n = {0}; at = libc.shmat(n, None, 0)\n" + WRITE,
    ),
    "slow a process": (process, "libc.setpriority(0, {0}, 19)"),
    "slow a user": (this_process, "libc.setpriority(2, {0}, os.getpriority(0, 0) + 1)"),
    "change a policy": (process, "libc.sched_setscheduler({0}, 3, bytes(8))"),
    "move to a core": (process, "os.sched_setaffinity({0}, [min(os.sched_getaffinity(0))])"),
    "slow its disk": (
        process,
        "libc.syscall(251 if os.uname().machine == 'x86_64' else 30, 1, {0}, 3 << 13)",
    ),
    "limit it": (process, "import resource; resource.prlimit({0}, resource.RLIMIT_CORE, (1, 1))"),
    "kill it": (process, "os.kill({0}, 15)"),
    "kill it by a pipe": (
        process,
        BY_PIPE.format("fcntl.fcntl(r, 10, 15); fcntl.fcntl(r, 8, {0})"),
    ),
    "kill it by a pipe's thread": (
        process,
        BY_PIPE.format("fcntl.fcntl(r, 15, struct.pack('ii', 1, {0}))"),
    ),
    "kill it by a socket": (process, BY_SOCKET.format(0x8901)),
    "kill it by a socket's group": (process, BY_SOCKET.format(0x8902)),
    "send a datagram": (
        datagram_socket,
        "socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'x', {0!r})",
    ),
    "send by a raw socket": (
        datagram_socket,
        "socket.socket(socket.AF_UNIX, socket.SOCK_RAW).sendto(b'x', {0!r})",
    ),
    "send by a pair": (
        datagram_socket,
        "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b'x', {0!r})",
    ),
    "connect": (stream_socket, "socket.socket(socket.AF_UNIX).connect({0!r})"),
    "write to shared files": (shared_file, "open({0!r}, 'w').write('other')"),
    "make shared files": (shared_file, "open({0!r} + '-new', 'w').write('other')"),
}
ROLES = {
    "plain": (PLAIN, SandboxAccess()),
    "programs": (PROGRAMS, SandboxAccess()),
    "gpu": (PLAIN, SandboxAccess(gpu=True)),
}


@pytest.fixture
def started(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setattr(system_paths, "_SHARED_GPU", ("JITSTUDIO_NOTHING", "/nowhere"))
    hosts = []

    def start(program=PLAIN):
        hosts.append(WorkerHost(0, program))
        return hosts[-1]

    yield start
    for host in hosts:
        host.close()


def told(host, code, access=None):
    answer = host.ask(Call(1, code), lambda event: None, Need(access or SandboxAccess()))
    return getattr(answer, "answer", answer)


@pytest.mark.parametrize("role", ROLES)
def test_no_effect_comes_about(started, tmp_path, role):
    program, access = ROLES[role]
    host = started(program)
    for name, (target, deed) in EFFECTS.items():
        with _there(target, tmp_path, name) as (aim, is_as_it_was):
            answer = told(host, NATIVE + deed.format(aim), access)
            assert isinstance(answer, str), f"{name}: {answer}"
            assert is_as_it_was(), f"{name} ({answer})"


@contextmanager
def _there(target, folder, name):
    own = folder / name.replace(" ", "-")
    own.mkdir(exist_ok=True)
    with target(own) as found:
        yield found


@pytest.mark.parametrize("name", EFFECTS)
def test_without_a_seal_it_does(started, tmp_path, monkeypatch, name):
    """Else the row above would show nothing."""
    monkeypatch.setenv("JITSTUDIO_SANDBOX", "off")
    target, deed = EFFECTS[name]
    # What would be done to this process is not undone.
    if name == "slow a user":
        return
    with _there(target, tmp_path, name) as (aim, is_as_it_was):
        told(started(), NATIVE + deed.format(aim))
        assert not is_as_it_was()


@pytest.mark.parametrize("role", ROLES)
def test_it_watches_no_folder(started, tmp_path, role):
    program, access = ROLES[role]
    path = str(tmp_path).encode()
    watch = f"n = libc.inotify_init1(0); answer = n, libc.inotify_add_watch(n, {path!r}, 256)"
    assert told(started(program), NATIVE + watch, access) == "(-1, -1)"


def test_a_folder_for_shared_gpus_that_another_user_made_is_none(tmp_path, monkeypatch):
    folder = tmp_path / "nvidia-mps"
    monkeypatch.setattr(system_paths, "_SHARED_GPU", ("JITSTUDIO_NOTHING", str(folder)))
    assert not system_paths.is_gpu_shared()
    folder.mkdir()
    assert system_paths.is_gpu_shared()
    if os.getuid():
        pytest.skip("another user's folder needs root to be made")
    os.chown(folder, 65534, 65534)
    assert not system_paths.is_gpu_shared()
    assert str(folder) not in set(system_paths.devices())
    monkeypatch.setenv("JITSTUDIO_NOTHING", str(folder))
    assert system_paths.is_gpu_shared()


def test_a_link_is_no_usual_folder_for_shared_gpus(tmp_path, monkeypatch):
    """Another user's link to a folder of this one would open that to the driver."""
    (tmp_path / "own").mkdir()
    folder = tmp_path / "nvidia-mps"
    folder.symlink_to(tmp_path / "own")
    monkeypatch.setattr(system_paths, "_SHARED_GPU", ("JITSTUDIO_NOTHING", str(folder)))
    assert not system_paths.is_gpu_shared()
    monkeypatch.setenv("JITSTUDIO_NOTHING", str(folder))
    assert system_paths.is_gpu_shared()


TWICE = """
import os, time
if not os.fork():
    os.closerange(0, 100)
    if not os.fork():
        held = bytearray(b"x") * (300 << 20)
        time.sleep(60)
    os._exit(0)
os.wait()
time.sleep(30)
"""


def test_what_was_forked_twice_is_counted(started, monkeypatch):
    monkeypatch.setattr(WATCH, "limit", 250 << 20)
    monkeypatch.setattr(WATCH, "_processes", set())
    start = time.monotonic()
    death = told(started(PROGRAMS), TWICE)
    assert death.status == EXIT_OUT_OF_MEMORY
    assert time.monotonic() - start < 25


WRITES = {
    "files": "open(f'{folder}/{n}', 'wb').write(block)",
    "deep files": ("os.mkdir('d'); os.chdir('d'); n < 70 or open('file', 'wb').write(block)"),
    "files without a name": (
        "files.append(open(f'{folder}/x', 'wb', 0)); os.unlink(f'{folder}/x'); "
        "files[-1].write(block)"
    ),
    "mapped files that are closed": (
        "fd = os.open(f'{folder}/x', os.O_RDWR | os.O_CREAT); os.write(fd, block); "
        "mapped(None, 4096, 1, 2, fd, 0); os.unlink(f'{folder}/x'); os.close(fd)"
    ),
}
# `mmap` of the standard library keeps a file open that it maps.
MAPPED = """
import ctypes
mapped = ctypes.CDLL(None).mmap
mapped.restype, mapped.argtypes = ctypes.c_void_p, [
    ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long
]
"""


@pytest.mark.parametrize("way", WRITES)
def test_what_it_writes_has_a_limit(started, monkeypatch, way):
    monkeypatch.setattr("jitstudio.worker.limits.MOST_ON_DISK", 64 << 20)
    monkeypatch.setattr(WATCH, "_processes", set())
    code = MAPPED + (
        "import os, tempfile, time\n"
        "folder, files, block = tempfile.gettempdir(), [], b'x' * (2 << 20)\n"
        "os.chdir(folder)\n"
        "wait = lambda: time.sleep(0.1)\n"
        "for n in range(100):\n"
        f"    {WRITES[way]}\n"
        "    n < 32 or wait()\n"
        "time.sleep(5)"
    )
    assert getattr(told(started(), code), "status", None) == EXIT_DISK_TAKEN


def test_a_file_of_a_compiler_has_a_limit():
    code = (
        "import resource; from jitstudio.worker.limits import LARGEST_FILE, limit_files\n"
        "limit_files(); print(resource.getrlimit(resource.RLIMIT_FSIZE) == (LARGEST_FILE,) * 2)\n"
        "import tempfile; file = tempfile.TemporaryFile(); file.seek(LARGEST_FILE)\n"
        "try: file.write(b'x'); file.flush()\n"
        "except OSError as error: print(error.strerror)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.splitlines() == ["True", "File too large"]
