"""What a sealed process can no longer do, tried in real ones."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest

from jitstudio.worker.host import ChildDeath, WorkerError, WorkerHost
from jitstudio.worker.protocol import Call
from jitstudio.worker.sandbox.access import Need, SandboxAccess
from tests.support import ROOT
from tests.worker.sealed import NUMPY, PLAIN, PROGRAMS

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux's"),
    pytest.mark.usefixtures("own_workers"),
]


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """A home of the test's own, with a secret."""
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "secret").write_text("secret")
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return folder


@pytest.fixture
def started():
    hosts = []

    def start(program=PLAIN):
        hosts.append(WorkerHost(0, program))
        return hosts[-1]

    yield start
    for host in hosts:
        host.close()


def told(host, code, access=None, most=None):
    need = Need(access or SandboxAccess(), most)
    answer = host.ask(Call(1, code), lambda event: None, need)
    return answer if isinstance(answer, ChildDeath) else answer.answer


@pytest.fixture(params=[PLAIN, PROGRAMS], ids=["plain", "programs"])
def sealed(request, started):
    """Says what became of a piece of Python in a sealed process."""
    host = started(request.param)
    return lambda code, **more: told(host, code, **more)


def test_it_reads_the_toolchain_and_nothing_of_the_users(sealed, home):
    for path in (home / "secret", "/etc/passwd", f"/proc/{os.getpid()}/environ", "/proc/1/cmdline"):
        assert sealed(f"open({str(path)!r}).read()") == "EACCES"
    for folder in (home, "/", "/home", "/etc", "/proc", tempfile.gettempdir()):
        assert sealed(f"import os; os.listdir({str(folder)!r})") == "EACCES"
    assert int(sealed("import os; answer = len(open(os.__file__).read())")) > 10_000
    assert sealed("import wave; answer = wave.__name__") == "wave"
    assert int(sealed("answer = len(open('/proc/self/maps').read())")) > 1000


def test_it_reads_the_bytecode_that_python_keeps_elsewhere(started, tmp_path, monkeypatch):
    folder = tmp_path / "bytecode"
    folder.mkdir()
    (folder / "secret").write_text("secret")
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", str(folder))
    subprocess.run([sys.executable, "-c", "import wave"], check=True)
    host = started()
    code = "import wave; answer = len(open(wave.__cached__, 'rb').read())"
    assert int(told(host, code)) > 1000
    assert told(host, f"open({str(folder / 'secret')!r})") == "EACCES"


def test_it_writes_its_own_temporary_folder_and_nothing_else(sealed, home, tmp_path):
    inside = "import tempfile, pathlib; here = pathlib.Path(tempfile.gettempdir()) / 'x';"
    assert sealed(f"{inside} here.write_text('1'); answer = here.read_text()") == "1"
    assert sealed(f"{inside} here.unlink(); answer = here.exists()") == "False"
    assert sealed("open('/dev/null', 'w').write('x')") == "done"
    secret = home / "secret"
    os.utime(secret, (1000, 1000))
    before = secret.stat()
    for path in (home / "new", tmp_path / "new", "/dev/shm/new", "/var/tmp/new", ROOT / "new"):
        assert sealed(f"open({str(path)!r}, 'w')") == "EACCES"
        assert not Path(path).exists()
    for deed in (
        "os.unlink(p)",
        "os.truncate(p, 0)",
        "os.rename(p, p + '2')",
        "os.link(p, p + '3')",
    ):
        assert sealed(f"import os; p = {str(secret)!r}; {deed}") in ("EACCES", "EXDEV")
    for deed in ("os.chmod(p, 0o777)", "os.utime(p)", "os.chown(p, 1, 1)"):
        assert sealed(f"import os; p = {str(secret)!r}; {deed}") == "EPERM"
    # The window reads what it finds in there: no links to elsewhere, and nothing that blocks.
    for deed in ("os.symlink('/etc/passwd', here)", "os.mkfifo(here)"):
        assert sealed(f"import os; {inside} {deed}") == "EACCES"
    after = secret.stat()
    assert (after.st_mode, after.st_mtime, after.st_uid) == (before.st_mode, 1000, before.st_uid)
    assert secret.read_text() == "secret"


def test_what_was_opened_before_is_opened_again_by_its_number(sealed):
    # As NVRTC is told where a precompiled header is.
    code = (
        "import os, sys, tempfile; file = tempfile.TemporaryFile();"
        "again = f'/proc/self/fd/{file.fileno()}'; open(again, 'w').write('x');"
        "answer = open(again).read()"
    )
    assert sealed(code) == "x"


def test_it_has_no_network_and_no_sockets(sealed):
    for family in ("AF_INET", "AF_INET6", "AF_UNIX", "AF_NETLINK"):
        assert sealed(f"import socket as s; s.socket(s.{family}, s.SOCK_DGRAM)") == "EPERM"
    assert sealed("import socket; socket.socketpair()") == "EPERM"


