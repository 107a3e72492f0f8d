"""Against cubins that NVRTC and nvJitLink have just made."""

import random
from functools import cache
from io import BytesIO
from pathlib import Path
from random import Random

import pytest
from elftools.elf.elffile import ELFFile

from jitstudio.analysis.diff.data import data_sections
from jitstudio.core.arch import Arch
from jitstudio.core.code import LINKED, CodeKind, Source
from jitstudio.core.cubin import (
    cubin_target,
    is_relocatable,
    keeps_ptx,
    kept_ptx,
    relocations,
    sections,
    symbol_names,
    variables,
)
from jitstudio.worker.builder import Builder
from tests.support import KERNEL, cuda, request, sample

LINES = ("-lineinfo",)


@pytest.fixture
def cubin(host):
    def made(arch="sm_90", options=LINES):
        result = host.build(request(cuda(KERNEL), emit="cubin,ptx", arch=arch, options=options))
        code = result.artifact(CodeKind.CUBIN, "kernel.cu").content
        return code, result.artifact(CodeKind.PTX, "kernel.cu").text

    return made


@pytest.mark.parametrize("arch", ["sm_75", "sm_90", "sm_90a", "sm_100f", "sm_120"])
def test_a_cubin_tells_its_target(cubin, arch):
    assert str(cubin_target(cubin(arch)[0])) == arch


def test_the_ptx_is_kept_line_by_line(cubin):
    code, text = cubin()
    assert keeps_ptx(code)
    kept, full = kept_ptx(code).split("\n"), text.split("\n")
    said = [n for n, line in enumerate(kept) if line]
    assert len(said) > 10
    assert [kept[n].split() for n in said] == [full[n].split() for n in said]


def test_kept_ptx_can_be_built_again(cubin, host):
    text = kept_ptx(cubin()[0])
    result = host.build(request(Source("k.ptx", CodeKind.PTX, text.encode()), emit="sass"))
    assert result.ok, result.diagnostics
    assert [kernel.name for kernel in result.kernels] == ["fine"]


def test_a_link_of_several_modules_keeps_no_one_module(host):
    both = (sample("apply_transform.cu"), sample("user_transform.cu"))
    result = host.build(request(*both, emit="cubin", link="ptx", options=LINES))
    code = result.artifact(CodeKind.CUBIN, LINKED).content
    assert (keeps_ptx(code), kept_ptx(code)) == (False, "")
    result = host.build(request(*both, emit="cubin", link="lto", options=LINES))
    assert ".entry apply_transform(" in kept_ptx(result.artifact(CodeKind.CUBIN, LINKED).content)


def test_code_that_waits_for_a_link_is_known(cubin):
    assert is_relocatable(cubin(options=("-rdc=true",))[0])
    assert not is_relocatable(cubin()[0])


@pytest.mark.parametrize("content", [b"", b"hello", b"\x7fELF\x02", b"\x7fELF\x02" + bytes(100)])
def test_of_other_bytes_nothing_is_told(content):
    assert cubin_target(content) is None
    assert not is_relocatable(content)
    assert kept_ptx(content) == ""


def test_older_headers_have_the_letter_of_the_target():
    """As ptxas 12.8 has written them, of the same PTX but for its `.target`."""
    head = "7f454c460201013307" + "00" * 7 + "0200be0081" + "00" * 11 + "100a" + "00" * 6
    head += "1007" + "00" * 6 + "{}0040003800050040000c000100"
    assert str(cubin_target(bytes.fromhex(head.format("5a055a")))) == "sm_90"
    assert str(cubin_target(bytes.fromhex(head.format("5a0d5a")))) == "sm_90a"


def test_a_cubin_that_is_cut_short_is_no_error(cubin):
    code, _ = cubin()
    chance = random.Random(3)
    for size in (*range(70), *(chance.randrange(len(code)) for _ in range(100))):
        assert str(cubin_target(code[:size])) in ("None", "sm_90")
        assert kept_ptx(code[:size]) in ("", kept_ptx(code))


