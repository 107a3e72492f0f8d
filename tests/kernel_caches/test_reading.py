"""What caches hold, as it was recorded of kernels of our own, and what is not what it seems."""

import hashlib
import json
import os
import pickle
import shutil
import sqlite3
import time
from pathlib import Path

import pytest

from jitstudio.core.captured import CapturedKernel, Representation, pack, unpack
from jitstudio.core.captured import KernelLanguage as L
from jitstudio.core.library import Notes
from jitstudio.kernel_caches import reading
from jitstudio.kernel_caches.places import CACHES, cache_named, caches_here

CAPTURED = Path(__file__).parents[1] / "data/captured"
TRITON = CAPTURED / "triton/3JFIOR7MYG7CSL4WYAUC4HOB7BUNZW54NORHPLDJEOI3SNMHXPCQ"
TWICE = "8236a4f51d8d61c3130340259b6a8d33db1ec434.cubin"
SAXPY = "e2bc2d39499e221817f5263c7bd4590fe925fba8.cubin"
PTX = b".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n"
CUBIN = (TRITON / "scale_kernel.cubin").read_bytes()


def listed(root):
    """All entries of a folder by their members, and what is said of the others."""
    notes, found = Notes(), {}
    for folder in reading.folders(root, notes):
        found |= {entry.member: entry for entry in reading.entries(folder)}
        notes.join(folder.notes)
    return found, " ".join(notes.all())


def taken(root, entry, written=b""):
    """The kernel of an entry, which a file holds without loss."""
    kernel = reading.captured(root, entry.member, written)
    assert unpack(pack(kernel)) == kernel
    return kernel


def contents(kernel):
    return {one.language: one.content for one in kernel.representations}


def test_an_entry_of_triton_has_each_stage_as_it_is_and_the_function_that_was_written():
    root = TRITON.parent
    found, notes = listed(root)
    entry = found[f"{TRITON.name}/scale_kernel.cubin"]
    assert (entry.origin, entry.source) == ("Triton 3.9.0", "/tmp/kernels/scale.py:6")
    assert entry.date == (TRITON / "scale_kernel.cubin").stat().st_mtime
    written = (root / "scale.py").read_bytes()
    kernel = taken(root, entry, written)
    endings = (".source", ".ttir", ".ttgir", ".llir", ".ptx", ".cubin")
    languages = (L.MLIR, L.TTIR, L.TTGIR, L.LLVM_IR, L.PTX, L.CUBIN)
    stages = [(TRITON / f"scale_kernel{ending}").read_bytes() for ending in endings]
    assert contents(kernel) == {L.PYTHON: written, **dict(zip(languages, stages, strict=True))}
    assert kernel.source.file == "/tmp/kernels/scale.py"
    told = json.loads((TRITON / "scale_kernel.json").read_text())
    assert kernel.name == "scale_kernel"
    assert kernel.facts["num_warps"] == str(told["num_warps"])
    assert kernel.target.sm == "sm_90a"
    # The file has changed since: what is at that line now is no source of it.
    assert kernel.source
    assert taken(root, entry, b"\n" * 99 + written).source is None
    assert not notes
    assert len(found) == 1


def test_a_kernel_of_inductor_comes_with_the_python_file_next_to_it(tmp_path):
    (tmp_path / "triton").mkdir()
    shutil.copytree(TRITON, tmp_path / "triton" / TRITON.name)
    (tmp_path / "kernels").mkdir()
    shutil.copy(CAPTURED / "triton/scale.py", tmp_path / "kernels")
    found, _ = listed(tmp_path)
    (entry,) = found.values()
    assert taken(tmp_path, entry).source.file == "/tmp/kernels/scale.py"


def test_an_entry_of_triton_2_has_its_lines_in_ptx_alone():
    root = CAPTURED / "triton_2.1"
    found, notes = listed(root)
    (entry,) = found.values()
    assert (entry.origin, entry.source) == ("Triton", "/tmp/kernels/scale.py:6")
    kernel = taken(root, entry, (CAPTURED / "triton/scale.py").read_bytes())
    assert list(contents(kernel)) == [L.PYTHON, L.TTIR, L.TTGIR, L.LLVM_IR, L.PTX, L.CUBIN]
    assert (kernel.name, kernel.facts["num_stages"]) == ("scale_kernel_012", "3")
    assert not notes