def test_it_starts_no_programs(sealed, home):
    script = home / "script"
    script.write_text("#!/bin/sh\ntouch owned\n")
    script.chmod(0o755)
    for program in ("/bin/sh", str(script), sys.executable):
        code = f"import subprocess as s; s.run([{program!r}, '-c', 'exit 3'], check=False)"
        assert sealed(code) in ("EACCES", "EPERM")
    copied = (
        "import os, shutil, subprocess, tempfile; at = tempfile.gettempdir() + '/sh';"
        "shutil.copyfile('/bin/sh', at); os.execv(at, [at])"
    )
    assert sealed(copied) in ("EACCES", "EPERM")
    assert sealed("import os; os.memfd_create('x')") == "EPERM"


def test_it_starts_nvdisasm_where_that_is_its_work(started):
    code = (
        "import subprocess; from jitstudio.toolchain import locate;"
        "run = subprocess.run([locate.nvdisasm(), '--version'], capture_output=True, text=True);"
        "answer = run.stdout + run.stderr"
    )
    assert "NVIDIA" in told(started(PROGRAMS), code)
    assert told(started(PLAIN), code) == "EPERM"
    assert told(started(PLAIN), "import os; os.fork()") == "EPERM"


def test_it_cannot_touch_other_processes(sealed):
    parent = os.getpid()
    for process in (parent, 1, -1):
        assert sealed(f"import os; os.kill({process}, 0)") == "EPERM"
    native = (
        "import ctypes; libc = ctypes.CDLL(None, use_errno=True);"
        "answer = libc.ptrace(16, {0}, 0, 0), ctypes.get_errno()"
    )
    assert sealed(native.format(parent)) == "(-1, 1)"
    assert sealed(f"import resource as r; r.prlimit({parent}, r.RLIMIT_CORE)") == "EPERM"
    assert sealed("import os; os.kill(os.getpid(), 0)") == "done"
    assert sealed("import os; os.setsid()") == "EPERM"
    assert sealed("import os; os.setpgid(0, 0)") == "EPERM"


def test_threads_are_sealed_too(started, home):
    code = f"""
import threading
heard = []
def read():
    try:
        heard.append(open({str(home / "secret")!r}).read())
    except OSError as error:
        heard.append(error.strerror)
thread = threading.Thread(target=read); thread.start(); thread.join()
answer = heard[0]
"""
    assert told(started(PLAIN), code) == "Permission denied"
    assert told(started(NUMPY), code) == "Permission denied"


def test_threads_of_openblas_begin_inside(started):
    code = """
from tests.worker import sealed_with_numpy as n
n.use_all_cores()
product = float((n.SQUARE @ n.SQUARE)[0, 0])
answer = (n.BEFORE, product)
"""
    host = started(NUMPY)
    assert eval(told(host, code)) == (1, 600.0)
    tasks = [path.read_text() for path in Path(f"/proc/{host.pid}/task").glob("*/status")]
    # Of those there are two more: the one that hears the parent, and one for each further core.
    assert len(tasks) - 1 == len(os.sched_getaffinity(0)) or not openblas()
    assert all("Seccomp:\t2" in task and "NoNewPrivs:\t1" in task for task in tasks)


def openblas():
    """Whether NumPy is built with it."""
    told = np.show_config(mode="dicts")["Build Dependencies"]["blas"]["name"]
    return "openblas" in told


def test_a_process_with_another_thread_is_not_sealed(started, monkeypatch):
    monkeypatch.setattr("jitstudio.worker.process._LATER_THREADS", {"OPENBLAS_NUM_THREADS": "2"})
    if not openblas():
        pytest.skip("NumPy starts no threads here")
    with pytest.raises(WorkerError, match="Another thread runs already"):
        told(started(NUMPY), "")


def test_it_reads_what_the_call_needs(started, tmp_path, home):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "inside").write_text("in")
    (folder / "link").symlink_to(home / "secret")
    (tmp_path / "alias").symlink_to(folder)
    host, access = started(), SandboxAccess((str(tmp_path / "alias"),))
    read = "answer = open({!r}).read()".format
    assert told(host, read(str(folder / "inside")), access) == "in"
    assert told(host, read(str(tmp_path / "alias" / "inside")), access) == "in"
    assert told(host, read(str(folder / "link")), access) == "EACCES"
    assert told(host, read(str(folder / ".." / "home" / "secret")), access) == "EACCES"
    assert told(host, f"open({str(folder / 'new')!r}, 'w')", access) == "EACCES"
    everything = SandboxAccess(None)
    assert told(host, read(str(home / "secret")), everything) == "secret"
    assert told(host, f"open({str(home / 'new')!r}, 'w')", everything) == "EACCES"


