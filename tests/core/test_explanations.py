"""Each explanation is provoked with the real library, and each fix mends what it is offered for."""

import os
import re
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import pytest

from jitstudio.core.arch import DEFAULT_ARCH, Arch
from jitstudio.core.code import CodeKind, Source
from jitstudio.core.diagnostics import FixKind, Severity
from jitstudio.core.explanations import explained, explanations
from jitstudio.core.request import Assembler, LinkMode
from jitstudio.core.result import BuildResult, Outcome, StageResult
from jitstudio.core.tools import USUAL_TOOLKITS, Tool
from jitstudio.worker.builder import Builder
from tests.core.explaining import CHOSEN, is_told, mended, mended_all, told
from tests.core.failures import (
    CALLEE,
    CALLER,
    CUBIN,
    NESTED,
    NVCC_FAILURES,
    NVRTC,
    NVVM,
    PROVOKED,
    PTX_LINK,
    REPORTED,
    ll,
    reported,
)
from tests.core.foreign_failures import FOREIGN_FAILURES
from tests.core.remarks import MENDED, REMARKS
from tests.support import HUNGRY_CUDA, HUNGRY_LIMIT, KERNEL, SLOW, cuda, request, sample
from tests.toolchain.opened_files import NEEDS_NVCC

RUNTIME = [f"{root}/lib64/libcudadevrt.a" for root in USUAL_TOOLKITS]
ALL = (*PROVOKED, *FOREIGN_FAILURES, *REMARKS)
# What lacks two things has two fixes, and the target of PTX is said in the PTX and of the build.
MORE_STEPS = {
    "header-of-tile-functions": 1,
    "feature-needs-ptx-target": 1,
    "feature-needs-ptx-version": 1,
    "instruction-needs-a": 1,
}


@pytest.mark.parametrize("failure", ALL, ids=[f"{n}-{row.id}" for n, row in enumerate(ALL)])
def test_a_real_failure_is_explained_and_its_fix_mends_it(builder, failure):
    found = told(failure.id, builder.build(failure.request))
    assert "$" not in found.explanation
    assert (found.fix.kind if found.fix else None) == failure.fix
    if found.fix and found.fix.kind not in CHOSEN:
        better = mended(failure.request, found.fix)
        again = builder.build(better)
        for _ in range(MORE_STEPS.get(failure.id, 0)):
            better = mended_all(better, again)
            again = builder.build(better)
        assert again.outcome is Outcome.BUILT, again.diagnostics
        assert not any(is_told(failure.id, d) for d in again.diagnostics)


@pytest.mark.parametrize("mended", MENDED)
def test_what_follows_the_remarks_of_ptxas_has_none(builder, mended):
    result = builder.build(mended)
    assert result.outcome is Outcome.BUILT
    assert [d.message for d in result.diagnostics if d.number.startswith("C75")] == []


def test_a_loss_is_a_warning_at_the_line_of_the_source(builder):
    serialized = next(row for row in REMARKS if row.id == "wgmma-serialized-by-divergence")
    found = told(serialized.id, builder.build(serialized.request))
    assert (found.severity, found.number) == (Severity.WARNING, "C7518")
    text = serialized.request.sources[0].content.decode()
    assert found.file == "kernel.cu"
    assert text.splitlines()[found.line - 1].startswith("float d[4]")
    assert "kernel.ptx:" in found.message
    waiting = next(row for row in REMARKS if row.id == "wgmma-wait-injected")
    assert told(waiting.id, builder.build(waiting.request)).severity is Severity.INFO


@pytest.mark.parametrize(
    ("explanation", "line"),
    [("stack-size", " k("), ("setmaxnreg-without-bounds", "setmaxnreg"), ("spills-warned", " k(")],
)
def test_a_remark_without_a_line_is_placed_by_what_it_speaks_of(builder, explanation, line):
    """By its function, or by the instruction that it names, alone and in a link."""
    wanted = next(row for row in REMARKS if row.id == explanation).request
    text = wanted.sources[0].content.decode().splitlines()
    for link in (LinkMode.NONE, LinkMode.PTX, LinkMode.LTO):
        result = builder.build(replace(wanted, link=link))
        for remark in result.diagnostics:
            assert line in text[remark.line - 1], (link, remark)
            assert (remark.file, ".ptx:" in remark.message) == ("kernel.cu", True)
        # Linked by LTO, no other module could call for registers.
        assert result.diagnostics or link is LinkMode.LTO