def test_what_triton_dumps_has_no_options(tmp_path):
    for name in ("scale_kernel.ttir", "scale_kernel.ptx"):
        shutil.copy(TRITON / name, tmp_path)
    found, notes = listed(tmp_path)
    kernel = taken(tmp_path, found["scale_kernel.ptx"])
    assert (kernel.name, kernel.origin, kernel.facts) == ("scale_kernel", "Triton", {})
    assert set(contents(kernel)) == {L.TTIR, L.PTX}
    assert not notes


def test_cupy_keeps_a_cubin_behind_its_hash_and_the_names_of_templates():
    root = CAPTURED / "cupy"
    found, notes = listed(root)
    assert set(found) == {TWICE, SAXPY}
    assert not notes
    for name in found:
        kernel = taken(root, found[name])
        source = (root / f"{name}.cu").read_bytes()
        kept = (root / name).read_bytes()
        assert contents(kernel) == {L.CUDA: source, L.CUBIN: kept[kept.index(b"\x7fELF") :]}
        assert found[name].source == f"{name}.cu"
    assert kernel.origin == "CuPy"


@pytest.mark.parametrize("method", ["sha1", "md5"])
def test_cupy_keeps_ptx_too_and_nothing_else_is_taken_for_it(tmp_path, method):
    """As CuPy before 8 did, whose hash is MD5; PTX ends with a zero, as NVRTC gives it."""

    def keep(payload):
        digest = hashlib.new(method, payload).hexdigest()
        (tmp_path / f"{digest}.cubin").write_bytes(digest.encode() + payload)
        return f"{digest}.cubin"

    ptx, neither = keep(PTX + b"\0"), keep(b"neither a cubin nor a text")
    entries, notes = listed(tmp_path)
    assert {member: contents(taken(tmp_path, entries[member])) for member in entries} == {
        ptx: {L.PTX: PTX}
    }
    assert neither in notes
    assert ptx not in notes


def test_cuda_keeps_a_cubin_behind_the_ptx_that_it_was_made_from():
    root = CAPTURED / "cuda"
    found, notes = listed(root)
    assert not notes
    made, ptx = found["2/8/fe17f224320c6b"], found["9/a/615a5acf89c006"]
    whole = (root / made.member).read_bytes()
    both = contents(taken(root, made))
    assert both[L.CUBIN] == whole[whole.index(b"\x7fELF") :]
    assert both[L.PTX] in whole
    assert both[L.PTX].startswith(b"//\n// Generated by NVIDIA")
    assert both[L.PTX].endswith(b"}\n\n")
    assert set(contents(taken(root, ptx))) == {L.PTX}
    assert taken(root, ptx).name == taken(root, made).name == "saxpy"
    assert taken(root, ptx).facts == {
        "compiler built": "Aug 20 2025 14:13:52",
        "made from": "LLVM bitcode",
    }


def test_numba_keeps_a_pickle_of_which_texts_and_bytes_are_read():
    root = CAPTURED / "numba"
    found, notes = listed(root)
    (entry,) = found.values()
    assert (entry.origin, entry.source) == ("Numba", "/tmp/kernels/first.py:4")
    assert not notes
    whole = (root / entry.member).read_bytes()
    written = (root / "first.py").read_bytes()
    kernel = taken(root, entry, written)
    found = contents(kernel)
    assert list(found) == [L.PYTHON, L.LLVM_IR, L.PTX, L.CUBIN]
    assert all(
        content.rstrip(b"\0") in whole
        for language, content in found.items()
        if language is not L.PYTHON
    )
    assert b".target sm_90\n" in found[L.PTX]
    assert kernel.target.sm == "sm_90"


def test_a_pickle_is_not_loaded(tmp_path):
    ran = tmp_path / "ran"

    class Evil:
        def __reduce__(self):
            return os.mkdir, (str(ran),)

    content = pickle.dumps([PTX.decode(), Evil()])
    (tmp_path / "m.k-1.py311.1.nbc").write_bytes(content)
    found, _ = listed(tmp_path)
    (entry,) = found.values()
    assert contents(taken(tmp_path, entry))[L.PTX] == PTX
    assert not ran.exists()
    pickle.loads(content)
    assert ran.exists()


@pytest.mark.bench
def test_ptx_of_empty_lines_in_a_pickle_is_read_in_linear_time(tmp_path):
    text = f'{PTX.decode()}%s//\n\t.file\t1 "/k/first.py"\n'
    pickled = tmp_path / "m.k-1.py311.1.nbc"

    def seconds(blank):
        pickled.write_bytes(pickle.dumps(text % blank))
        start = time.process_time()
        found, _ = listed(tmp_path)
        assert found[pickled.name].source == "/k/first.py:1"
        return time.process_time() - start

    assert seconds("\n" * 30_000) < 10 * seconds("/" * 30_000) + 0.5


