import re

import pytest

from jitstudio.analysis.correlation.inlined import inlining
from jitstudio.core.code import LINKED, CodeKind, Source
from jitstudio.core.plan import Job, Ref
from jitstudio.core.tools import Tool
from jitstudio.toolchain import locate
from jitstudio.toolchain.ir_lines import with_lines
from jitstudio.toolchain.nvvm import compile_ir
from jitstudio.toolchain.supplied_copy import IrCopy
from tests.analysis.correlation.kernels import IR_WITH_LINES
from tests.support import cuda, request
from tests.toolchain.ir_kernels import ADD_AND_SUM, opaque
from tests.toolchain.test_line_tables import bare_cubin, instructions

K = CodeKind
ADDED = re.compile(r"!dbg !\d+ |, !dbg !DILocation\([^)]*\)|(?<=i32 0), i32 3, i32 2")


@pytest.fixture(scope="module", autouse=True)
def libraries():
    for tool in (Tool.NVVM, Tool.NVJITLINK):
        locate.load(tool)


def lines_of(code):
    """The lines of the IR that instructions come from, by function, calls included."""
    return {
        function.name: {place.line for i in function for place in i.places}
        for function in code.functions
    }


def lines_with(text, *words):
    return {n for n, line in enumerate(text.split("\n"), 1) if any(w in line for w in words)}


@pytest.mark.parametrize(
    ("arch", "text", "link"),
    [("sm_90", ADD_AND_SUM, "none"), ("sm_100", opaque(ADD_AND_SUM), "lto")],
)
def test_the_table_changes_no_instruction_and_leads_to_the_lines(tools, arch, text, link):
    wanted = request(
        Source("k.ll", K.LLVM_IR, text.encode()), emit="cubin,ptx", arch=arch, link=link
    )
    ours, bare = tools.code(tools.cubin(wanted).content), tools.code(bare_cubin(wanted))
    assert sorted(map(instructions, ours.functions)) == sorted(map(instructions, bare.functions))
    assert {f.name for f in ours.functions} == {"add", "sum", "branches"}
    found = lines_of(ours)
    files = {place.file for f in ours.functions for i in f for place in i.places}
    assert files == {"k.ll"}
    # One over two lines is at its first, what was inlined at its own line and at the call.
    assert found["add"] >= lines_with(text, "%va = load", "%vb =", "%sum =", "%vc =", "%twice =")
    assert found["sum"] >= lines_with(text, "barrier0()\n", "%both =", "%theirs =", "%total =")
    assert found["branches"] >= lines_with(text, "asm sideeffect", "atomicrmw", "%y = mul")
    assert not found["add"] & lines_with(text, "align 4\n", "declare", "!")


def test_nothing_moves_and_nothing_is_lost():
    copy = with_lines(IrCopy('a "ü".ll', ADD_AND_SUM.encode()), 3, 2).code.decode()
    assert 'filename: "a \\22\\C3\\BC\\22.ll"' in copy
    assert ADDED.sub("", copy).startswith(ADD_AND_SUM)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        IR_WITH_LINES,
        "declare void @f()\n",
        "define void @f() {\n  ret void\n",
        "define",
    ],
)
def test_what_has_debug_metadata_or_no_function_stays_as_it_is(text):
    assert with_lines(IrCopy("k.ll", text.encode()), 3, 2) is None


def compiled(text, *options, makes=K.PTX):
    inputs = ((Ref(K.LLVM_IR, "k.ll"), text.encode()),)
    return compile_ir(Job(Tool.NVVM, "k.ll", inputs, (makes,), ("-arch=compute_90", *options)))


def test_an_error_is_about_the_users_own_line():
    broken = ADD_AND_SUM.replace("br label %next\nnext:", "br label %nowhere\nnext:")
    (line,) = lines_with(broken, "%nowhere")
    report = compiled(broken)
    assert f"k.ll ({line}, 11): parse use of undefined value '%nowhere'" in report.error_log
    unfinished = ADD_AND_SUM.replace("%y = mul i32 %back, 3", "%y = mul i32 %back,")
    (line,) = lines_with(unfinished, "store volatile")
    assert f"k.ll ({line}, 2): parse" in compiled(unfinished).error_log


def test_what_does_not_compile_with_a_table_compiles_without_and_says_so():
    odd = ADD_AND_SUM.replace("%clock = call", "%clock =\n  call")
    report = compiled(odd)
    assert report.ok
    assert "There is no line table" in report.log
    assert b".loc" not in report.code[K.PTX]


def test_without_optimisation_there_is_no_table_as_it_would_change_the_code():
    report = compiled(ADD_AND_SUM, "-opt=0")
    assert report.ok
    assert "at -opt=0" in report.log
    assert b".loc" not in report.code[K.PTX]
    assert b".loc" in compiled(ADD_AND_SUM, "-opt=3").code[K.PTX]


def test_it_is_linked_with_what_nvrtc_makes(tools):
    caller = ADD_AND_SUM.replace("%sum = fadd float %v, %v", "%sum = call float @scaled(float %v)")
    caller = caller.replace("declare void", "declare float @scaled(float)\ndeclare void", 1)
    scaled = 'extern "C" __device__ float scaled(float v) { return exp2f(v); }'
    modules = (Source("k.ll", K.LLVM_IR, caller.encode()), cuda(scaled, "scaled.cu"))
    wanted = request(*modules, emit="cubin,ptx", link="lto")
    ours, bare = tools.code(tools.cubin(wanted).content), tools.code(bare_cubin(wanted))
    assert sorted(map(instructions, ours.functions)) == sorted(map(instructions, bare.functions))
    ptx = tools.build(wanted).artifact(CodeKind.PTX, LINKED)
    found = inlining(ptx.content.decode().split("\n")).functions
    assert {(one.function, one.into) for one in found} == {("twice", "add"), ("scaled", "add")}
