"""What is unpacked, walked through and removed is bounded by what comes of it."""

import ast
import bz2
import io
import lzma
import os
import random
import struct
import subprocess
import sys
import tracemalloc
import zipfile
import zlib
from pathlib import Path

import pytest

import jitstudio
from jitstudio.core.bounds import unpacking
from jitstudio.core.bounds.folders import empty_folder, remove_tree, temporary_folder, walk
from jitstudio.core.bounds.unpacking import DAMAGED_ZIP, MemberReader, Oversized, read_member
from jitstudio.core.captured import CapturedError, unpack
from jitstudio.export.compiler_explorer import ForeignStateError, project_from_file
from tests.support import ROOT

METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
LITTLE = 32 << 20
"""Bytes of memory that refusing a bomb may take."""


def packed(method, **members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def lying(method, name, size):
    """A zip whose member says that it has 1,000 bytes, and has `size` zeros."""
    squeeze = {
        zipfile.ZIP_DEFLATED: lambda: zlib.compressobj(9, wbits=-15),
        zipfile.ZIP_BZIP2: bz2.BZ2Compressor,
        zipfile.ZIP_LZMA: zipfile.LZMACompressor,
    }[method]()
    piece = bytes(1 << 20)
    body = b"".join(squeeze.compress(piece) for _ in range(size >> 20)) + squeeze.flush()
    word = name.encode()
    flags = 2 * (method == zipfile.ZIP_LZMA)
    about = struct.pack("<HHHHLLLHH", flags, method, 0, 0, 0, len(body), 1000, len(word), 0)
    local = b"PK\3\4" + struct.pack("<H", 63) + about + word + body
    central = (
        b"PK\1\2" + struct.pack("<HH", 63, 63) + about + struct.pack("<HHHLL", 0, 0, 0, 0, 0) + word
    )
    end = b"PK\5\6" + struct.pack("<HHHHLLH", 0, 0, 1, 1, len(central), len(local), 0)
    return local + central + end


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("size", [0, 1, 70_000, 5_000_000])
def test_a_member_is_what_zipfile_packed(method, size):
    content = random.Random(size).randbytes(size // 2) + bytes(size - size // 2)
    archive = zipfile.ZipFile(io.BytesIO(packed(method, a=b"first", b=content)))
    assert read_member(archive, archive.getinfo("b"), size) == content
    with MemberReader(archive, archive.getinfo("b"), size) as member:
        assert b"".join(iter(lambda: member.read(777), b"")) == content
    if size:
        with pytest.raises(Oversized, match=f"'b' is larger than {size - 1:,} bytes"):
            read_member(archive, archive.getinfo("b"), size - 1)


@pytest.mark.parametrize("method", METHODS)
def test_a_damaged_member_is_refused(method):
    content = random.Random(1).randbytes(10_000)
    whole = packed(method, a=content)
    for at in range(40, 10_000, 499):
        broken = bytearray(whole)
        broken[at] ^= 0x55
        archive = zipfile.ZipFile(io.BytesIO(bytes(broken)))
        with pytest.raises(DAMAGED_ZIP):
            read_member(archive, archive.getinfo("a"), 1 << 20)


def memory_of(work):
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("method", METHODS[1:])
def test_a_bomb_is_refused_in_little_memory(method):
    name = "kernel.json"
    bomb = lying(method, name, 100 << 20)
    assert len(bomb) < 400_000

    def refuse():
        with pytest.raises(CapturedError, match=f"'{name}' is larger than 1,048,576 bytes"):
            unpack(bomb)
        with pytest.raises(ForeignStateError, match="is too large: its member"):
            project_from_file("bomb.zip", bomb)

    assert memory_of(refuse) < LITTLE


def test_a_zip_of_too_many_members_is_refused_before_they_are_read():
    head = b"PK\1\2" + struct.pack("<HHHHHHLLLHHHHHLL", 63, 20, *[0] * 14)
    many = head * 200_000
    end = b"PK\5\6" + struct.pack("<HHHHLLH", 0, 0, 65535, 65535, len(many), 0, 0)

    def refuse():
        with pytest.raises(CapturedError, match="more than 10,000 members"):
            unpack(many + end)

    assert memory_of(refuse) < LITTLE


def test_what_zlib_packed_has_a_limit_and_an_end():
    content = bytes(1_000_000)
    data = zlib.compress(content, 9)
    assert unpacking.inflated(data, 1_000_000) == content
    with pytest.raises(Oversized, match="more than 999,999 bytes"):
        unpacking.inflated(data, 999_999)
    with pytest.raises(zlib.error, match="cut short"):
        unpacking.inflated(data[:-5], 1_000_000)
    bomb = zlib.compress(bytes(100 << 20), 9)

    def refuse():
        with pytest.raises(Oversized):
            unpacking.inflated(bomb, 1 << 20)

    assert memory_of(refuse) < LITTLE


def deep(folder, levels):
    """Folders in folders, beyond what a path can name, with a file in each hundredth."""
    folder.mkdir(exist_ok=True)
    here = os.open(folder, os.O_RDONLY)
    for level in range(levels):
        os.mkdir("d" * 20, dir_fd=here)
        inner = os.open("d" * 20, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
        if level % 100 == 0:
            os.close(os.open("file", os.O_WRONLY | os.O_CREAT, dir_fd=here))
    os.close(here)


def test_a_deep_folder_goes_and_what_links_lead_to_stays(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("kept")
    folder = tmp_path / "folder"
    deep(folder, 1_500)
    (folder / "link").symlink_to(outside)
    (folder / "broken").symlink_to("nowhere")
    os.mkfifo(folder / "pipe")
    deep(folder / "second", 100)
    assert sys.getrecursionlimit() < 1_500
    assert remove_tree(folder)
    assert not folder.exists()
    assert (outside / "kept").read_text() == "kept"
    link = tmp_path / "alias"
    link.symlink_to(outside)
    assert not remove_tree(link)
    assert (outside / "kept").exists()


def test_a_folder_is_emptied_and_a_temporary_one_is_gone(tmp_path):
    deep(tmp_path / "a", 300)
    (tmp_path / "a" / "b").write_text("b")
    empty_folder(tmp_path / "a")
    assert list((tmp_path / "a").iterdir()) == []
    empty_folder(tmp_path / "missing")
    with temporary_folder("x-", tmp_path) as folder:
        assert (folder.parent, folder.stat().st_mode & 0o777) == (tmp_path, 0o700)
        deep(folder, 300)
    assert not folder.exists()


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="needs another user")
def test_folders_that_may_not_be_read_or_written_go_too(tmp_path):
    code = f"""
import os, sys
sys.path.insert(0, {str(ROOT)!r})
from jitstudio.core.bounds.folders import remove_tree
os.setgid(65534); os.setuid(65534)
os.makedirs("top/closed/inner/deeper"); os.makedirs("top/fixed/inner")
open("top/fixed/file", "w").close(); open("top/closed/inner/file", "w").close()
for folder in ("top/closed/inner/deeper", "top/closed/inner", "top/closed", "top/fixed/inner"):
    os.chmod(folder, 0)
os.chmod("top/fixed", 0o555)
print(remove_tree("top"))
"""
    tmp_path.chmod(0o777)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert (done.stdout.strip(), done.stderr) == ("True", "")


def test_a_walk_ends_and_follows_no_links(tmp_path):
    deep(tmp_path / "deep", 100)
    (tmp_path / "deep" / "loop").symlink_to(tmp_path)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "2").write_text("")
    (tmp_path / "b" / "1").write_text("")
    (tmp_path / ".hidden").mkdir()
    walked = list(walk(tmp_path, lambda name: not name.startswith(".")))
    assert walked[0] == (str(tmp_path), [])
    assert walked[1] == (str(tmp_path / "b"), ["1", "2"])
    assert walked[2] == (str(tmp_path / "deep"), ["loop"])
    assert len(walked) == 2 + 64


def test_a_walk_tells_of_what_it_leaves_out(tmp_path, monkeypatch):
    def left_out():
        places = []
        list(walk(tmp_path, left_out=places.append))
        return [os.path.relpath(place, tmp_path) for place in places]

    for name in ("a/1", "b/2"):
        (tmp_path / name).mkdir(parents=True)
    assert left_out() == []
    monkeypatch.setattr("jitstudio.core.bounds.folders.DEEPEST", 2)
    assert left_out() == []
    (tmp_path / "a" / "1" / "deep").mkdir()
    assert left_out() == ["a/1"]
    monkeypatch.undo()
    monkeypatch.setattr("jitstudio.core.bounds.folders.MOST_WALKED", 6)
    assert left_out() == []
    monkeypatch.setattr("jitstudio.core.bounds.folders.MOST_WALKED", 1)
    assert left_out() in ([".", "a"], [".", "b"])


FORBIDDEN = {
    "rmtree": ("core/bounds/folders.py",),
    "walk": (),
    "rglob": (),
    "TemporaryDirectory": (),
    "decompressobj": ("core/bounds/unpacking.py",),
    "BZ2Decompressor": ("core/bounds/unpacking.py",),
    "LZMADecompressor": ("core/bounds/unpacking.py",),
}
OF_OTHERS = {"walk": "os", "decompress": "zlib"}


def test_nothing_walks_removes_or_unpacks_without_bounds():
    package = Path(jitstudio.__file__).parent
    strays = []
    for path in sorted(package.rglob("*.py")):
        name = str(path.relative_to(package))
        for node in ast.walk(ast.parse(path.read_bytes())):
            if not isinstance(node, ast.Attribute):
                continue
            word = node.attr
            of = OF_OTHERS.get(word)
            if of and not (isinstance(node.value, ast.Name) and node.value.id == of):
                continue
            if (word in FORBIDDEN or of) and name not in FORBIDDEN.get(word, ()):
                strays.append(f"{name}:{node.lineno}: {word}")
    assert strays == []


def test_lzma_that_asks_for_much_memory_is_refused():
    archive = zipfile.ZipFile(io.BytesIO(packed(zipfile.ZIP_LZMA, a=b"x" * 1000)))
    info = archive.getinfo("a")
    content = bytearray(packed(zipfile.ZIP_LZMA, a=b"x" * 1000))
    head = 30 + len("a") + 4
    content[head + 1 : head + 5] = struct.pack("<L", 0xFFFFFFF0)
    archive = zipfile.ZipFile(io.BytesIO(bytes(content)))
    with pytest.raises(lzma.LZMAError, match=r"[Mm]emory"):
        read_member(archive, info, 1000)
