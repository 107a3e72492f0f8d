"""Folders of caches as lists of kernels, and one of these kernels as a module."""

import os
import shutil
import time
from pathlib import Path

import pytest

from jitstudio.core.captured import unpack
from jitstudio.core.code import CodeKind
from jitstudio.core.kernel_resources import code_sizes, cubin_resources
from jitstudio.core.library import LibraryFailure, ListRequest, TakeRequest
from jitstudio.kernel_caches import reading
from jitstudio.toolchain.cache_folders import CacheFolders

CAPTURED = Path(__file__).parents[1] / "data/captured"
TRITON = next((CAPTURED / "triton").glob("3JFIOR7*"))
CUBIN = (TRITON / "scale_kernel.cubin").read_bytes()


def listed(folders, path, tell=lambda _: None):
    return folders.list(ListRequest(str(path), path.name), tell)


def test_all_kernels_are_listed_the_newest_first_with_what_their_cubins_say(tmp_path):
    for number, name in enumerate(("triton", "cupy", "cuda", "numba")):
        shutil.copytree(CAPTURED / name, tmp_path / name)
        for file in (tmp_path / name).rglob("*"):
            os.utime(file, (1e9 + number,) * 2)
    found = listed(CacheFolders(), tmp_path)
    rows = [(k.demangled, found.pieces[k.piece]) for k in found.kernels]
    assert [(name.partition("[")[0], p.target, p.origin, p.date) for name, p in rows] == [
        ("first::first", "sm_90", "Numba", 1e9 + 3),
        *[("saxpy", target, "CUDA", 1e9 + 2) for target in ("sm_90a", "compute_90")],
        *[(f"void twice<{t}>({t}*)", "sm_90", "CuPy", 1e9 + 1) for t in ("float", "double")],
        ("saxpy", "sm_90", "CuPy", 1e9 + 1),
        ("scale_kernel", "sm_90a", "Triton 3.9.0", 1e9),
    ]
    last = found.kernels[-1]
    assert last.resources == cubin_resources(CUBIN)["scale_kernel"]
    assert last.code_bytes == code_sizes(CUBIN)["scale_kernel"]
    assert found.folders[0] == ""
    assert f"triton/{TRITON.name}" in found.folders
    assert not found.notes
    request = TakeRequest(
        str(tmp_path), "c", rows[-1][1], (CAPTURED / "triton/scale.py").read_bytes()
    )
    taken = CacheFolders.take(request)
    assert taken.kind is CodeKind.CAPTURED
    kernel = unpack(taken.content)
    assert (kernel.name, kernel.source.file) == ("scale_kernel", "/tmp/kernels/scale.py")
    (tmp_path / rows[-1][1].member).unlink()
    assert "List it again" in CacheFolders.take(request).message


def test_what_is_new_is_read_and_nothing_else(tmp_path, monkeypatch):
    shutil.copytree(TRITON, tmp_path / "A")
    folders = CacheFolders()
    assert len(listed(folders, tmp_path).kernels) == 1
    read, entries = [], reading.entries

    def counted(folder):
        read.append(folder.inner)
        return entries(folder)

    monkeypatch.setattr(reading, "entries", counted)
    (tmp_path / "B").mkdir()
    (tmp_path / "B/k.cubin").write_bytes(CUBIN[: len(CUBIN) // 2])
    found = listed(folders, tmp_path)
    assert (read, len(found.kernels)) == (["B"], 1)
    assert found.notes == ("'B/k.cubin' is left out: no kernel is in it, or half of one.",)
    (tmp_path / "B/k.cubin").write_bytes(CUBIN)
    found = listed(folders, tmp_path)
    assert (read, len(found.kernels), found.notes) == (["B", "B"], 2, ())
    # The list needs no more of this file than its name, and of that one what is in it.
    (tmp_path / "A/scale_kernel.llir").write_bytes(b"")
    assert listed(folders, tmp_path) == found
    assert read == ["B", "B"]
    (tmp_path / "A/scale_kernel.json").write_text('{"triton_version": "9.9"}')
    assert {piece.origin for piece in listed(folders, tmp_path).pieces} == {"Triton 9.9", ""}
    assert read == ["B", "B", "A"]


def test_a_folder_without_kernels_says_what_is_looked_for_and_what_is_wrong(tmp_path):
    (tmp_path / "k.cubin").write_bytes(b"x86")
    found = listed(CacheFolders(), tmp_path)
    assert isinstance(found, LibraryFailure)
    assert "holds no kernels that can be read: neither those of a cache (Triton, " in found.message
    assert "'k' is left out: it is not a cubin" in found.message


@pytest.mark.bench
def test_a_cache_of_5000_entries_is_listed_in_less_than_two_seconds(tmp_path):
    for number in range(5000):
        (tmp_path / str(number)).mkdir()
        for file in TRITON.iterdir():
            (tmp_path / str(number) / file.name).hardlink_to(file)
    folders, told = CacheFolders(), []
    for limit in (2, 0.6):
        start = time.process_time()
        assert len(listed(folders, tmp_path, told.append).kernels) == 5000
        assert time.process_time() - start < limit
    assert told
