import os
import socket
import sys
from pathlib import Path

import pytest

from jitstudio.core import plain_files
from jitstudio.core.code import CodeKind
from jitstudio.gui.state.document_files import (
    DocumentError,
    kind_of_file,
    read_file,
    resolved,
    write_file,
)
from tests.support import refusal


@pytest.fixture
def old(tmp_path):
    path = tmp_path / "k.cu"
    path.write_bytes(b"old\n")
    return path


def test_reading_a_folder_or_nothing_is_told(tmp_path):
    reason = refusal(plain_files.read_file, tmp_path)
    with pytest.raises(DocumentError, match=f"cannot be opened: {reason}"):
        read_file(tmp_path)
    with pytest.raises(DocumentError, match=r"no\.cu' cannot be opened"):
        read_file(tmp_path / "no.cu")


def test_what_goes_wrong_is_told_in_the_language_of_the_window(bracketing, tmp_path):
    for act in (
        lambda: read_file(tmp_path),
        lambda: write_file(tmp_path, b""),
        lambda: kind_of_file(Path("notes.txt")),
    ):
        with pytest.raises(DocumentError, match=r"^\['.*\]$"):
            act()


def test_an_unknown_ending_is_told_with_the_known_ones():
    assert kind_of_file(Path("K.CU")) is CodeKind.CUDA
    with pytest.raises(DocumentError, match=r"'notes\.txt' has no file extension.*\.cu, "):
        kind_of_file(Path("notes.txt"))


def test_a_symbolic_link_stays_one(old, tmp_path):
    link = tmp_path / "link.cu"
    link.symlink_to(old)
    write_file(link, b"new\n")
    assert link.is_symlink()
    assert old.read_bytes() == b"new\n"


def test_a_symbolic_link_to_nothing_makes_what_it_points_to(tmp_path):
    link = tmp_path / "link.cu"
    link.symlink_to(tmp_path / "later.cu")
    write_file(link, b"new\n")
    assert link.is_symlink()
    assert (tmp_path / "later.cu").read_bytes() == b"new\n"


def test_both_names_of_a_file_keep_it(old, tmp_path):
    other = tmp_path / "other.cu"
    other.hardlink_to(old)
    write_file(old, b"longer than before\n")
    assert other.read_bytes() == b"longer than before\n"
    assert other.samefile(old)
    write_file(old, b"")
    assert other.read_bytes() == b""


@pytest.mark.parametrize("mode", [0o644, 0o755, 0o600])
def test_permissions_stay(old, mode):
    old.chmod(mode)
    write_file(old, b"new\n")
    assert old.stat().st_mode & 0o777 == mode


def test_what_is_no_ordinary_file_is_refused(tmp_path):
    pipe = tmp_path / "pipe.cu"
    os.mkfifo(pipe)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket.cu"))
        for path in (pipe, tmp_path / "socket.cu", Path("/dev/full")):
            with pytest.raises(
                DocumentError, match=f"^'{path}' cannot be written: it is not an ord"
            ):
                write_file(path, b"new\n")
    assert pipe.is_fifo()


@pytest.mark.parametrize("place", ["file/k.cu", "nowhere/k.cu", "loop"])
def test_a_place_that_cannot_be_written_is_told(tmp_path, place):
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(DocumentError, match=r"cannot be written: .*\. Save it under another name"):
        write_file(tmp_path / place, b"new\n")


@pytest.mark.parametrize("names", [1, 2])
def test_a_full_disk_leaves_the_old_content(old, tmp_path, full_disk, names):
    if names == 2:
        (tmp_path / "other.cu").hardlink_to(old)
    files = sorted(os.listdir(tmp_path))
    with full_disk(), pytest.raises(DocumentError, match="cannot be written"):
        write_file(old, b"new and longer\n")
    assert old.read_bytes() == b"old\n"
    assert sorted(os.listdir(tmp_path)) == files


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_name_that_is_no_utf_8_is_refused_before_another_file_is_meant(old, tmp_path):
    # Qt would leave out the byte, and mean k.cu.
    path = Path(os.fsdecode(bytes(tmp_path) + b"/k\xff.cu"))
    path.write_bytes(b"odd\n")
    for act in (read_file, resolved):
        with pytest.raises(DocumentError, match=r"k\\xff\.cu' cannot .*: its name is not in UTF-8"):
            act(path)
    with pytest.raises(DocumentError, match=r"k\\xff\.cu' cannot be written: its name"):
        write_file(path, b"new\n")
    # As a dialog or a drag tells of it.
    with pytest.raises(DocumentError, match="its name is not in UTF-8"):
        read_file(tmp_path / "k\ufffd.cu")
    assert old.read_bytes() == b"old\n"
    assert path.read_bytes() == b"odd\n"
