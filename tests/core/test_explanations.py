"""Each explanation is provoked with the real library, and each fix mends what it is offered for."""

from dataclasses import replace

import pytest

from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind, Source
from jitstudio.core.diagnostics import FixKind
from jitstudio.core.result import Outcome
from jitstudio.worker.builder import Builder
from tests.core.explaining import is_told, mended, told
from tests.core.failures import CALLEE, CALLER, CUBIN, PROVOKED, PTX_LINK
from tests.support import HUNGRY_CUDA, HUNGRY_LIMIT, KERNEL, SLOW, cuda, request

# What the user has to choose cannot be tried without one.
CHOSEN = (FixKind.ADD_INCLUDE_FOLDER, FixKind.OPEN_FILES)


@pytest.fixture(scope="module")
def worker():
    worker = Builder()
    yield worker
    worker.close()


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


def test_a_fatbin_without_code_for_the_target(worker):
    targets = (Arch(80), Arch(90))
    whole = replace(request(cuda(KERNEL, "k.cu"), emit="fatbin"), fat_archs=targets)
    content = worker.build(whole).artifacts[0].content
    opened = request(Source("k.fatbin", CodeKind.FATBIN, content), emit="sass", arch="sm_120")
    found = told("no-code-for-target", worker.build(opened))
    assert (found.fix.kind, found.fix.value) == (FixKind.SET_ARCH, "sm_90")
    again = worker.build(mended(opened, found.fix))
    assert (again.ok, again.arch) == (True, Arch(90))


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


def test_a_misspelt_namespace_of_the_user_is_no_host_code(worker):
    result = worker.build(request(cuda("__global__ void k(int* p) { *p = mine::f(); }")))
    assert [d.explanation for d in result.diagnostics] == [""]


def test_a_kernel_whose_name_is_mangled_is_no_failure(worker):
    assert worker.build(request(cuda("__global__ void k() {}"))).diagnostics == ()
