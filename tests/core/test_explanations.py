"""Each explanation is provoked with the real library, and each fix mends what it is offered for.

What cannot be provoked here, for it takes a driver or libraries of another version, is tested with
the words that people have reported (`REPORTED`).
"""

import re
import time
from dataclasses import replace
from typing import NamedTuple

import pytest

from jitstudio.core.arch import DEFAULT_ARCH, Arch
from jitstudio.core.code import CodeKind, Source
from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.core.explanations import explained, explanations
from jitstudio.core.fixes import FixKind, edit_for, without_option
from jitstudio.core.request import Assembler, BuildRequest, LinkMode
from jitstudio.core.result import BuildResult, Outcome, StageResult
from jitstudio.core.tools import Tool
from jitstudio.worker.builder import Builder
from tests.support import (
    CRASHING,
    HUNGRY_CUDA,
    HUNGRY_LIMIT,
    KERNEL,
    SAMPLES,
    SLOW,
    cuda,
    ptx,
    request,
    sample,
)

TYPED = (SAMPLES / "fill_typed.ll").read_text()
OPAQUE = (SAMPLES / "fill_opaque.ll").read_text()
TEMPLATE = "namespace math { template <typename T> __global__ void k(T* p) { *p = 1; } }"
CALLER = cuda(
    'extern "C" __device__ int f(); extern "C" __global__ void k(int* p) { *p = f(); }', "a.cu"
)
CALLEE = cuda('extern "C" __device__ int f() { return 1; }', "b.cu")
BOTH = cuda(
    'extern "C" __device__ int f() { return 2; }\n'
    'extern "C" __global__ void k(int* p) { *p = f(); }',
    "a.cu",
)
ONE, OTHER = (
    cuda('extern "C" __global__ void k(int* p) { *p = 1; }', name) for name in ("a.cu", "b.cu")
)
MAIN = """
int main() {
  fine<<<1, 1>>>(nullptr);  // }
  return 0;
}
"""


def ll(text):
    return Source("k.ll", CodeKind.LLVM_IR, text.encode())


def without(text, word):
    """LLVM IR that lacks the line with this word."""
    lines = text.splitlines(keepends=True)
    assert any(word in line for line in lines)
    return ll("".join(line for line in lines if word not in line))


def bare_ptx(version="8.0", target="sm_75"):
    text = (
        f".version {version}\n.target {target}\n.address_size 64\n.visible .entry k() {{ ret; }}\n"
    )
    return Source("k.ptx", CodeKind.PTX, text.encode())


def asm(text, **more):
    return request(cuda(f'extern "C" __global__ void k() {{ asm("{text}"); }}'), **more)


class Failure(NamedTuple):
    """What to build, what it is explained by, and what mends it."""

    id: str
    request: BuildRequest
    fix: FixKind | None = None


def including(header):
    return request(cuda(f"#include {header}\n{KERNEL}"))