def test_a_semicolon_that_a_loop_lacks_is_none_of_a_statement_before(builder):
    loop = request(cuda("__global__ void k(int* p) { for (int i = 0; i < 3) p[i] = 1; }"))
    assert "A for loop has two" in told("missing-semicolon", builder.build(loop)).explanation


def test_a_remark_on_an_instruction_of_several_kernels_names_none_of_them(builder):
    """ptxas does not say which kernel it ignores `setmaxnreg` in: here the second alone."""
    wanted = next(row for row in REMARKS if row.id == "setmaxnreg-without-bounds").request
    ignored = wanted.sources[0].content.decode()
    kept = ignored.replace("void  k(", "void __launch_bounds__(384, 1) kept(")
    for text, has_line in ((ignored, True), (f"{kept}{ignored}", False)):
        (remark,) = builder.build(replace(wanted, sources=(cuda(text),))).diagnostics
        assert "'setmaxnreg' ignored" in remark.message
        assert (remark.line is not None) == has_line


def test_one_fault_in_a_template_is_one_error(builder):
    text = """template <int N> __global__ void k(unsigned* p)
{
    asm("nonsense.u32 %0, 1;" : "=r"(p[N]));
}
""" + "".join(f"template __global__ void k<{n}>(unsigned*);\n" for n in range(10))
    for link in (LinkMode.NONE, LinkMode.PTX, LinkMode.LTO):
        result = builder.build(replace(request(cuda(text), **CUBIN), link=link))
        errors = [d for d in result.diagnostics if "nonsense" in d.message]
        assert [(d.file, d.line) for d in errors] == [("kernel.cu", 3)], link


def test_a_prototype_that_differs_has_its_line_in_each_kind_of_link(builder):
    """The linker itself names one module twice, and no line."""
    caller = cuda(
        'extern "C" __device__ float g(float a);\n'
        'extern "C" __global__ void k(float* p) { *p = g(*p); }\n',
        "caller.cu",
    )
    callee = cuda('extern "C" __device__ double g(int a) { return a * 2.0; }\n', "callee.cu")
    for link in ("ptx", "lto"):
        result = builder.build(request(caller, callee, emit="cubin", link=link))
        [warning] = result.diagnostics
        assert (warning.file, warning.line) == ("caller.cu", 1), link
        assert is_told("prototypes-differ", warning)
        assert warning.message.endswith("and double g(int a) at callee.cu:1.")


def test_marks_of_the_linker_for_other_programs_are_in_no_text(builder):
    other = replace(CALLEE, name="other.cu")
    result = builder.build(request(CALLER, CALLEE, other, **PTX_LINK))
    assert any(d.message.startswith("Multiple definition") for d in result.diagnostics)
    assert all("@E@" not in stage.stderr for stage in result.stages)
    assert any("Multiple definition" in stage.stderr for stage in result.stages)


def test_the_first_link_of_a_module_that_calls_another(builder):
    alone = request(CALLER, CALLEE, **CUBIN)
    found = told("unresolved-at-compile", builder.build(alone))
    assert (found.fix.kind, found.fix.value) == (FixKind.SET_LINK_MODE, "ptx")
    assert builder.build(mended(alone, found.fix)).ok


@pytest.fixture(scope="module")
def lto_ir(builder):
    made = builder.build(request(CALLEE, emit="ltoir"))
    return Source("b.ltoir", CodeKind.LTOIR, made.artifacts[0].content)


def test_lto_ir_in_a_link_by_ptx(builder, lto_ir):
    failed = request(CALLER, lto_ir, **PTX_LINK)
    found = told("lto-needed", builder.build(failed))
    assert builder.build(mended(failed, found.fix)).ok


def test_lto_ir_for_a_newer_target(builder, lto_ir):
    failed = request(CALLER, lto_ir, link="lto", emit="cubin", arch="sm_80")
    found = told("lto-for-newer-target", builder.build(failed))
    assert found.fix.value == "sm_90"
    assert builder.build(mended(failed, found.fix)).ok


def test_a_fatbin_without_code_for_the_target(builder):
    targets = (Arch(80), Arch(90))
    whole = replace(request(cuda(KERNEL, "k.cu"), emit="fatbin"), fat_archs=targets)
    content = builder.build(whole).artifacts[0].content
    opened = request(Source("k.fatbin", CodeKind.FATBIN, content), emit="sass", arch="sm_120")
    found = told("no-code-for-target", builder.build(opened))
    assert (found.fix.kind, found.fix.value) == (FixKind.SET_ARCH, "sm_90")
    again = builder.build(mended(opened, found.fix))
    assert (again.ok, again.arch) == (True, Arch(90))


