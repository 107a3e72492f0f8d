"""All processes together: how much they may have, and which one ends."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from jitstudio.worker.crash_report import crash_after_death
from jitstudio.worker.host import ChildDeath, WorkerHost
from jitstudio.worker.limits import WATCH, cgroup_limits, share_of_memory, taken_by
from jitstudio.worker.protocol import Call
from tests.support import ROOT
from tests.worker.sealed import PLAIN

pytestmark = [
    pytest.mark.usefixtures("own_workers"),
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="it reads Linux's /proc"),
]

# Shared memory, which no limit of one process counts.
TAKE = """
import mmap, time
held = mmap.mmap(-1, {size} << 20)
for at in range(0, len(held), 4096):
    held[at] = 1
globals()["__builtins__"]["held"] = held
{then}
"""


@pytest.fixture
def hosts(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    made = [WorkerHost(0, PLAIN) for _ in range(2)]
    yield made
    for host in made:
        host.close()


def ask(host, size, then=""):
    return host.ask(Call(1, TAKE.format(size=size, then=then)), lambda event: None)


def test_the_largest_ends_when_all_together_have_too_much(hosts, monkeypatch):
    small, large = hosts
    monkeypatch.setattr(WATCH, "limit", 400 << 20)
    # Not with the workers of other tests, which go on.
    monkeypatch.setattr(WATCH, "_processes", set())
    assert ask(small, 150).answer == "done"
    pid = small.pid
    dead = ask(large, 300, "time.sleep(60)")
    assert isinstance(dead, ChildDeath)
    assert not dead.killed
    crash = crash_after_death(None, dead)
    assert crash.signal == "out of memory"
    assert small.pid == pid
    assert ask(large, 10).answer == "done"  # the next call works


def test_what_a_process_has_started_counts():
    child = "import time; held = bytearray(100 << 20); print(flush=True); time.sleep(60)"
    code = f"import subprocess as s, sys;p = s.Popen([sys.executable, '-c', {child!r}]); p.wait()"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as parent:
        parent.stdout.readline()
        taken, count = taken_by(parent.pid)
        assert count == 2
        assert 100 << 20 < taken < 200 << 20
        listed = Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text()
        for child in listed.split():
            os.kill(int(child), 9)
    assert taken_by(parent.pid) == (0, 0)


def test_what_has_ended_does_not_count_as_running():
    code = (
        "import os, time\nfor _ in range(50):\n    if not os.fork():\n        os._exit(0)\n"
        "time.sleep(0.3); print(flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as parent:
        parent.stdout.readline()
        listed = Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text()
        assert len(listed.split()) == 50
        assert taken_by(parent.pid)[1] == 1
        parent.kill()


def proc(folder, cgroup, mountinfo):
    (folder / "cgroup").write_text(cgroup)
    (folder / "mountinfo").write_text(mountinfo)
    return folder


@pytest.mark.parametrize(("root", "own"), [("/", "/service/job"), ("/service", "/service/job")])
def test_limits_of_control_groups_hold_up_the_tree(tmp_path, root, own):
    mounted = tmp_path / "mounted"
    inner = mounted / ("service/job" if root == "/" else "job")
    inner.mkdir(parents=True)
    (inner / "memory.max").write_text("max\n")
    (inner.parent / "memory.max").write_text("1073741824\n")
    line = f"31 23 0:28 {root} {mounted} rw,relatime shared:4 - cgroup2 cgroup2 rw\n"
    assert cgroup_limits(proc(tmp_path, f"0::{own}\n", line)) == (1073741824,)


def test_the_first_version_of_control_groups(tmp_path):
    mounted = tmp_path / "mounted"
    (mounted / "a").mkdir(parents=True)
    (mounted / "a" / "memory.limit_in_bytes").write_text("536870912\n")
    (mounted / "memory.limit_in_bytes").write_text("9223372036854771712\n")
    lines = (
        f"32 31 0:29 / {tmp_path} rw,relatime - cgroup cgroup rw,cpu\n"
        f"35 31 0:32 / {mounted} rw,relatime - cgroup cgroup rw,memory\n"
    )
    found = cgroup_limits(proc(tmp_path, "4:memory:/a\n1:cpu:/\n0::/\n", lines))
    assert found == (536870912, 9223372036854771712)


def test_a_real_control_group_bounds_the_default():
    group = f"/sys/fs/cgroup/memory/jitstudio-test-{os.getpid()}"
    try:
        os.mkdir(group)
    except OSError:
        pytest.skip("no control group of the first version can be made here")
    code = (
        f"import os; open('{group}/cgroup.procs', 'w').write(str(os.getpid()));"
        "from jitstudio.worker.limits import share_of_memory; print(share_of_memory(0.5))"
    )
    try:
        with open(f"{group}/memory.limit_in_bytes", "w") as file:
            file.write(str(512 << 20))
        told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert int(told.stdout) == 256 << 20
    finally:
        time.sleep(0.1)
        os.rmdir(group)
    assert share_of_memory(0.5) > 256 << 20
