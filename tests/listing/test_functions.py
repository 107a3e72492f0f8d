import re
from itertools import pairwise
from time import process_time

import pytest

from jitstudio.core.code import CodeKind
from jitstudio.listing.functions import Function, function_at, functions
from jitstudio.ptx.skimming import entries


def of(kind, text):
    return functions(kind, text.split("\n"))


def test_functions_of_ptx_with_what_they_return_and_without_bodies():
    text = """.version 9.4
.extern .func  (.param .b32 func_retval0) twice
(
\t.param .b32 twice_param_0
)
;
/* .entry no( */ // .entry nor(
.visible .entry k(
\t.param .u64 k_param_0
)
{
\t{ // callseq 0, 0
\tret; }
}
.func f() { ret; }"""
    assert of(CodeKind.PTX, text) == (
        Function("twice", 1, 6, False, is_defined=False),
        Function("k", 7, 14, True),
        Function("f", 14, 15, False),
    )


def test_a_comment_over_several_lines_holds_no_function():
    assert of(CodeKind.PTX, "/* {\n.entry a() {}\n*/ .entry b()\n{\n}\n") == (
        Function("b", 2, 5, True),
    )


@pytest.mark.parametrize(
    "text", ["", ".entry", ".func (", "}}}", "/*", '.entry "k', ".entry k(((", ".type a,@function"]
)
def test_what_is_cut_off_breaks_nothing(text):
    for kind in (CodeKind.PTX, CodeKind.SASS):
        assert all(function.end <= len(text.split("\n")) for function in of(kind, text))


def test_a_function_that_is_cut_off_reaches_to_the_end():
    assert of(CodeKind.PTX, ".entry k()\n{\nret;\n") == (Function("k", 0, 4, True),)


def test_functions_of_the_samples_are_those_that_others_find(listings):
    for what, kind, text in listings:
        found = [function for function in of(kind, text) if function.is_defined]
        if kind is CodeKind.PTX:
            assert [f.name for f in found if f.is_kernel] == list(entries(text)), what
        else:
            assert [f.name for f in found] == re.findall(r"^\.text\.(\S+):", text, re.MULTILINE), (
                what
            )
        assert all(f.line < f.end for f in found)
        assert all(f.end <= g.line for f, g in pairwise(found))


def test_kernels_of_sass_are_told_from_functions(listings):
    (text,) = (
        text
        for what, kind, text in listings
        if kind is CodeKind.SASS and what.startswith("Histogram") and what.endswith("-G")
    )
    kinds = {function.name: function.is_kernel for function in of(CodeKind.SASS, text)}
    assert kinds["histogram"] is True
    assert kinds["_Z5countPj"] is False


def test_the_function_of_a_line():
    found = (Function("a", 2, 5, True), Function("b", 7, 9, True))
    named = [function_at(found, line) for line in (0, 2, 4, 5, 8, 9)]
    assert [function and function.name for function in named] == [None, "a", "a", None, "b", None]


@pytest.mark.bench
def test_hundreds_of_thousands_of_lines_take_little_time():
    body = ["\tadd.f32 %f1, {%f2}, %f3; // x"] * 300_000
    # Not by the clock: other tests run at the same time.
    start = process_time()
    (function,) = functions(CodeKind.PTX, [".entry k()", "{", *body, "}"])
    assert function.end == 300_003
    assert process_time() - start < 3