@NEEDS_NVCC
@pytest.mark.slow
def test_a_library_without_relocatable_code(builder, tmp_path):
    (tmp_path / "b.cu").write_bytes(CALLEE.content)

    def linked(*options):
        words = ["nvcc", "-lib", "-arch=sm_90", *options, "b.cu", "-o", "b.a"]
        subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)
        library = Source("b.a", CodeKind.LIBRARY, (tmp_path / "b.a").read_bytes())
        return builder.build(request(CALLER, library, **PTX_LINK))

    found = told("library-of-final-code", linked())
    assert found.explanation.startswith("The device code in b.a is final")
    assert linked("-rdc=true").ok


def test_the_device_runtime_in_a_link(builder):
    file = next(filter(os.path.isfile, RUNTIME), None)
    if file is None:
        pytest.skip("no libcudadevrt.a here")
    library = Source("libcudadevrt.a", CodeKind.LIBRARY, Path(file).read_bytes())
    assert builder.build(request(cuda(NESTED), library, **PTX_LINK)).ok


def test_a_header_with_a_byte_order_mark(builder, tmp_path):
    (tmp_path / "sizes.cuh").write_bytes(b"\xef\xbb\xbf#define SIZE 3\n")
    code = cuda(f'#include "sizes.cuh"\n{KERNEL}')
    failed = builder.build(request(code, options=(f"--include-path={tmp_path}",)))
    assert told("mark-of-a-header", failed).fix is None