def test_a_process_is_replaced_only_for_a_call_that_needs_more(started, tmp_path):
    first, second = (SandboxAccess((str(tmp_path / name),)) for name in ("a", "b"))
    host = started()
    told(host, "", first)
    seen = [host.pid]
    for access in (SandboxAccess(), first, second, first, second, SandboxAccess()):
        told(host, "", access)
        seen.append(host.pid)
    assert seen[0] == seen[1] == seen[2] != seen[3]
    assert len(set(seen)) == 2


def test_a_confined_call_finds_no_process_that_can_reach_more(started, tmp_path):
    wide, narrow = SandboxAccess((str(tmp_path),)), SandboxAccess((str(tmp_path / "a"),))
    host = started()
    told(host, "", wide)
    pid = host.pid
    told(host, "", SandboxAccess(), most=narrow)
    confined = host.pid
    assert confined != pid
    told(host, "", narrow, most=narrow)
    told(host, "", SandboxAccess())
    assert host.pid == confined


def test_an_unsealed_process_is_not_replaced(started, tmp_path):
    host = started()
    host.start()
    pid = host.pid
    told(host, "", SandboxAccess((str(tmp_path),)), most=SandboxAccess((str(tmp_path),)))
    assert host.pid == pid


def runs(pid):
    """Whether a process does, or ends within some seconds; one that nobody reaps has ended."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        try:
            if "Z" in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2]:
                return False
        except OSError:
            return False
        time.sleep(0.05)
    return True


FOLDER = "import tempfile; answer = tempfile.gettempdir(); open(answer + '/left', 'w')"


@pytest.mark.parametrize(
    "end", ["os.kill(os.getpid(), 11)", "os._exit(3)", "os.kill(os.getpid(), 9)"]
)
def test_its_temporary_folder_goes_with_it(started, end):
    host = started()
    folder = Path(told(host, FOLDER))
    assert (folder / "left").exists()
    assert isinstance(told(host, f"import os; {end}"), ChildDeath)
    assert not folder.exists()


@pytest.mark.tools
def test_the_folder_of_a_killed_program_is_emptied_and_removed_by_the_next(tmp_path, monkeypatch):
    code = f"""
import os
from jitstudio.worker.host import WorkerHost
from jitstudio.worker.protocol import Call
from tests.worker.sealed import PLAIN
print(WorkerHost(0, PLAIN).ask(Call(1, {FOLDER!r}), print).answer, flush=True)
os.kill(os.getpid(), 9)
"""
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True
    )
    folder = Path(done.stdout.strip())
    assert folder.parent == tmp_path
    end = time.monotonic() + 20
    while list(folder.iterdir()) and time.monotonic() < end:
        time.sleep(0.05)
    assert not list(folder.iterdir())
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    host = WorkerHost(0, PLAIN)
    host.start()
    host.close()
    assert not folder.exists()


def test_what_it_has_started_dies_with_it(started):
    host = started(PROGRAMS)
    # It holds no pipe of ours: we would wait for it.
    forked = (
        "import os, time; answer = os.fork()\n"
        "if not answer: os.closerange(0, 100)\nwhile not answer: time.sleep(1)"
    )
    grandchild = int(told(host, forked))
    assert Path(f"/proc/{grandchild}").exists()
    told(host, "import os; os._exit(0)")
    assert not runs(grandchild)


def test_it_dies_first_when_memory_runs_out(started):
    host = started()
    assert told(host, "answer = 1") == "1"
    assert Path(f"/proc/{host.pid}/oom_score_adj").read_text() == "1000\n"


def test_the_environment_is_no_file_to_include(sealed):
    for path in ("/proc/self/environ", "/proc/self/task", "/proc/self/mem"):
        assert sealed(f"import os; os.close(os.open({path!r}, os.O_RDONLY))") == "EACCES"


def test_a_process_with_the_gpu_reaches_the_driver_only(started, home):
    host, access = started(), SandboxAccess(gpu=True)
    assert told(host, "import socket as s; s.socket(s.AF_UNIX)", access) == "done"
    connect = "import socket as s; s.socket(s.AF_UNIX).connect('/run/dbus/system_bus_socket')"
    assert told(host, connect, access) == "EPERM"
    assert told(host, "import socket as s; s.socket(s.AF_INET)", access) == "EPERM"
    assert told(host, f"open({str(home / 'secret')!r})", access) == "EACCES"
    cache = "import os, tempfile; answer = os.environ['CUDA_CACHE_PATH'], tempfile.gettempdir()"
    folder, own = eval(told(host, cache, access))
    assert Path(folder).parent == Path(own)
    assert told(host, "import os; answer = len(os.listdir('/sys'))", access).isdigit()


def test_off_means_off(started, monkeypatch, home):
    monkeypatch.setenv("JITSTUDIO_SANDBOX", "off")
    assert told(started(), f"answer = open({str(home / 'secret')!r}).read()") == "secret"
