"""What other compilers' LLVM IR and PTX lack is in the copies that the libraries get."""

import contextlib
import re
from dataclasses import replace
from typing import NamedTuple

import pytest
from cuda.bindings import nvjitlink

from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind, Header, Source, kind_of
from jitstudio.core.result import Outcome
from jitstudio.core.tools import Tool
from jitstudio.toolchain import locate, nvvm
from jitstudio.toolchain.supplied_copy import oldest_version, supplied_copy, supply_ptx
from tests.support import ROOT, request, sample
from tests.toolchain.ir_kernels import ADD_AND_SUM, opaque
from tests.toolchain.test_line_tables import bare_cubin, instructions

FOREIGN = ROOT / "tests" / "data" / "foreign"
K = CodeKind
LAYOUT, TRIPLE, VERSION = "target datalayout", "target triple", "!nvvmir.version"


def foreign(name, change=lambda text: text):
    content = change((FOREIGN / name).read_text()).encode()
    return Source(name, kind_of(name), content)


class Row(NamedTuple):
    """A file, targets for which it builds, its kernel, and what is supplied for the first one."""

    name: str
    archs: str
    kernel: str
    what: tuple[str, ...]


ROWS = (
    Row("clang21.ll", "sm_100 sm_120", "_Z4axpyfPfS_", (VERSION, LAYOUT)),
    Row("triton.ll", "sm_100", "add_kernel", (VERSION, LAYOUT)),
    Row("xla.ll", "sm_100", "fusion", (VERSION, LAYOUT)),
    Row("xla_typed.ll", "sm_100 sm_90", "fusion", (VERSION, LAYOUT)),
    Row("julia.ll", "sm_100", "_Z4vadd13CuDeviceArrayI7Float32Li1ELi1EES0_", (VERSION, LAYOUT)),
    Row("numba.ll", "sm_75 sm_100", "_ZN6cudapy8__main__3incB2v1", (LAYOUT,)),
    Row("llvm_test.ll", "sm_100", "k", (LAYOUT, TRIPLE, VERSION)),
    Row("llvm_test_typed.ll", "sm_90 sm_100", "simple", (TRIPLE, VERSION, LAYOUT)),
    Row("narrow.ll", "sm_80", "k", (VERSION, LAYOUT)),
    Row("nvcc1.ptx", "sm_90 sm_75 sm_120", "_Z5scalePff", (".version",)),
    Row("nvcc5.ptx", "sm_90 sm_75 sm_120", "scale", (".version",)),
    Row("triton.ptx", "sm_90a", "add_kernel", (".version",)),
    Row("clang.ptx", "sm_90", "_Z1kPi", (".version",)),
    Row("fragment.ptx", "sm_90a sm_100f", "k", (".version", ".target", ".address_size")),
    Row("ocelot.ptx", "sm_80", "k", (".version",)),
)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_what_other_compilers_write_builds(builder, row):
    for arch in row.archs.split():
        result = builder.build(request(foreign(row.name), arch=arch, emit="cubin"))
        assert result.outcome is Outcome.BUILT, (arch, result.diagnostics)
        assert [kernel.name for kernel in result.kernels] == [row.kernel]
    first = builder.build(request(foreign(row.name), arch=row.archs.split()[0], emit="cubin"))
    stage = first.stages[0]
    assert tuple(one.what for one in stage.supplied) == row.what
    assert all(stage.log.count(one.sentence(stage.tool)) == 1 for one in stage.supplied)


def test_lto_ir_has_a_layout_that_its_link_takes(builder):
    clang = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
    text = re.sub(r'(?<=datalayout = ").*(?=")', clang, opaque(ADD_AND_SUM))
    source = Source("k.ll", K.LLVM_IR, text.encode())
    result = builder.build(request(source, arch="sm_100", link="lto", emit="cubin"))
    assert result.outcome is Outcome.BUILT, result.diagnostics
    assert {kernel.name for kernel in result.kernels} == {"add", "sum", "branches"}
    assert [one.what for one in result.stages[0].supplied] == [LAYOUT]


def test_each_is_one_line_of_the_log(builder):
    result = builder.build(request(foreign("nvcc5.ptx"), emit="cubin"))
    line = "nvcc5.ptx says .version 3.0: the copy for nvJitLink says 3.1."
    assert line in result.stages[0].log.splitlines()
    fragment = builder.build(request(foreign("fragment.ptx"), emit="cubin"))
    line = "fragment.ptx has no .target: the copy for nvJitLink says sm_90."
    assert line in fragment.stages[0].log.splitlines()


SAMPLES = ("fill_typed.ll", "fill_opaque.ll", "scale.ptx", "multiply.ptx")


@pytest.mark.parametrize("name", SAMPLES)
def test_what_lacks_nothing_is_sent_as_it_is(name):
    content = sample(name).content
    if name.endswith(".ll"):
        copy = supplied_copy(name, content, (2, 0, 3, 2))
        assert (copy.code, copy.supplied) == (content, ())
    else:
        assert supply_ptx(name, content, Arch(90)) == (content, ())


def test_the_code_is_that_of_a_module_in_which_all_is_written_by_hand(tools):
    typed, old = foreign("xla_typed.ll"), foreign("nvcc5.ptx")
    copies = (
        supplied_copy(typed.name, typed.content, (2, 0, 3, 2)).code,
        old.content.replace(b".version 3.0", b".version 3.1"),
    )
    for source, copy in zip((typed, old), copies, strict=True):
        ours = tools.code(tools.cubin(request(source, emit="cubin")).content)
        bare = tools.code(bare_cubin(request(replace(source, content=copy), emit="cubin")))
        assert list(map(instructions, ours.functions)) == list(map(instructions, bare.functions))


