import random
import subprocess

import pytest

from jitstudio.core.captured import CapturedKernel, KernelLanguage, Representation, pack
from jitstudio.core.code import CodeKind
from jitstudio.core.cubin import cubin_target
from jitstudio.core.fatbin import fatbin_entries
from jitstudio.core.kernel_resources import cubin_resources, has_code, kernels_of
from jitstudio.core.plan import Job, Ref
from jitstudio.core.tools import Tool
from jitstudio.toolchain import disassembly, extraction
from jitstudio.toolchain.extraction import extract, unpack
from tests.support import one_in
from tests.toolchain.opened_files import CALLER, KERNELS, NEEDS_NVCC, compiled, damaged, packed

K = CodeKind
BOTH = (K.PTX, K.CUBIN)


def taken(content, target="sm_90", kind=K.FATBIN, makes=BOTH):
    ref = Ref(kind, f"f{kind.ending}")
    return extract(Job(Tool.CUOBJDUMP, "f", ((ref, content),), makes, (f"-arch={target}",)))


def said(ptx):
    """The words of PTX without comments and blanks, which nvFatbin takes out."""
    lines = (line.partition(b"//")[0].split() for line in ptx.splitlines())
    return [line for line in lines if line]


@pytest.fixture(scope="module")
def fatbin():
    return packed("sm_80", "sm_86", "sm_90", "compute_90")


def test_machine_code_for_the_very_target_is_taken_with_its_ptx(fatbin):
    report = taken(fatbin)
    assert report.ok, report.error_log
    assert cubin_target(report.code[K.CUBIN]).sm == "sm_90"
    assert set(cubin_resources(report.code[K.CUBIN])) == {"twice", "thrice"}
    assert said(report.code[K.PTX]) == said(compiled(K.PTX, "compute_90"))
    assert report.log == "The cubin for sm_90 was taken."


@pytest.mark.parametrize(("target", "chosen"), [("sm_80", 80), ("sm_87", 86), ("sm_89", 86)])
def test_else_that_of_the_same_major_with_a_lower_minor(fatbin, target, chosen):
    assert cubin_target(taken(fatbin, target).code[K.CUBIN]).number == chosen


# What is unpacked for a target; all of it where no machine code runs there.
NEEDED = {"sm_80": "sm_80", "sm_89": "sm_86", "sm_90": "sm_90 compute_90"}
ALL = "sm_80 sm_86 sm_90 compute_90"


@pytest.mark.parametrize("target", [*NEEDED, "sm_75"])
def test_of_a_large_fatbin_only_what_is_for_the_target_is_unpacked(fatbin, target, monkeypatch):
    whole, asked = taken(fatbin, target), []

    def unpacked(content, *others):
        asked.append([entry.target for entry in fatbin_entries(content)])
        return unpack(content, *others)

    monkeypatch.setattr(extraction, "UNPACKED_WHOLE", 0)
    monkeypatch.setattr(extraction, "unpack", unpacked)
    part = taken(fatbin, target)
    assert (part.ok, part.log, part.error_log) == (whole.ok, whole.log, whole.error_log)
    assert part.code == whole.code
    assert asked == [NEEDED.get(target, ALL).split()]


def test_a_target_that_only_ptx_serves_has_it_assembled(fatbin):
    report = taken(fatbin, "sm_120")
    assert report.ok
    assert cubin_target(report.code[K.CUBIN]).number == 120
    assert "There is no machine code for sm_120: the PTX for compute_90 was taken." in report.log
    assert "registers" in report.log


def test_a_target_that_nothing_serves_is_told_which_there_are(fatbin):
    report = taken(fatbin, "sm_75")
    assert not report.ok
    assert report.error_log == (
        "'f.fatbin' holds nothing that runs on sm_75. It holds machine code for sm_80, sm_86 and "
        "sm_90 and PTX for compute_90: choose one of these as the target."
    )


def test_targets_of_one_chip_are_told_apart():
    there = packed("sm_90", "sm_90a", "sm_100", "sm_100f", options=("-lineinfo",))
    for target in ("sm_90", "sm_90a"):
        assert cubin_target(taken(there, target).code[K.CUBIN]).sm == target
    assert cubin_target(taken(there, "sm_100a").code[K.CUBIN]).number == 100


def test_ptx_that_the_machine_code_keeps_is_shown_where_there_is_no_other():
    report = taken(packed("sm_80", options=("-lineinfo",)), "sm_80")
    text = report.code[K.PTX].decode()
    assert ".entry twice(" in text
    assert ".target sm_80" in text


def test_a_fatbin_without_ptx_is_read_all_the_same():
    there = packed("sm_90")
    report = taken(there)
    assert report.ok
    assert K.PTX not in report.code
    assert "There is no PTX for sm_90." in report.log
    alone = taken(there, makes=(K.PTX,))
    assert not alone.ok
    assert alone.error_log == (
        "'f.fatbin' holds no PTX for sm_90. It holds machine code for sm_90."
    )