def test_a_module_from_the_cache_of_cupy_is_the_cubin_in_it():
    for file in (Path(__file__).parents[1] / "data/captured/cupy").glob("*.cubin"):
        content = file.read_bytes()
        module = Source(file.name, CodeKind.CUBIN, content)
        assert cubin_target(module.content) == Arch(90)
        # CuPy cuts its last byte off.
        assert content.endswith((module.content, module.content[:-1]))
        damaged = content[:-1] + bytes([content[-1] ^ 1])
        assert Source(file.name, CodeKind.CUBIN, damaged).content == damaged


# ---- Against pyelftools, which reads the same files in another way

SOURCE = """
__constant__ int table[4] = {1, 2, 3, 4};
__device__ float kept = 2.5f;
static __device__ int counter = 3;
extern "C" __global__ void k(int* p) {
    __shared__ int s[32];
    s[threadIdx.x] = p[0];
    p[1] = s[p[2]] + table[p[3]] + (int)kept + counter++;
    printf("%d", p[4]);
}
"""
TARGETS = pytest.mark.parametrize("target", ["sm_75", "sm_120"])


@cache
def cubin_for(target, *options):
    host = Builder()
    try:
        result = host.build(request(cuda(SOURCE), emit="cubin", arch=target, options=options))
    finally:
        host.close()
    return next(one.content for one in result.artifacts if one.kind is CodeKind.CUBIN)


@pytest.mark.tools
@TARGETS
def test_sections_are_those_that_others_find(target):
    theirs = ELFFile(BytesIO(cubin_for(target)))
    told = [
        (one.name, b"" if one["sh_type"] == "SHT_NOBITS" else one.data(), one["sh_size"])
        for one in theirs.iter_sections()
    ]
    assert [(one.name, one.content, one.size) for one in sections(cubin_for(target))] == told


@pytest.mark.parametrize("options", [(), ("-rdc=true",)])
@pytest.mark.tools
@TARGETS
def test_symbols_are_those_that_others_find(target, options):
    content = cubin_for(target, *options)
    theirs = ELFFile(BytesIO(content)).get_section_by_name(".symtab")
    found = sections(content)
    table = next(one for one in found if one.name == ".symtab")
    names = found[table.link].content
    assert [*symbol_names(table, names)] == [one.name for one in theirs.iter_symbols()]
    assert {one.name: (one.size, one.other >> 5) for one in variables(table, names)} == {
        one.name: (one["st_size"], one["st_other"]["local"])
        for one in theirs.iter_symbols()
        if one["st_info"]["type"] in ("STT_OBJECT", "STT_LOPROC")
    }


@pytest.mark.tools
@TARGETS
def test_relocations_are_those_that_others_find(target):
    start = (".rel.nv.constant4", ".rela.nv.constant4")
    theirs = next(
        one for one in ELFFile(BytesIO(cubin_for(target))).iter_sections() if one.name in start
    )
    ours = next(one for one in sections(cubin_for(target)) if one.name in start)
    assert [*relocations(ours, adds=theirs.is_RELA())] == [
        (
            one["r_offset"],
            one["r_info_type"],
            one["r_info_sym"],
            one["r_addend"] if one.is_RELA() else 0,
        )
        for one in theirs.iter_relocations()
    ]


@pytest.mark.tools
@pytest.mark.parametrize("seed", range(40))
def test_broken_files_are_read_as_far_as_they_go(seed):
    random = Random(seed)
    content = bytearray(cubin_for("sm_120"))
    for _ in range(random.randrange(40)):
        content[random.randrange(len(content))] = random.randrange(256)
    for _ in range(4):
        # Not what they hold: that they can be read at all.
        for section in data_sections(bytes(content)):
            assert section.lines
        del content[random.randrange(len(content) + 1) :]
