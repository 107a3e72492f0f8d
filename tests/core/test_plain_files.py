import errno
import os
import socket
import sys
import threading
from pathlib import Path

import pytest

from jitstudio.core.plain_files import LARGEST, read_file

MIB = 1 << 20


def refusal(path, **limits):
    """Why a file is refused, found out in another thread: it may not keep anybody waiting."""
    came = []

    def read():
        try:
            read_file(path, **limits)
        except OSError as error:
            came.append(error)

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    thread.join(10)
    assert came, f"{path} is read, or keeps its reader waiting"
    return came[0]


@pytest.mark.parametrize("size", [0, 1, 65_536, 65_537, 3 * MIB])
def test_all_of_a_file_up_to_the_limit_is_read(tmp_path, size):
    content = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    file = tmp_path / "k.cu"
    file.write_bytes(content)
    link = tmp_path / "link.cu"
    link.symlink_to(file)
    for path in (file, link):
        assert read_file(path) == content
        assert read_file(path, limit=size) == content


@pytest.mark.parametrize("size", [LARGEST + 1, 3 << 30, 1 << 40])
def test_what_is_too_large_is_refused_by_its_size(tmp_path, size):
    sparse = tmp_path / "k.cu"
    with sparse.open("wb") as file:
        file.truncate(size)
    error = refusal(sparse)
    assert error.errno == errno.EFBIG
    assert error.strerror == "it is larger than the 256 MiB that are read"
    assert "than the 64 MiB" in refusal(sparse, limit=64 * MIB).strerror


@pytest.mark.skipif(sys.platform != "linux", reason="the files below /proc are Linux's")
def test_what_has_no_size_is_refused_once_it_has_given_too_much():
    maps = Path("/proc/self/maps")
    assert maps.stat().st_size == 0
    assert b"python" in read_file(maps)
    assert refusal(maps, limit=100).errno == errno.EFBIG


def test_what_is_no_plain_file_is_refused_at_once(tmp_path):
    pipe, link = tmp_path / "pipe.cu", tmp_path / "link.cu"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    assert refusal(pipe).strerror == "it is a pipe and no ordinary file"
    assert refusal(link).strerror == "it is a pipe and no ordinary file"
    assert refusal(tmp_path).strerror == "it is a folder"
    for device in ("/dev/zero", "/dev/tty", "/dev/null"):
        if os.path.exists(device):
            assert refusal(Path(device)).strerror == "it is a device and no ordinary file"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket.cu"))
        assert refusal(tmp_path / "socket.cu").strerror == "it is a socket and no ordinary file"


def test_what_the_system_refuses_is_told_by_the_system(tmp_path):
    loop = tmp_path / "loop.cu"
    loop.symlink_to(loop)
    assert refusal(loop).errno == errno.ELOOP
    assert isinstance(refusal(tmp_path / "no.cu"), FileNotFoundError)
    assert refusal(tmp_path / "no.cu").strerror == "No such file or directory"
    assert refusal(tmp_path / ("k" * 300)).errno == errno.ENAMETOOLONG


def test_a_name_that_no_file_can_have_is_told(tmp_path):
    assert refusal(tmp_path / "k\0.cu").strerror == "no file can have such a name"
    assert refusal(tmp_path / "k\ud800.cu").strerror == "no file can have such a name"
