"""Files that would keep a command waiting or fill the memory, on every command that takes files."""

import os
import struct
import zipfile

import numpy as np
import pytest

from jitstudio.core.code import CodeKind
from jitstudio.core.cubin import keeps_ptx, sections
from jitstudio.core.fatbin import contents, fatbin_entries
from jitstudio.core.launch.c_types import FLOAT
from jitstudio.core.plain_files import read_file
from jitstudio.numerics.array_files import load
from jitstudio.numerics.dtypes import NumericsError
from tests.core.fatbins import container, entry
from tests.support import KERNEL, refusal

ODD = ("pipe", "device", "folder", "loop", "sparse")
COMMANDS = [
    ["build", "{}.cu"],
    ["build", "{}.ptx"],
    ["build", "{}.fatbin"],
    ["build", "{}.jitproj"],
    ["build", "good.cu", "--header", "a.h={}.h"],
    ["build", "good.cu", "--link", "--library", "{}.ptx"],
    ["inspect", "{}.cubin"],
    ["run", "{}.cu"],
    ["sweep", "{}.cu", "--axis", "block=32"],
    ["diff", "{}.cu", "good.cu"],
    ["diff", "good.cu", "{}.sass"],
    ["diff", "--what", "source", "{}.cu", "good.cu"],
]


def _make(path, what):
    match what:
        case "pipe":
            os.mkfifo(path)
        case "device":
            path.symlink_to("/dev/zero")
        case "folder":
            path.mkdir()
        case "loop":
            path.symlink_to(path)
        case "sparse":
            with path.open("wb") as file:
                file.truncate(1 << 40)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("what", ODD)
def test_a_file_that_is_none_is_refused(run, tmp_path, words, what):
    (tmp_path / "good.cu").write_text(KERNEL)
    named = [word.format(what) for word in words]
    for word in named:
        path = tmp_path / word.partition("=")[2] if "=" in word else tmp_path / word
        if path.stem == what:
            _make(path, what)
            # Some read less than others of a file that is too large.
            reason = refusal(read_file, path).partition("256")[0]
    ran = run(*named)
    assert ran.code == 2
    # A folder may be a cache of kernels.
    reasons = (reason, "cannot be opened: ", "holds no kernels")
    assert any(reason in ran.err for reason in reasons)


@pytest.mark.parametrize(
    "words",
    [
        ["build", "k.cu", "--option", "--"],
        ["build", "k.cu", "--arch=--"],
        ["build", "k.cu", "--repeat=--"],
        ["run", "k.cu", "--kernel=--"],
        ["run", "k.cu", "--arg=--"],
        ["sweep", "k.cu", "--axis=--"],
        ["diff", "k.cu", "k.cu", "--kernel=--"],
    ],
)
def test_two_dashes_are_no_value(run, tmp_path, words):
    (tmp_path / "k.cu").write_text(KERNEL)
    ran = run(*words)
    assert ran.code == 2
    assert "'--' is not a value" in ran.err


def test_two_dashes_still_end_the_options(run, tmp_path):
    (tmp_path / "k.cu").write_text(KERNEL)
    assert run("build", "--", "k.cu").code == 0
    assert "'--x=--' has no file extension" in run("build", "--", "k.cu", "--x=--").err


def test_the_name_of_a_header_that_is_no_utf8(run, tmp_path):
    (tmp_path / "k.cu").write_text(KERNEL)
    ran = run("build", "k.cu", "--header", os.fsdecode(b"\xe9=k.cu"))
    assert ran.code == 2
    assert "is not UTF-8." in ran.err


def test_a_pipe_that_nobody_reads_takes_no_output(run, tmp_path):
    (tmp_path / "k.cu").write_text(KERNEL)
    (tmp_path / "out").mkdir()
    os.mkfifo(tmp_path / "out" / "k.ptx")
    ran = run("build", "k.cu", "--emit", "ptx", "-o", "out")
    assert ran.code == 2
    assert "cannot be written" in ran.err
    os.mkfifo(tmp_path / "table.csv")
    ran = run("sweep", "k.cu", "--axis", "block=32", "--csv", "table.csv")
    assert ran.code == 2
    assert "cannot be written" in ran.err


def _npy(header: bytes, data: bytes = bytes(16)) -> bytes:
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