PTX_LINK = {"link": "ptx", "emit": "cubin"}
CUBIN = {"emit": "cubin"}
F = FixKind
PROVOKED = (
    Failure("nvvm-crash", CRASHING),
    Failure("ptx-too-new", request(bare_ptx(version="99.0"), **CUBIN), F.REPLACE_TEXT),
    Failure(
        "option-sent-anyway", request(cuda(KERNEL), options=("-arch=native",)), F.REMOVE_OPTION
    ),
    Failure("option-sent-anyway", request(ll(TYPED), options=("-arch", "sm_90")), F.REMOVE_OPTION),
    Failure("option-sent-anyway", request(cuda(KERNEL), options=("-dlto",)), F.REMOVE_OPTION),
    Failure("arch-too-old", request(cuda(KERNEL), arch="sm_52"), F.SET_ARCH),
    Failure("arch-too-old", request(ll(TYPED), arch="sm_52"), F.SET_ARCH),
    Failure("arch-too-old", request(ptx("k.ptx", ""), arch="sm_52", **CUBIN), F.SET_ARCH),
    Failure("arch-unknown", request(cuda(KERNEL), arch="sm_99"), F.SET_ARCH),
    Failure(
        "arch-specific-code",
        request(bare_ptx(target="sm_90a"), arch="sm_100", **CUBIN),
        F.SET_ARCH,
    ),
    Failure(
        "ptx-target-too-new", request(bare_ptx(target="sm_90"), arch="sm_80", **CUBIN), F.SET_ARCH
    ),
    Failure("ptx-target-unknown", request(bare_ptx(target="sm_175"), **CUBIN)),
    Failure(
        "feature-needs-arch", asm("cp.async.bulk.commit_group;", arch="sm_80", **CUBIN), F.SET_ARCH
    ),
    Failure("instruction-needs-a", asm("wgmma.fence.sync.aligned;", **CUBIN), F.SET_ARCH),
    Failure("inline-ptx", asm("frobnicate;", **CUBIN)),
    Failure("header-of-c", including("<cstdint>"), F.REPLACE_TEXT),
    Failure("header-of-c", including("<stdint.h>"), F.REPLACE_TEXT),
    Failure("header-of-c", including("<cassert>"), F.REPLACE_TEXT),
    Failure("header-of-cxx", including("<type_traits>"), F.REPLACE_TEXT),
    Failure("header-of-cxx", including("<limits>"), F.REPLACE_TEXT),
    Failure("header-built-in", including("<math.h>"), F.REPLACE_TEXT),
    Failure("header-built-in", including("<cuda_runtime_api.h>"), F.REPLACE_TEXT),
    Failure("header-host-only", including("<iostream>"), F.REPLACE_TEXT),
    Failure("header-host-only", including("<string>"), F.REPLACE_TEXT),
    Failure("thrust", including("<thrust/host_vector.h>")),
    Failure("header-of-cuda", including("<curand_kernel.h>"), F.ADD_INCLUDE_FOLDER),
    Failure("header-path-not-ascii", including('"C:/Users/榛/mine.h"'), F.OPEN_FILES),
    Failure("header-missing", including('"mine.h"'), F.ADD_INCLUDE_FOLDER),
    Failure("header-missing", including('"curve.cuh"'), F.ADD_INCLUDE_FOLDER),
    Failure("host-function", request(cuda(KERNEL + MAIN)), F.REPLACE_TEXT),
    Failure(
        "unmarked-function",
        request(cuda("int twice(int a) { return 2 * a; }\n" + KERNEL)),
        F.ADD_OPTION,
    ),
    Failure("host-call", request(cuda("__global__ void k() { cudaMalloc(0, 1); }"))),
    Failure(
        "name-expression-of-template",
        request(cuda(TEMPLATE, "k.cu", "math::k")),
        F.ADD_NAME_EXPRESSION,
    ),
    Failure("name-expression", request(cuda(KERNEL, "k.cu", "nothing"))),
    Failure("template-without-instance", request(cuda(TEMPLATE)), F.ADD_NAME_EXPRESSION),
    Failure("template-without-instance", request(cuda(TEMPLATE), **CUBIN), F.ADD_NAME_EXPRESSION),
    Failure(
        "kernel-annotation-missing", request(without(TYPED, "!nvvm.annotations")), F.INSERT_TEXT
    ),
    Failure(
        "kernel-annotation-missing",
        request(without(OPAQUE, "!nvvm.annotations"), arch="sm_100"),
        F.INSERT_TEXT,
    ),
    Failure(
        "kernel-annotation-missing",
        request(ll(TYPED.replace('!"kernel"', '!"kernal"'))),
        F.INSERT_TEXT,
    ),
    Failure("no-kernel", request(cuda("static __device__ int x;"))),
    Failure("llvm-dialect", request(ll(OPAQUE)), F.SET_ARCH),
    Failure(
        "llvm-dialect",
        request(ll(TYPED.replace("entry:", "entry:\n  %frozen = freeze i32 1"))),
        F.SET_ARCH,
    ),
    Failure("ir-version-missing", request(without(TYPED, "nvvmir.version")), F.INSERT_TEXT),
    Failure(
        "ir-version-missing",
        request(without(OPAQUE, "nvvmir.version"), arch="sm_100"),
        F.INSERT_TEXT,
    ),
    Failure("ir-version-old", request(ll(TYPED.replace("i32 2, i32 0", "i32 1, i32 0")))),
    Failure("triple-missing", request(without(TYPED, "target triple")), F.INSERT_TEXT),
    Failure(
        "layout-missing",
        request(without(TYPED, "target datalayout")),
        F.INSERT_TEXT,
    ),
    Failure(
        "nvvm-option-lineinfo", request(ll(TYPED), options=("libnvvm:-lineinfo",)), F.REMOVE_OPTION
    ),
    Failure("nvvm-option-unknown", request(ll(TYPED), options=("--bogus",)), F.REMOVE_OPTION),
    Failure(
        "option-unknown", request(cuda(KERNEL), options=("--bogus=3", "-lineinfo")), F.REMOVE_OPTION
    ),
    Failure(
        "option-unknown", request(cuda(KERNEL), options=("-maxrregcount 32",)), F.REMOVE_OPTION
    ),
    Failure("option-value", request(cuda(KERNEL), options=("-std=c++99",))),
    Failure("link-option", request(bare_ptx(), options=("-bogus",), **CUBIN), F.REMOVE_OPTION),
    Failure(
        "libdevice-missing",
        request(
            ll(
                TYPED.replace("entry:", "entry:\n  %s = call float @__nv_sinf(float 1.0)")
                + "declare float @__nv_sinf(float)\n"
            ),
            **CUBIN,
        ),
        F.USE_LIBDEVICE,
    ),
    Failure("undefined-reference", request(CALLER, **PTX_LINK), F.OPEN_FILES),
    Failure("undefined-reference", request(CALLER, link="lto", emit="cubin"), F.OPEN_FILES),
    Failure("duplicate-symbol", request(BOTH, CALLEE, **PTX_LINK)),
    Failure("duplicate-symbol", request(BOTH, CALLEE, link="lto", emit="cubin")),
    Failure("lto-of-nothing", request(bare_ptx(), link="lto", emit="cubin"), F.SET_LINK_MODE),
    Failure("duplicate-kernel-in-code", request(ONE, OTHER, link="ptx", emit="sass")),
    Failure("input-broken", request(Source("x.ltoir", CodeKind.LTOIR, b"garbage"), **CUBIN)),
    Failure("input-broken", request(Source("x.cubin", CodeKind.CUBIN, b"garbage"), emit="sass")),
    Failure(
        "shared-memory",
        request(
            cuda(
                "__global__ void k(int* p) {\n"
                "  __shared__ int a[20000]; a[*p] = 1; __syncthreads(); *p = a[3];\n}"
            ),
            **CUBIN,
        ),
    ),
)

