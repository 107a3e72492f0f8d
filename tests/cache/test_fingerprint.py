import os
from dataclasses import fields, replace

import pytest

from jitstudio.cache import fingerprint
from jitstudio.cache.fingerprint import Fingerprinter
from jitstudio.core.code import CodeKind, Header
from jitstudio.core.job import Job
from jitstudio.core.plan import Ref
from jitstudio.core.tools import Tool, ToolFile

FILE = ToolFile("/lib/libnvrtc.so", 100, 1)
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
    "precompile": True,
    "final": False,
    "confined_to": (),
}


def key(job=JOB, file=FILE):
    found = Fingerprinter().fingerprint(job)
    return found and fingerprint.key(found, file)


def test_the_same_is_the_same():
    assert key() == key()
    assert len(key()) == 32


@pytest.mark.parametrize("field", [field.name for field in fields(Job)])
def test_whatever_differs_in_a_job_makes_another_key(field):
    assert key(replace(JOB, **{field: OTHERS[field]})) != key()


@pytest.mark.parametrize("change", [{"path": "/other"}, {"size": 101}, {"mtime_ns": 2}])
def test_another_version_of_the_tool_makes_another_key(change):
    assert key(file=replace(FILE, **change)) != key()


def test_values_do_not_run_into_each_other():
    keys = {
        key(replace(JOB, options=options))
        for options in (("ab", "c"), ("a", "bc"), ("abc",), ("ab", "", "c"))
    }
    assert len(keys) == 4


def test_the_working_directory_counts_for_nvrtc_only(tmp_path, monkeypatch):
    link = replace(JOB, tool=Tool.NVJITLINK)
    before = key(), key(link)
    monkeypatch.chdir(tmp_path)
    assert key() != before[0]
    assert key(link) == before[1]


@pytest.mark.parametrize(
    "option",
    [
        "--time=phases.csv",
        "-time",
        "--fdevice-time-trace=t",
        "-fdevice-time-trace=t",
        "--pch",
        "--create-pch=x",
        "--use-pch=x",
        "-dump-inliner",
        "--no-cache",
    ],
)
def test_what_writes_files_or_tells_times_is_not_kept(option):
    assert key(replace(JOB, options=(*JOB.options, option))) is None


def test_what_a_macro_includes_is_not_kept():
    assert key(replace(JOB, inputs=((SOURCE[0], b"#include HEADER"),))) is None


def test_a_name_that_is_no_utf8_has_a_key():
    assert key(replace(JOB, options=(f"--include-path={os.fsdecode(b'/caf' + bytes([233]))}",)))


def test_what_is_taken_out_of_a_file_is_not_kept():
    assert key(replace(JOB, tool=Tool.CUOBJDUMP)) is None