def _header(shape: str, descr: str = "'<f4'") -> bytes:
    return f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n".encode()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x93NUMPY",
        b"\x93NUMPY\x09\x00" + bytes(100),
        _npy(_header("(1099511627776,)")),
        _npy(_header("(-4,)")),
        _npy(_header("(4611686018427387904, 4611686018427387904)")),
        _npy(_header(f"({'9' * 5000},)")),
        _npy(b"(" * 9000),
        _npy(b"-" * 9000 + b"1\n"),
        _npy(b"{'descr': " + b"[" * 900 + b"]" * 900 + b"}\n"),
        _npy(_header("(4,)", "'|O'")),
        _npy(_header("(4,)", "'<f99'")),
        _npy(_header("(4,)", "[('a', '<f4')] * 9")),
        _npy(_header("None")),
        _npy(b"\xff" * 100),
    ],
)
def test_a_damaged_array_is_told_in_words(tmp_path, content):
    path = tmp_path / "a.npy"
    path.write_bytes(content)
    with pytest.raises(NumericsError, match=r"a\.npy"):
        load(str(path), FLOAT, 4)


@pytest.mark.slow
@pytest.mark.bench
def test_an_archive_is_not_unpacked_beyond_the_buffer(tmp_path):
    path = tmp_path / "a.npz"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("a.npy", "w") as file,
    ):
        file.write(_npy(_header("(268435456,)"), b""))
        for _ in range(300):
            file.write(bytes(1 << 20))
    assert path.stat().st_size < 1 << 20
    with pytest.raises(NumericsError, match="far more than the buffer"):
        load(str(path), FLOAT, 4)
    np.savez(path, a=np.arange(4, dtype="f4"))
    assert load(str(path), FLOAT, 4).tolist() == [0, 1, 2, 3]


def test_a_pipe_fills_no_buffer(tmp_path):
    os.mkfifo(tmp_path / "a.npy")
    with pytest.raises(NumericsError, match="it is not an ordinary file"):
        load(str(tmp_path / "a.npy"), FLOAT, 4)


def _bomb(times: int) -> bytes:
    """A fatbin of some hundred bytes whose entries say that they unpack to a GiB each."""
    packed = bytearray(entry(1, 80, bytes(40), flags=0x2011))
    struct.pack_into("<Q", packed, 56, 1 << 30)
    return container(*[bytes(packed)] * times)


@pytest.mark.parametrize(
    ("name", "more"),
    [("b.fatbin", []), ("b.o", []), ("b.a", []), ("b.fatbin", ["--link"]), ("b.o", ["--lto"])],
)
def test_a_small_file_that_unpacks_to_gigabytes_is_refused(run, tmp_path, name, more):
    (tmp_path / name).write_bytes(bytes(64) + _bomb(2) if name == "b.o" else _bomb(2))
    ran = run("build", name, "--arch", "sm_80", *more)
    assert ran.code == 1
    assert "says that it unpacks to 2,147,483,648: it is damaged, or made to fill" in ran.err


def test_sections_that_overlap_are_read_once():
    """Of 60,000 sections, each of them the whole file of some MB."""
    count, at = 60_000, 64
    head = struct.pack(
        "<16s HH 20x Q I 6x HHH", b"\x7fELF\x02\x01\x01\x41\x08", 2, 190, at, 0, 64, count, 0
    )
    names = b"\0.nv_debug_ptx_txt\0"
    section = struct.pack("<II16xQQI20x", 1, 1, 0, at + 64 * count, 0)
    first = struct.pack("<II16xQQI20x", 0, 3, at + 64 * count, len(names), 0)
    content = head.ljust(at, b"\0") + first + section * (count - 1) + names
    assert not keeps_ptx(content)
    held = sections(content)
    assert len(held) == count
    assert sum(len(one.content) for one in held) <= len(content)


def test_names_of_entries_do_not_add_up():
    packed = bytearray(entry(1, 80, bytes(8)))
    struct.pack_into("<I", packed, 36, 1 << 31)
    entries = fatbin_entries(container(*[bytes(packed)] * 5000))
    assert len(entries) == 5000
    assert max(len(one.name) for one in entries) <= 4096
    assert contents(CodeKind.FATBIN, container(*[bytes(packed)] * 5000)).endswith("and 4,000 more")
