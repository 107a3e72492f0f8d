from time import perf_counter

import pytest

from jitstudio.core.code import CodeKind
from jitstudio.listing.ptx import entries

KERNEL = ".visible .entry {}(\n\t.param .u64 {}_param_0\n)\n{{\n\tret;\n}}\n"


def test_kernels_are_told_in_order():
    assert entries(KERNEL.format("b", "b") + KERNEL.format("a", "a")) == ("b", "a")


def test_a_weak_kernel_counts():
    assert entries(".weak .entry _Z4copyIfEvPT_() { ret; }") == ("_Z4copyIfEvPT_",)


def test_a_name_may_stand_on_the_next_line():
    assert entries(".visible .entry\n\tk (\n)\n{ ret; }") == ("k",)


def test_a_name_may_stand_behind_a_comment():
    assert entries(".entry /* the */ k // one\n() { ret; }") == ("k",)


def test_names_may_hold_a_dollar_and_a_percent_sign():
    assert entries(".entry $a$b() { ret; } .entry %c() { ret; }") == ("$a$b", "%c")


def test_a_declaration_is_no_kernel():
    assert entries(".extern .entry k(.param .u64 p);") == ()


def test_a_declared_kernel_is_told_once():
    assert entries(".entry k();\n.visible .entry k()\n{ ret; }") == ("k",)


def test_directives_may_stand_before_the_body():
    text = ".entry k()\n.maxntid 128, 1, 1\n.minnctapersm 2 // { or ;\n/* ; */\n{ ret; }"
    assert entries(text) == ("k",)


def test_comments_and_strings_hold_no_kernels():
    text = (
        "// .entry a() {}\n"
        "/* .entry b() {}\n */\n"
        '.file 1 "//.entry c() {}"\n'
        ".entry d() { ret; }\n"
        "/* not closed .entry e() {}"
    )
    assert entries(text) == ("d",)


def test_a_function_is_no_kernel():
    assert entries(".visible .func k() { ret; }\n.reg .b32 %entry;") == ()


def test_text_that_breaks_off_is_taken_as_it_is():
    whole = KERNEL.format("k", "k")
    found = {entries(whole[:length]) for length in range(len(whole))}
    assert found == {(), ("k",)}


def test_the_kernels_of_the_samples_are_found(listings):
    found = {what: entries(text) for what, kind, text in listings if kind is CodeKind.PTX}
    assert found["Vector add "] == ("vector_add",)
    assert found["SAXPY template "] == (
        "_Z5saxpyIdEvT_PKS0_PS0_i",
        "_Z5saxpyIfEvT_PKS0_PS0_i",
    )
    assert found["Histogram with an in-memory header -G"] == ("histogram",)


@pytest.mark.bench
def test_a_large_text_is_searched_at_once():
    line = "\tld.global.nc.v4.f32 \t{%f1, %f2, %f3, %f4}, [%rd12+16]; // note\n"
    text = "".join(
        f".visible .entry k{number}(.param .u64 a)\n{{\n{line * 1000}}}\n" for number in range(300)
    )
    start = perf_counter()
    assert len(entries(text)) == 300
    assert perf_counter() - start < 2
    start = perf_counter()
    assert entries("/*" * 500_000 + ".entry k(" * 100_000) == ()
    assert entries(".entry k(" * 10_000) == ()
    assert perf_counter() - start < 2
