"""Each explanation is provoked with the real library, and each fix mends what it is offered for."""

from dataclasses import replace

import pytest

from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind, Source
from jitstudio.core.diagnostics import FixKind
from jitstudio.core.result import Outcome
from jitstudio.worker.builder import Builder
from tests.core.explaining import CHOSEN, is_told, mended, mended_all, told
from tests.core.failures import CALLEE, CALLER, CUBIN, PROVOKED, PTX_LINK
from tests.core.foreign_failures import FOREIGN_FAILURES
from tests.support import HUNGRY_CUDA, HUNGRY_LIMIT, KERNEL, SLOW, cuda, request

ALL = (*PROVOKED, *FOREIGN_FAILURES)
# What lacks two things has two fixes, and the target of PTX is said in the PTX and of the build.
MORE_STEPS = {
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