def database(path, *rows):
    """A cache as `cutile_cache` 1.7 makes it."""
    with sqlite3.connect(path) as made:
        made.execute(
            "CREATE TABLE cache (key TEXT PRIMARY KEY, blob BLOB NOT NULL, blob_size INTEGER NOT "
            "NULL, atime REAL NOT NULL, metadata TEXT)"
        )
        made.executemany("INSERT INTO cache VALUES (?, ?, ?, ?, ?)", rows)
    made.close()


def test_cutile_keeps_a_database(tmp_path):
    told = {"version": 1, "kernel_names": ["scale"], "compilation_timestamp": 1.5e9}
    row = ("a" * 64, CUBIN, len(CUBIN), 1.6e9, json.dumps(told))
    database(tmp_path / "cache.db", row, ("b" * 64, b"half", 4, 1.6e9, b"\xff"))
    found, notes = listed(tmp_path)
    entry = found[f"cache.db:{'a' * 64}"]
    assert (len(found), entry.date) == (1, 1.5e9)
    assert f"cache.db:{'b' * 64}' is left out" in notes
    kernel = taken(tmp_path, entry)
    assert (kernel.name, kernel.origin, contents(kernel)) == ("scale", "cuTile", {L.CUBIN: CUBIN})


def test_plain_files_that_differ_in_their_ending_belong_together(tmp_path):
    module = tmp_path / "module_0001.jit_f"
    files = {
        "wp_m.cu": b"cuda",
        "wp_m.sm90.cubin": CUBIN,
        "module_0001.jit_f.ptx": PTX,
        "module_0001.jit_f.ir-with-opt.ll": b"llvm",
        "module_0001.fusion.0.ptx": PTX,
        "module_0001.fusion.0.ir-with-opt.ll": b"of a kernel",
        "other.ptx": PTX,
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    module.mkdir()
    (module / "module.mlir").write_bytes(b"mlir")
    kept = CapturedKernel("k", "Numba 0.1", (Representation(L.PTX, PTX),))
    (tmp_path / "kept.jitkernel").write_bytes(pack(kept))
    found, notes = listed(tmp_path)
    kernels = {member: taken(tmp_path, entry) for member, entry in found.items()}
    assert {member: contents(kernel) for member, kernel in kernels.items()} == {
        "wp_m.sm90.cubin": {L.CUDA: b"cuda", L.CUBIN: CUBIN},
        "module_0001.jit_f.ptx": {L.MLIR: b"mlir", L.LLVM_IR: b"llvm", L.PTX: PTX},
        "module_0001.fusion.0.ptx": {L.LLVM_IR: b"of a kernel", L.PTX: PTX},
        "other.ptx": {L.PTX: PTX},
        "kept.jitkernel": {L.PTX: PTX},
    }
    origins = {member: entry.origin for member, entry in found.items()}
    assert origins["wp_m.sm90.cubin"] == "Warp"
    assert origins["module_0001.jit_f.ptx"] == "XLA"
    assert kernels["kept.jitkernel"] == kept
    assert not notes


def test_nothing_outside_of_the_folder_is_read(tmp_path):
    root, module = tmp_path / "root", "module_0001.jit_f"
    (root / module).mkdir(parents=True)
    secret = tmp_path / "k.py"
    secret.write_bytes(b"\ndef k(): pass")
    (root / f"{module}.ptx").write_bytes(PTX)
    (root / module / "module.mlir").symlink_to(secret)
    (root / "kept").symlink_to(tmp_path)
    for number, file in enumerate(("/a/../k.py", "/kept/k.py", "/b/k.py")):
        text = f'{PTX.decode()}.file 1 "{file}"\n'
        (root / f"m.k-1.py311.{number}.nbc").write_bytes(pickle.dumps(text))
    (root / "b").mkdir()
    shutil.copy(secret, root / "b")
    found, _ = listed(root)
    read = {member: set(contents(taken(root, entry))) for member, entry in found.items()}
    assert read == {
        f"{module}.ptx": {L.PTX},
        "m.k-1.py311.0.nbc": {L.PTX},
        "m.k-1.py311.1.nbc": {L.PTX},
        "m.k-1.py311.2.nbc": {L.PTX, L.PYTHON},
    }


def test_a_dump_of_xla_without_ptx_is_said_so(tmp_path):
    for name in ("module_0001.jit_f.thunk_sequence.txt", "module_0002.jit_g.config.pbtxt"):
        (tmp_path / name).write_bytes(b"text")
    assert listed(tmp_path) == ({}, "XLA has dumped 2 modules here, but no PTX of them.")


def half(path):
    os.truncate(path, path.stat().st_size // 2)


NBC, NV = "first.first-4.py311.1.nbc", "2/8/fe17f224320c6b"
SQLITE = b"SQLite format 3\0"
NUMBA, CUPY, CUDA = CAPTURED / "numba", CAPTURED / "cupy", CAPTURED / "cuda"


def without_code(path):
    (path / "scale_kernel.ptx").unlink()
    (path / "scale_kernel.cubin").unlink()


def for_amd(path):
    without_code(path)
    (path / "scale_kernel.hsaco").touch()


@pytest.mark.parametrize(
    ("source", "damage", "expected", "count"),
    [
        (TRITON, lambda p: half(p / "scale_kernel.json"), "it is not JSON, or half of one", 1),
        (TRITON, lambda p: (p / "scale_kernel.json").write_text("[]"), "not a JSON object", 1),
        (TRITON, without_code, "'scale_kernel' is left out: it has neither PTX nor", 0),
        (TRITON, for_amd, "it is for GPUs of others (.hsaco)", 0),
        (CUPY, lambda p: half(p / SAXPY), "its hash does not fit", 1),
        (CUPY, lambda p: os.truncate(p / SAXPY, 1 << 30), "larger than the 256 MiB", 1),
        (CUDA, lambda p: half(p / NV), f"'{NV}' is left out: it is half-written", 1),
        (CUDA, lambda p: (p / NV).write_bytes(b"\x40" + bytes(99)), "another version of CUDA", 1),
        (NUMBA, lambda p: half(p / NBC), "it is not a pickle, or half of one", 0),
        (NUMBA, lambda p: (p / "a.nbc").write_bytes(pickle.dumps("x86")), "no code for GPUs", 1),
        (NUMBA, lambda p: (p / "cache.db").write_bytes(SQLITE * 99), "database is damaged", 1),
        (NUMBA, lambda p: database(p / "cache.db"), "", 1),
        (NUMBA, lambda p: (p / "x.cubin").write_bytes(b"x86"), "'x' is left out: it is not", 1),
        (NUMBA, lambda p: (p / "x.jitkernel").write_bytes(b"PK"), "no captured kernel", 1),
        (NUMBA, lambda p: os.mkfifo(p / "x.ptx"), "", 1),
        (NUMBA, lambda p: (p / "x.ptx").symlink_to("/etc/passwd"), "'x.ptx' is a link", 1),
        (NUMBA, lambda p: (p / "x").symlink_to("/"), "'x' is a link and is left out", 1),
    ],
)
def test_what_cannot_be_read_is_said_so_and_the_rest_is_listed(
    source, damage, expected, count, tmp_path
):
    root = tmp_path / "cache"
    shutil.copytree(source, root)
    damage(root)
    found, notes = listed(root)
    assert expected in notes
    assert (bool(notes), len(found)) == (bool(expected), count)


def test_an_entry_that_is_gone_is_none(tmp_path):
    (tmp_path / "k.ptx").write_bytes(PTX)
    # Gone while the folder is read.
    (folder,) = reading.folders(tmp_path, Notes())
    (tmp_path / "k.ptx").unlink()
    assert folder.fingerprint(folder.names)[1:] == ()
    assert list(reading.entries(folder)) == []
    assert "cannot be read: No such file" in folder.notes.all()[0]
    assert reading.captured(tmp_path, "gone.cubin") is None


def test_caches_are_where_the_environment_says(tmp_path):
    home = {"HOME": str(tmp_path), "XLA_FLAGS": f"--a --xla_dump_to={tmp_path}/xla -b"}
    places = {cache.name: cache.folder(home) for cache in CACHES}
    assert places["triton"] == tmp_path / ".triton/cache"
    assert places["cuda"] == tmp_path / ".nv/ComputeCache"
    assert (places["xla"], places["numba"]) == (tmp_path / "xla", None)
    own = {**home, "TRITON_CACHE_DIR": "/t", "CUPY_CACHE_DIR": "/c", "CUDA_CACHE_PATH": "/n"}
    assert cache_named("triton").folder(own) == Path("/t")
    (tmp_path / ".cupy/kernel_cache").mkdir(parents=True)
    there = [cache.name for cache, _ in caches_here(home) if cache.name != "inductor"]
    assert there == ["cupy"]
    assert cache_named("nothing") is None
