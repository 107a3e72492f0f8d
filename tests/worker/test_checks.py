"""What is wrong with a request is told before any tool is started."""

import pytest

from jitstudio.core.code import CodeKind, Header, Source
from jitstudio.core.plan import PlanError, plan
from jitstudio.core.request import BuildRequest
from jitstudio.core.result import Outcome
from jitstudio.worker.builder import refused, unreadable
from tests.support import GOOD, KERNEL, cuda, refusal, request

K = CodeKind


def test_a_senseless_request_is_refused_without_a_process(host):
    result = host.build(request())
    assert result.outcome is Outcome.REFUSED
    assert result.stages == ()
    assert result.diagnostics[0].message == refusal(plan, request())
    assert host.pid is None


def test_an_unreadable_module_is_told_without_a_process(host):
    result = host.build(request(Source("k.cu", K.CUDA, b"int\0")))
    assert result.outcome is Outcome.FAILED
    assert [(d.file, d.line) for d in result.diagnostics] == [("k.cu", 1)]
    assert host.pid is None


def test_a_plan_error_is_told_in_its_own_words():
    problem = refused(PlanError("Not like this."))
    assert problem.outcome is Outcome.REFUSED
    assert problem.diagnostic.message == "Not like this."


@pytest.mark.parametrize("content", [b"", b" \n\t\n"])
@pytest.mark.parametrize("kind", [K.CUDA, K.LLVM_IR, K.PTX, K.CUBIN])
def test_an_empty_module_is_told_as_such(kind, content):
    (problem,) = unreadable(request(Source("empty", kind, content), emit="sass"))
    assert problem.outcome is Outcome.FAILED
    assert problem.diagnostic.message == "'empty' is empty: there is nothing to compile."


@pytest.mark.parametrize(
    ("content", "place", "words"),
    [
        (b"// \xc3\xa9 \0\n", (1, 6), "a NUL character"),
        (b"// caf\xe9\n\0", (2, 1), "a NUL character"),
        (b"\xff\xfe/\0", (1, 1), "UTF-16, which no compiler reads"),
    ],
)
def test_bytes_that_are_no_text_are_pointed_at(content, place, words):
    (problem,) = unreadable(request(Source("k.cu", K.CUDA, content)))
    found = problem.diagnostic
    assert (found.line, found.column) == place
    assert words in found.message
    assert "Save the file as UTF-8" in found.message


def test_a_header_and_a_library_that_are_no_text_are_pointed_at():
    wanted = BuildRequest(
        sources=(cuda(KERNEL),),
        headers=(Header("h.cuh", b"\0"),),
        libraries=(Source("lib.ll", K.LLVM_IR, b"\n\xff\0"),),
    )
    found = [(p.diagnostic.file, p.diagnostic.line) for p in unreadable(wanted)]
    assert found == [("lib.ll", 2), ("h.cuh", 1)]


def test_binary_kinds_and_bitcode_may_hold_any_bytes():
    sources = (Source("k.cubin", K.CUBIN, b"\xff\0"), Source("k.bc", K.LLVM_IR, b"BC\xc0\xde\xff"))
    assert list(unreadable(request(*sources))) == []


def test_a_plan_that_is_given_is_not_made_again(host, monkeypatch):
    steps = plan(GOOD)
    monkeypatch.setattr("jitstudio.worker.builder.plan", None)
    assert host.build(GOOD, steps=steps).ok