def test_relocatable_code_is_linked_if_it_can_be():
    report = taken(packed("sm_90", options=("-rdc=true",)))
    assert report.ok
    assert set(cubin_resources(report.code[K.CUBIN])) == {"twice", "thrice"}
    assert cubin_resources(report.code[K.CUBIN])["twice"].registers > 0


def test_relocatable_code_that_lacks_a_function_is_read_as_it_is():
    report = taken(packed("sm_90", text=CALLER, options=("-rdc=true",)))
    assert report.ok
    assert has_code(report.code[K.CUBIN])
    assert "is not linked: it needs other modules" in report.log


def test_the_ptx_kept_in_a_cubin_is_told():
    code = compiled(K.CUBIN, "sm_90", KERNELS, "-lineinfo")
    report = taken(code, kind=K.CUBIN, makes=(K.PTX,))
    assert report.ok
    assert b".entry thrice(" in report.code[K.PTX]
    bare = taken(compiled(K.CUBIN, "sm_90"), kind=K.CUBIN, makes=(K.PTX,))
    assert (bare.ok, bare.error_log) == (False, "'f.cubin' keeps no PTX that can be read.")


@NEEDS_NVCC
@pytest.mark.parametrize("compressed", ["--no-compress", "--compress-mode=size"])
@pytest.mark.parametrize(
    ("kind", "words"),
    one_in(2, [(K.FATBIN, ("-fatbin",)), (K.OBJECT, ("-c",)), (K.LIBRARY, ("-lib",))]),
)
def test_files_of_nvcc_are_read(tmp_path, kind, words, compressed):
    (tmp_path / "k.cu").write_text(KERNELS)
    targets = ("-gencode=arch=compute_80,code=sm_80", "-gencode=arch=compute_90,code=sm_90")
    command = ["nvcc", *words, compressed, *targets, "-lineinfo", "k.cu", "-o", f"k{kind.ending}"]
    subprocess.run(command, cwd=tmp_path, check=True)
    report = taken((tmp_path / f"k{kind.ending}").read_bytes(), "sm_80", kind)
    assert report.ok, report.error_log
    assert cubin_target(report.code[K.CUBIN]).sm == "sm_80"
    assert b".target sm_80" in report.code[K.PTX]


@pytest.mark.parametrize("kind", [K.FATBIN, K.OBJECT, K.LIBRARY])
@pytest.mark.parametrize("content", [b"", b"hello", b"\x7fELF" + bytes(200), b"!<arch>\nodd"])
def test_what_is_no_such_file_is_told_in_words(kind, content):
    report = taken(content, kind=kind)
    assert not report.ok
    assert report.error_log.startswith(f"'f{kind.ending}' holds no machine code and no PTX")
    assert "/tmp" not in report.error_log


def test_damaged_fatbins_end_in_words_or_in_code(fatbin):
    chance = random.Random(6)
    for number in range(20):
        report = taken(damaged(fatbin, chance))
        assert report.ok is (K.CUBIN in report.code), number
        assert report.ok or report.error_log


def test_damaged_cubins_end_in_words_or_in_code():
    code = compiled(K.CUBIN, "sm_90", KERNELS, "-lineinfo")
    chance = random.Random(7)
    for number in range(100):
        content = damaged(code, chance)
        report = taken(content, kind=K.CUBIN, makes=(K.PTX,))
        assert report.ok is bool(report.code), number
        for name, _ in kernels_of(content, ""):
            assert isinstance(name, str)
    for _ in range(4):
        job = Job(
            Tool.NVDISASM, "k", ((Ref(K.CUBIN, "k.cubin"), damaged(code, chance)),), (K.SASS,), ()
        )
        report = disassembly.disassemble(job)
        assert report.ok or report.error_log


def captured(target="sm_75", **given):
    parts = tuple(Representation(KernelLanguage[name], content) for name, content in given.items())
    return taken(pack(CapturedKernel("k", "", parts)), target, K.CAPTURED)


def test_a_captured_kernel_gives_its_own_code_whatever_target_is_set():
    code = {"PTX": compiled(K.PTX, "compute_90"), "CUBIN": compiled(K.CUBIN, "sm_90")}
    report = captured(TTIR=b"module {}", **code)
    assert report.code == {K.PTX: code["PTX"], K.CUBIN: code["CUBIN"]}


def test_the_ptx_of_a_captured_kernel_is_assembled_where_there_is_no_machine_code():
    report = captured(PTX=compiled(K.PTX, "compute_90"))
    assert report.ok, report.error_log
    assert cubin_target(report.code[K.CUBIN]).sm == "sm_90"
    newer = captured("sm_120", PTX=compiled(K.PTX, "compute_90"))
    assert cubin_target(newer.code[K.CUBIN]).sm == "sm_120"


def test_the_byte_that_cupy_cuts_off_is_put_back():
    code = compiled(K.CUBIN, "sm_90")
    assert captured(CUBIN=code[:-1]).code[K.CUBIN] == code
    assert captured(CUBIN=code).code[K.CUBIN] == code


def test_a_captured_kernel_without_code_is_refused():
    assert "has neither machine code nor PTX" in captured(TTIR=b"module {}").error_log
    assert "is damaged" in taken(b"PK", kind=K.CAPTURED).error_log
