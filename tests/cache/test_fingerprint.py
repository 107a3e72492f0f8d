import os
from dataclasses import fields, replace

import pytest

from jitstudio.cache.results import Cache, fingerprint, surroundings
from jitstudio.cache.store import Store
from jitstudio.core.code import CodeKind, Header
from jitstudio.core.disk import SearchSnapshot
from jitstudio.core.plan import Job, Ref
from jitstudio.core.tools import FileStamp, Tool, ToolFile

FILE = ToolFile("/lib/libnvrtc.so", (FileStamp("/lib/libnvrtc.so", 2, 100, 3, 4),))
SOURCE = (Ref(CodeKind.CUDA, "k.cu"), b"__global__ void k() {}")
JOB = Job(Tool.NVRTC, "k.cu", (SOURCE,), (CodeKind.PTX,), ("-arch=compute_90",))
OTHERS = {
    "tool": Tool.NVVM,
    "name": "l.cu",
    "inputs": ((SOURCE[0], b"__global__ void l() {}"),),
    "makes": (CodeKind.CUBIN,),
    "options": ("-arch=compute_80",),
    "headers": (Header("a.h", b""),),
    "name_expressions": ("k<int>",),
    "libraries": ((Ref(CodeKind.LLVM_IR, "lib.ll"), b""),),
    "libdevice": True,
    "entry": "k",
    "precompile": True,
    "keep_host_code": True,
    "final": False,
    "cacheable": False,
    "confined_to": (),
    "toolchain": "/a",
    "python": "/usr/bin/python3",
    "function": "k",
    "folder": "/a",
}
SIGHT = SearchSnapshot(b"contents", b"stamps", 0)


def mark(tmp_path, job=JOB):
    return Cache(Store(tmp_path)).mark(job)


def key(tmp_path, job=JOB, file=FILE, sight=SIGHT):
    found = mark(tmp_path, job)
    return found and found.key(file, sight)


def test_the_same_is_the_same(tmp_path):
    assert key(tmp_path) == key(tmp_path)
    assert len(key(tmp_path)) == 32


@pytest.mark.parametrize("field", [field.name for field in fields(Job)])
def test_whatever_differs_in_a_job_makes_another_key(field, tmp_path):
    assert key(tmp_path, replace(JOB, **{field: OTHERS[field]})) != key(tmp_path)


def test_what_is_on_disk_makes_another_key(tmp_path):
    assert key(tmp_path, sight=replace(SIGHT, contents=b"others")) != key(tmp_path)


@pytest.mark.parametrize("field", [field.name for field in fields(FileStamp)])
def test_another_version_of_the_tool_makes_another_key(field, tmp_path):
    (part,) = FILE.parts
    other = replace(part, **{field: "/other" if field == "path" else 99})
    assert key(tmp_path, file=replace(FILE, parts=(other,))) != key(tmp_path)


def test_values_do_not_run_into_each_other():
    keys = {
        fingerprint(replace(JOB, options=options))
        for options in (("ab", "c"), ("a", "bc"), ("abc",), ("ab", "", "c"))
    }
    assert len(keys) == 4


def test_the_working_directory_counts_for_nvrtc_only(tmp_path, monkeypatch):
    link = replace(JOB, tool=Tool.NVJITLINK)
    before = key(tmp_path), key(tmp_path, link)
    monkeypatch.chdir(tmp_path)
    assert key(tmp_path) != before[0]
    assert key(tmp_path, link) == before[1]


@pytest.mark.parametrize("name", ["NVCC_CCBIN", "CPATH", "CPLUS_INCLUDE_PATH", "PTXAS_FLAGS"])
def test_what_nvcc_reads_of_the_environment_counts_for_nvcc_only(name, tmp_path, monkeypatch):
    by_nvcc = replace(JOB, tool=Tool.NVCC)

    def found():
        return [
            key(tmp_path, by_nvcc),
            mark(tmp_path, by_nvcc).place(FILE),
            surroundings(Tool.NVCC),
        ]

    monkeypatch.delenv(name, raising=False)
    before, others = found(), (key(tmp_path), surroundings(Tool.NVRTC))
    monkeypatch.setenv(name, "/other")
    assert all(now != then for now, then in zip(found(), before, strict=True))
    assert (key(tmp_path), surroundings(Tool.NVRTC)) == others


@pytest.mark.parametrize(
    "options",
    [
        ("--time=phases.csv",),
        ("-time",),
        ("--fdevice-time-trace=t",),
        ("-fdevice-time-trace=t",),
        ("--use-bundled-headers=folder",),
        ("--pch",),
        ("--create-pch=x",),
        ("--use-pch=x",),
        ("-dump-inliner",),
        ("--no-cache",),
        ("-Xptxas=--options-file=f",),
        ("-Xptxas", "--options-file=f"),
        ("--ptxas-options=-optf=f",),
        ("-Xnvvm=-opt-bisect-limit=0",),
        ("-Xopt", "-opt-bisect-limit=0"),
        ("-Xcudafe", "--list=f"),
        ("--optimization-info=inline",),
    ],
    ids=" ".join,
)
def test_what_does_more_than_give_a_result_is_not_kept(options, tmp_path):
    assert mark(tmp_path, replace(JOB, options=(*JOB.options, *options))) is None


@pytest.mark.parametrize(
    "options", [("-Xptxas=-v",), ("-Xptxas", "-O3"), ("-I", "f"), ("--pre-include=a.h",), ("-G",)]
)
def test_what_does_no_more_is_kept(options, tmp_path):
    assert mark(tmp_path, replace(JOB, options=(*JOB.options, *options)))


def test_a_name_that_is_no_utf8_has_a_key(tmp_path):
    option = f"--include-path={os.fsdecode(b'/caf' + bytes([233]))}"
    assert key(tmp_path, replace(JOB, options=(option,)))


def test_what_is_taken_out_of_a_file_is_not_kept(tmp_path):
    assert mark(tmp_path, replace(JOB, tool=Tool.CUOBJDUMP)) is None


def test_other_surroundings_are_searched_anew(tmp_path, monkeypatch):
    before = surroundings(Tool.NVRTC)
    assert surroundings(Tool.NVRTC) == before != surroundings(Tool.NVVM)
    for name in ("CUDA_PATH", "LD_LIBRARY_PATH"):
        monkeypatch.setenv(name, str(tmp_path))
        elsewhere = surroundings(Tool.NVRTC)
        assert elsewhere != before
        (tmp_path / name).mkdir()
        os.utime(tmp_path, ns=(1, 1 + len(name)))
        before = surroundings(Tool.NVRTC)
        assert before != elsewhere
