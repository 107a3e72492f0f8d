"""Against pyelftools, which reads the same files in another way."""

from functools import cache
from io import BytesIO
from random import Random

import pytest
from elftools.elf.elffile import ELFFile

from jitstudio.analysis.diff.data import data_sections
from jitstudio.core.code import CodeKind
from jitstudio.core.cubin import relocations, sections, symbol_names, variables
from jitstudio.worker.builder import Builder
from tests.support import cuda, request

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
def cubin(target, *options):
    host = Builder()
    try:
        result = host.build(request(cuda(SOURCE), emit="cubin", arch=target, options=options))
    finally:
        host.close()
    return next(one.content for one in result.artifacts if one.kind is CodeKind.CUBIN)


@pytest.mark.tools
@TARGETS
def test_sections_are_those_that_others_find(target):
    theirs = ELFFile(BytesIO(cubin(target)))
    told = [
        (one.name, b"" if one["sh_type"] == "SHT_NOBITS" else one.data(), one["sh_size"])
        for one in theirs.iter_sections()
    ]
    assert [(one.name, one.content, one.size) for one in sections(cubin(target))] == told


@pytest.mark.parametrize("options", [(), ("-rdc=true",)])
@pytest.mark.tools
@TARGETS
def test_symbols_are_those_that_others_find(target, options):
    content = cubin(target, *options)
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
        one for one in ELFFile(BytesIO(cubin(target))).iter_sections() if one.name in start
    )
    ours = next(one for one in sections(cubin(target)) if one.name in start)
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
    content = bytearray(cubin("sm_120"))
    for _ in range(random.randrange(40)):
        content[random.randrange(len(content))] = random.randrange(256)
    for _ in range(4):
        # Not what they hold: that they can be read at all.
        for section in data_sections(bytes(content)):
            assert section.lines
        del content[random.randrange(len(content) + 1) :]