def test_line_tables_are_about_the_text_as_it_is_written(builder):
    source = foreign("llvm_test_typed.ll")
    ptx = builder.build(request(source)).artifacts[0].text
    lines = source.content.decode().splitlines()
    found = {lines[int(line) - 1].split()[0] for line in re.findall(r"\.loc\s+\d+ (\d+)", ptx)}
    assert found == {"define", "%a", "ret", "%v", "store"}


@pytest.mark.parametrize(("name", "arch"), [("xla_typed.ll", "sm_90"), ("llvm_test.ll", "sm_100")])
@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("  ret ", "  oops\n  ret ", 1),
        lambda text: "define void @f(oops) {\n}\n" + text,
        lambda text: text[: text.rindex("ret")],
    ],
)
def test_errors_are_at_the_place_where_they_are_written(builder, name, arch, change):
    broken = foreign(name, change)
    (found, *_) = builder.build(request(broken, arch=arch)).diagnostics
    locate.load(Tool.NVVM)
    program = nvvm.nvvm.create_program()
    nvvm.nvvm.add_module_to_program(program, broken.content, len(broken.content), name)
    with pytest.raises(nvvm.nvvm.nvvmError):
        nvvm.nvvm.verify_program(program, 1, [f"-arch={Arch.parse(arch).compute}"])
    said = re.match(r"\S+ \((\d+), (\d+)\): (.*)", nvvm._log(program))
    nvvm.nvvm.destroy_program(program)
    assert (found.line, found.column - 1, found.message) == (int(said[1]), int(said[2]), said[3])


def test_an_error_of_ptx_is_at_its_own_line(builder):
    broken = foreign("fragment.ptx", lambda text: text.replace("\tret;", "\toops;"))
    (found, *_) = builder.build(request(broken, emit="cubin")).diagnostics
    assert (found.file, found.line) == ("fragment.ptx", 7)


@pytest.mark.parametrize("name", ["fill_typed.ll", "multiply.ptx", "vector_add.cu"])
def test_a_byte_order_mark_is_left_out(builder, name):
    source = sample(name)
    marked = Source(name, source.kind, b"\xef\xbb\xbf" + source.content)
    plain, ours = (builder.build(request(s, emit="cubin")) for s in (source, marked))
    assert ours.ok
    assert ours.artifacts[0].content == plain.artifacts[0].content
    assert f"{name} begins with a byte-order mark" in ours.stages[0].log


@pytest.mark.parametrize("name", ["k.cu", "k.ll", "k.ptx"])
def test_latin_1_in_a_comment_is_taken(builder, name):
    given = {"k.ll": sample("fill_typed.ll"), "k.ptx": sample("multiply.ptx")}
    source = given.get(name, sample("vector_add.cu"))
    comment = b"; Gr\xf6\xdfe\n" if name == "k.ll" else b"// Gr\xf6\xdfe\n"
    marked = Source(name, source.kind, comment + source.content)
    header = Header("sizes.cuh", b"\xef\xbb\xbf// Gr\xf6\xdfe\n#define SIZE 3\n")
    if name == "k.cu":
        more = b'\n#include "sizes.cuh"\n__constant__ int size = SIZE;\n'
        marked = replace(marked, content=marked.content + more)
    result = builder.build(replace(request(marked, emit="cubin"), headers=(header,)))
    assert result.outcome is Outcome.BUILT, result.diagnostics


TARGETS = (
    *("10", "13", "20", "30", "32", "35", "37", "50", "52", "53", "60", "61", "62", "70", "72"),
    *("75", "80", "86", "87", "88", "89", "90", "90a"),
    *(
        f"{chip}{letter}"
        for chip in (100, 101, 103, 107, 110, 120, 121)
        for letter in ("", "a", "f")
    ),
)
VERSIONS = tuple(
    f"{major}.{minor}"
    for major, last in ((3, 2), (4, 3), (5, 0), (6, 5), (7, 8), (8, 8), (9, 5))
    for minor in range(0 if major > 3 else 1, last + 1)
)


def test_the_oldest_version_for_each_target_is_that_of_nvjitlink():
    for target in TARGETS:
        oldest = "{}.{}".format(*oldest_version(target))
        before = VERSIONS[: VERSIONS.index(oldest)][-1:]
        for version in (*before, oldest):
            head = f".version {version}\n.target sm_{target}\n.address_size 64\n"
            log = _assembled(f"{head}.entry k() {{ ret; }}".encode())
            refused = f"PTX .version {version} does not support .target sm_{target}" in log
            assert refused is (version != oldest), (target, version, log)


def _assembled(text):
    """What nvJitLink says of PTX for the newest target."""
    locate.load(Tool.NVJITLINK)
    handle = nvjitlink.create(1, ["-arch=sm_121"])
    with contextlib.suppress(nvjitlink.nvJitLinkError):
        nvjitlink.add_data(handle, nvjitlink.InputType.PTX, text, len(text), "k.ptx")
        nvjitlink.complete(handle)
    log = bytearray(nvjitlink.get_error_log_size(handle))
    nvjitlink.get_error_log(handle, log)
    nvjitlink.destroy(handle)
    return log.decode()