@pytest.mark.tools
@pytest.mark.parametrize("limit", [HUNGRY_LIMIT // 2, HUNGRY_LIMIT])
def test_a_build_that_ran_out_of_memory(limit):
    small = Builder(memory_limit=limit)
    result = small.build(request(cuda(HUNGRY_CUDA)))
    small.close()
    assert told("out-of-memory", result).fix is None


@pytest.mark.tools
def test_a_build_that_ran_past_its_time(builder):
    assert told("time-limit", builder.build(SLOW, timeout=1.0)).fix is None


def test_remarks_that_were_asked_for_are_no_leak(builder):
    code = cuda("__device__ int g() { return 3; } __global__ void k(int* p) { *p = g(); }")
    asked = builder.build(request(code, options=("--optimization-info=inline",)))
    assert "inlined into" in asked.diagnostics[0].message
    assert asked.diagnostics[0].explanation == ""
    assert builder.build(request(code)).diagnostics == ()


def test_a_kernel_in_a_comment_is_none(builder):
    text = "// template <class T> __global__\ntemplate <class T> __device__ T f(T a) { return a; }"
    assert told("no-kernel", builder.build(request(cuda(text)))).fix is None


def test_a_misspelt_namespace_of_the_user_is_no_host_code(builder):
    result = builder.build(request(cuda("__global__ void k(int* p) { *p = mine::f(); }")))
    assert [d.explanation for d in result.diagnostics] == [""]


def test_a_kernel_whose_name_is_mangled_is_no_failure(builder):
    assert builder.build(request(cuda("__global__ void k() {}"))).diagnostics == ()


# ---- What holds for all explanations: they are tested, short, and cost a good build nothing


def test_every_explanation_is_tested():
    here = {failure.id for failure in (*ALL, *NVCC_FAILURES)} | {id_ for id_, *_ in REPORTED}
    by_name = {
        "unresolved-at-compile",
        "unresolved-in-only-module",
        "lto-needed",
        "lto-for-newer-target",
        "no-code-for-target",
        "out-of-memory",
        "time-limit",
        "option-leaks",
        "bitcode-lacks",
        "library-of-final-code",
        "mark-of-a-header",
        "nvvm-crash-of-bitcode",
        "ptx-empty-after-lto",
        "ptx-too-new-for-driver",
    }
    assert {e.id for e in explanations()} == here | by_name


def test_texts_use_known_words_only():
    results = [explained(*reported(message, tool)) for _, tool, message in REPORTED]
    assert not any("$" in d.explanation for result in results for d in result.diagnostics)


def test_texts_are_short():
    for explanation in explanations():
        for text in (explanation.text, *explanation.text_in.values()):
            sentences = re.findall(r"[.!?](?= |$)", text)
            assert 1 <= len(sentences) <= 4, explanation.id
            assert len(text) < 420, explanation.id


# What only CUDA C++ has.
CPP = re.compile(
    r"__\w+__|__\w+\(\)|#pragma|extern \"C\"|asm\(|\bstatic (?!memory|shared)|<<<|constexpr"
)
# Of these the message, or what else has to be there, is of CUDA C++ only.
OF_CPP = {"template-without-instance"}


@pytest.mark.parametrize("kind", [CodeKind.PTX, CodeKind.LLVM_IR])
def test_authors_of_ptx_and_llvm_ir_are_told_nothing_of_cpp(kind):
    for explanation in explanations():
        if not explanation.tools or explanation.tools - {"NVRTC", "nvcc", "Python"}:
            text = explanation.text_in.get(kind, explanation.text)
            assert explanation.id in OF_CPP or not CPP.search(text), explanation.id


def test_a_link_speaks_the_language_of_its_modules(builder):
    caller = b".version 8.0\n.target sm_75\n.address_size 64\n.extern .func f;\n"
    caller += b".visible .entry k() { call f; ret; }\n"
    module = Source("k.ptx", CodeKind.PTX, caller)
    found = told("undefined-reference", builder.build(request(module, **PTX_LINK)))
    assert ".visible" in found.explanation
    assert "extern" not in found.explanation


@pytest.mark.bench
def test_a_good_build_is_not_slowed_down():
    built = request(sample("saxpy.cu"))
    result = BuildResult(Outcome.BUILT, DEFAULT_ARCH)
    start = time.process_time()
    for _ in range(100):
        assert explained(built, result) == result
    assert time.process_time() - start < 0.1


# ---- What cannot be provoked here is explained by the words that people have reported


@pytest.mark.parametrize(("id_", "tool", "message"), REPORTED)
def test_a_reported_failure_is_explained(id_, tool, message):
    assert told(id_, explained(*reported(message, tool))).explanation


@pytest.mark.parametrize(
    "message",
    [
        "incompatible IR detected. Possible mix of compiler/IR from different releases.",
        "IR version 1.0 incompatible with current version 2.0",
        "Module does not contain a triple, should be 'nvptx64-'",
        "Empty target data layout, must exist",
    ],
)
def test_bitcode_lacks_what_text_is_supplied_with(message):
    built, result = reported(message, NVVM)
    bitcode = replace(ll(""), content=b"BC\xc0\xde5\x14")
    built = replace(built, sources=(bitcode,))
    assert told("bitcode-lacks", explained(built, result)).fix is None


def test_bitcode_without_a_layout_is_what_brings_libnvvm_down():
    built, result = reported("libNVVM crashed on this input (SIGABRT: it gave up).", NVVM)
    built = replace(built, sources=(replace(ll(""), content=b"BC\xc0\xde5\x14"),))
    assert "llvm-dis" in told("nvvm-crash-of-bitcode", explained(built, result)).explanation


def test_remarks_that_nobody_asked_for_are_a_leak():
    said = reported("_Z1gi will not be inlined into _Z2hhi", NVRTC, Severity.INFO)
    assert told("option-leaks", explained(*said))


def test_ptx_of_a_compile_to_lto_ir_is_empty():
    built, result = reported("Compiled, but there is no kernel in the result.", None)
    stage = StageResult(NVRTC, "13.4", "k.ll", ("-arch=sm_90", "-dlto"), True, 1.0)
    assert told("ptx-empty-after-lto", explained(built, replace(result, stages=(stage,))))


def test_ptx_that_is_too_new_for_the_driver_is_assembled_by_nvjitlink():
    built, result = reported("CUDA_ERROR_UNSUPPORTED_PTX_VERSION", None)
    by_driver = replace(built, assembler=Assembler.DRIVER)
    found = told("ptx-too-new-for-driver", explained(by_driver, result))
    assert mended(by_driver, found.fix).assembler is Assembler.NVJITLINK


def test_a_link_is_offered_only_where_there_is_something_to_link_with():
    built, result = reported("Unresolved extern function 'f'", Tool.NVJITLINK)
    alone = told("unresolved-in-only-module", explained(built, result))
    assert (alone.fix.kind, alone.fix.value) == (FixKind.OPEN_FILES, "f")
    both = replace(built, sources=(CALLER, CALLEE))
    found = told("unresolved-at-compile", explained(both, result))
    assert found.fix.kind is FixKind.SET_LINK_MODE
    linked = replace(both, link=LinkMode.PTX)
    assert told("undefined-reference", explained(linked, result)).fix.kind is FixKind.OPEN_FILES


def test_an_unknown_failure_is_told_as_it_is():
    built, result = reported("the front end is at a loss", NVRTC)
    assert explained(built, result).diagnostics == result.diagnostics