NVRTC, NVVM, LINKER = Tool.NVRTC, Tool.NVVM, Tool.NVJITLINK
# Not provoked here. Said by: other versions, a driver, a launch, a worker that is not ours.
REPORTED = (
    ("ptx-too-new", LINKER, "Unsupported .version 8.7; current version is '8.4'"),
    ("ptx-unloadable", None, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"),
    ("driver-missing", Tool.DRIVER, "PTX cannot be assembled by the driver: no GPU is free."),
    ("no-image-for-gpu", None, "CUDA_ERROR_NO_BINARY_FOR_GPU"),
    ("no-image-for-gpu", None, "no kernel image is available for execution on the device"),
    ("launch-out-of-resources", None, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"),
    ("builtins-missing", NVRTC, "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE: NVRTC gave no log."),
    ("headers-of-another-cuda", NVRTC, 'identifier "NV_IS_DEVICE" is undefined'),
    (
        "headers-of-another-cuda",
        NVRTC,
        'no instance of overloaded function "__half::__half" matches the specified type',
    ),
    ("header-path-not-ascii", NVRTC, 'cannot open source file "C:\\Users\\榛刓\\mine.h"'),
    ("llvm-dialect-old", NVVM, "parse expected type"),
    ("ir-version-old", NVVM, "DBG version 0.0 incompatible with current version 3.2"),
    ("link-option", LINKER, "ERROR_NULL_INPUT (10)"),
    (
        "lto-from-newer-compiler",
        LINKER,
        "ERROR 4 in nvvmAddNVVMContainerToProgram, may need newer version of nvJitLink library",
    ),
    ("lto-needed", LINKER, "ERROR_LTO_NOT_ENABLED (18)"),
    ("lto-for-newer-target", LINKER, "ERROR_ARCH_MISMATCH (13)"),
    ("tool-crash", NVRTC, "NVRTC crashed on this input (SIGSEGV: ...)."),
)


@pytest.fixture(scope="module")
def worker():
    worker = Builder()
    yield worker
    worker.close()


def is_told(id_, diagnostic):
    """Whether the diagnostic carries this explanation."""
    texts = [e.text for e in explanations() if e.id == id_]
    forms = [re.sub(r"\\\$(\\\{)?\w+(\\\})?", ".*", re.escape(text)) for text in texts]
    return any(re.fullmatch(form, diagnostic.explanation) for form in forms)


def told(id_, result):
    """The first diagnostic that carries this explanation."""
    found = [d for d in result.diagnostics if is_told(id_, d)]
    assert found, [(d.message, d.explanation) for d in result.diagnostics]
    return found[0]


def mended(failed, fix):
    """The request with the fix carried out."""
    match fix.kind:
        case FixKind.SET_ARCH:
            return replace(failed, arch=Arch.parse(fix.value))
        case FixKind.SET_LINK_MODE:
            return replace(failed, link=LinkMode(fix.value))
        case FixKind.ADD_OPTION:
            return replace(failed, options=(*failed.options, fix.value))
        case FixKind.REMOVE_OPTION:
            return replace(failed, options=without_option(failed.options, fix.value))
        case FixKind.USE_LIBDEVICE:
            return replace(failed, libdevice=True)
        case FixKind.USE_NVJITLINK:
            return replace(failed, assembler=Assembler.NVJITLINK)
    return replace(failed, sources=tuple(mended_source(source, fix) for source in failed.sources))


def mended_source(source, fix):
    if source.name != fix.file:
        return source
    if fix.kind is FixKind.ADD_NAME_EXPRESSION:
        kept = tuple(e for e in source.name_expressions if e != fix.replaces)
        return replace(source, name_expressions=(*kept, fix.value))
    text = source.content.decode()
    edit = edit_for(fix, text)
    assert edit is not None
    return replace(source, content=f"{text[: edit.start]}{edit.text}{text[edit.end :]}".encode())


# What the user has to choose cannot be tried without one.
CHOSEN = (FixKind.ADD_INCLUDE_FOLDER, FixKind.OPEN_FILES)


@pytest.mark.parametrize(
    "failure", PROVOKED, ids=[f"{n}-{failure.id}" for n, failure in enumerate(PROVOKED)]
)
def test_a_real_failure_is_explained_and_its_fix_mends_it(worker, failure):
    found = told(failure.id, worker.build(failure.request))
    assert "$" not in found.explanation
    assert (found.fix.kind if found.fix else None) == failure.fix
    if found.fix and found.fix.kind not in CHOSEN:
        again = worker.build(mended(failure.request, found.fix))
        assert again.outcome is Outcome.BUILT, again.diagnostics
        assert not any(is_told(failure.id, d) for d in again.diagnostics)


def test_the_first_link_of_a_module_that_calls_another(worker):
    alone = request(CALLER, CALLEE, **CUBIN)
    found = told("unresolved-at-compile", worker.build(alone))
    assert (found.fix.kind, found.fix.value) == (FixKind.SET_LINK_MODE, "ptx")
    assert worker.build(mended(alone, found.fix)).ok


@pytest.fixture(scope="module")
def lto_ir(worker):
    made = worker.build(request(CALLEE, emit="ltoir"))
    return Source("b.ltoir", CodeKind.LTOIR, made.artifacts[0].content)


def test_lto_ir_in_a_link_by_ptx(worker, lto_ir):
    failed = request(CALLER, lto_ir, **PTX_LINK)
    found = told("lto-needed", worker.build(failed))
    assert worker.build(mended(failed, found.fix)).ok


def test_lto_ir_for_a_newer_target(worker, lto_ir):
    failed = request(CALLER, lto_ir, link="lto", emit="cubin", arch="sm_80")
    found = told("lto-for-newer-target", worker.build(failed))
    assert found.fix.value == "sm_90"
    assert worker.build(mended(failed, found.fix)).ok


def test_a_build_that_ran_out_of_memory():
    small = Builder(memory_limit=HUNGRY_LIMIT)
    result = small.build(request(cuda(HUNGRY_CUDA)))
    small.close()
    assert told("out-of-memory", result).fix is None


def test_a_build_that_ran_past_its_time(worker):
    assert told("time-limit", worker.build(SLOW, timeout=1.0)).fix is None


def test_remarks_that_were_asked_for_are_no_leak(worker):
    code = cuda("__device__ int g() { return 3; } __global__ void k(int* p) { *p = g(); }")
    asked = worker.build(request(code, options=("--optimization-info=inline",)))
    assert "inlined into" in asked.diagnostics[0].message
    assert asked.diagnostics[0].explanation == ""
    assert worker.build(request(code)).diagnostics == ()


def reported(message, tool, severity=Severity.ERROR, **more):
    """A result that says this, of one module."""
    built = request(ll(TYPED), **more)
    stages = (StageResult(tool, "13.4", "k.ll", (), False, 1.0),) if tool else ()
    said = Diagnostic(severity, "k.ll", 1, None, message, tool)
    return built, BuildResult(Outcome.FAILED, built.arch, stages, diagnostics=(said,))


@pytest.mark.parametrize(("id_", "tool", "message"), REPORTED)
def test_a_reported_failure_is_explained(id_, tool, message):
    arch = "sm_100" if id_ == "llvm-dialect-old" else "sm_90"
    assert told(id_, explained(*reported(message, tool, arch=arch))).explanation


def test_libnvvm_of_cuda_13_0_does_not_name_the_version_that_it_misses():
    message = "incompatible IR detected. Possible mix of compiler/IR from different releases."
    built, result = reported(message, NVVM)
    unsaid = ll(TYPED.partition("!nvvmir.version")[0])
    built = replace(built, sources=(unsaid,))
    found = told("ir-version-unsaid", explained(built, result))
    (source,) = mended(built, found.fix).sources
    assert b"!nvvmir.version = !{!" in source.content


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


def test_every_explanation_is_tested():
    here = {failure.id for failure in PROVOKED} | {id_ for id_, *_ in REPORTED}
    by_name = {
        "unresolved-at-compile",
        "lto-needed",
        "lto-for-newer-target",
        "out-of-memory",
        "time-limit",
        "option-leaks",
        "ir-version-unsaid",
        "ptx-empty-after-lto",
        "ptx-too-new-for-driver",
    }
    assert {e.id for e in explanations()} == here | by_name


def test_texts_use_known_words_only(worker):
    results = [explained(*reported(message, tool)) for _, tool, message in REPORTED]
    assert not any("$" in d.explanation for result in results for d in result.diagnostics)


def test_texts_are_short():
    for explanation in explanations():
        sentences = re.findall(r"[.!?](?= |$)", explanation.text)
        assert 1 <= len(sentences) <= 4, explanation.id
        assert len(explanation.text) < 420, explanation.id


def test_a_misspelt_namespace_of_the_user_is_no_host_code(worker):
    result = worker.build(request(cuda("__global__ void k(int* p) { *p = mine::f(); }")))
    assert [d.explanation for d in result.diagnostics] == [""]


def test_an_unknown_failure_is_told_as_it_is():
    built, result = reported('expected a ";"', NVRTC)
    assert explained(built, result).diagnostics == result.diagnostics


def test_a_kernel_whose_name_is_mangled_is_no_failure(worker):
    assert worker.build(request(cuda("__global__ void k() {}"))).diagnostics == ()


def test_a_good_build_is_not_slowed_down():
    built = request(sample("saxpy.cu"))
    result = BuildResult(Outcome.BUILT, DEFAULT_ARCH)
    start = time.perf_counter()
    for _ in range(100):
        assert explained(built, result) is result
    assert time.perf_counter() - start < 0.1
