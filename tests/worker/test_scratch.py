"""Temporary folders of worker processes: who holds one keeps it, and what nobody holds goes."""

import os
import subprocess
import sys
import tempfile

import pytest

from jitstudio.worker import launcher, scratch
from jitstudio.worker.launcher import LaunchFiles
from tests.core.test_bounds import deep
from tests.support import ROOT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there, nothing is removed")

HOLD = """
import sys, time
from jitstudio.worker import scratch
print(scratch.make("child"), flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder for temporary files of the test's own."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    scratch._remove_orphans.cache_clear()
    yield tmp_path
    scratch._remove_orphans.cache_clear()


@pytest.fixture
def start(folder):
    processes = []

    def begin(*wrapper):
        process = subprocess.Popen(
            [*wrapper, sys.executable, "-c", HOLD],
            env=os.environ | {"TMPDIR": str(folder), "PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        processes.append(process)
        return process, folder / os.path.basename(process.stdout.readline().strip())

    yield begin
    for process in processes:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


@pytest.mark.slow
@pytest.mark.parametrize("wrapper", [(), ("unshare", "--pid", "--fork", "--mount-proc")])
def test_what_a_living_program_holds_stays_and_that_of_a_killed_one_goes(start, wrapper):
    """Also where the other one has a number of its own for itself, as in a container."""
    if wrapper and subprocess.run([*wrapper, "true"], capture_output=True).returncode:
        pytest.skip("this user makes no namespaces")
    mine = scratch.make("child")
    process, held = start(*wrapper)
    assert held.is_dir()
    assert mine.is_dir()
    assert scratch.is_there(mine)
    scratch._remove_orphans.cache_clear()
    scratch.remove(scratch.make("launch"))
    assert held.is_dir()
    process.stdin.close() if wrapper else process.kill()
    process.wait()
    scratch._remove_orphans.cache_clear()
    scratch.remove(scratch.make("launch"))
    assert not held.exists()
    scratch.remove(mine)
    assert not mine.exists()


def test_a_folder_that_is_taken_away_is_not_there_even_if_another_has_its_name(folder):
    mine = scratch.make("child")
    mine.rename(folder / "elsewhere")
    assert not scratch.is_there(mine)
    mine.mkdir()
    assert not scratch.is_there(mine)
    scratch.remove(mine)
    assert not mine.exists()


def test_the_folder_of_launches_is_made_again_and_the_lock_of_the_old_one_goes(folder):
    files = LaunchFiles()
    before = set(scratch._locks)
    first = files.folder
    first.rename(folder / "elsewhere")
    first.mkdir()  # another's, of the same name
    second = files.folder
    assert second != first
    assert files.new_run().is_dir()
    assert set(scratch._locks) - before == {second}
    files.close()
    assert set(scratch._locks) == before


def test_no_folder_is_handed_out_that_others_take_for_an_orphan(folder, monkeypatch):
    def taken(made):
        os.rmdir(made)
        return False

    monkeypatch.setattr(scratch, "_hold", taken)
    with pytest.raises(OSError, match="others remove each new folder"):
        scratch.make("child")
    assert os.listdir(folder) == []


def test_folders_that_are_deep_or_of_others_fail_nothing(folder):
    left = folder / "jitstudio-child-abcdefgh"
    deep(left, 1_500)
    others = folder / "jitstudio-child-bcdefghi"
    deep(others, 3)
    (folder / "jitstudio-child-cdefghij").write_text("a file")
    (folder / "jitstudio-child-defghijk").symlink_to(others)
    (folder / "jitstudio-somebody-abcdefgh").mkdir()
    if os.getuid() == 0:
        os.chown(others, 65534, 65534)
    scratch.remove(scratch.make("child"))
    assert not left.exists()
    assert others.exists() == (os.getuid() == 0)
    assert (folder / "jitstudio-child-defghijk").is_symlink()
    assert (folder / "jitstudio-somebody-abcdefgh").is_dir()


def test_a_folder_for_temporary_files_that_was_removed_is_made_again(folder):
    folder.rmdir()
    made = scratch.make("child")
    assert made.parent == folder
    assert made.stat().st_mode & 0o777 == 0o700
    scratch.remove(made)


EMPTY = "from jitstudio.worker import scratch; scratch.empty_own()"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "is_there", "is_emptied"),
    [
        ("jitstudio-child-abcd1234", True, True),
        # Removed by another program, before this one has looked for it.
        ("jitstudio-child-abcd1234", False, False),
        # The user's, of a program that was started by hand.
        ("temporary", True, False),
    ],
)
def test_a_child_empties_its_own_folder_and_no_other(folder, name, is_there, is_emptied):
    (folder / "work").mkdir()
    (folder / "work" / "kernel.cu").write_text("__global__ void k() {}\n")
    own = folder / name
    if is_there:
        own.mkdir()
        (own / "left").write_text("")
    subprocess.run(
        [sys.executable, "-c", EMPTY],
        cwd=folder / "work",
        env=os.environ | {"TMPDIR": str(own), "PYTHONPATH": str(ROOT)},
        check=True,
    )
    assert (folder / "work" / "kernel.cu").exists()
    assert (own / "left").exists() == (is_there and not is_emptied)


def test_contents_for_launches_to_come_are_bounded_in_bytes(monkeypatch):
    """A program that hands over arrays gives each launch others."""
    monkeypatch.setattr(launcher, "_KEPT_BYTES", 1000)
    files = LaunchFiles()
    for number in range(5):
        path = files._fill_folder / f"{number}.npy"
        path.write_bytes(bytes(400))
        files._fills[number] = path
    files.trim()
    assert [path.name for path in sorted(files._fill_folder.iterdir())] == ["3.npy", "4.npy"]
    assert list(files._fills) == [3, 4]
    files.close()
