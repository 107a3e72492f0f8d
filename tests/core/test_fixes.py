import re

import pytest

from jitstudio.core.code import CodeKind, Source
from jitstudio.core.diagnostics import Edit, Fix, FixKind, edit_for
from jitstudio.core.options import without_option
from jitstudio.core.result import Outcome
from tests.core.explaining import mended_all
from tests.core.failures import OPAQUE, TYPED, ll, whole
from tests.core.foreign_failures import OLD, module, ptx
from tests.support import cuda, request

TEXT = "one two\ntwo three\n"


def replacement(old, new, line=None):
    return Fix("", FixKind.REPLACE_TEXT, new, "k.cu", line, old)


def insertion(text, line=None):
    return Fix("", FixKind.INSERT_TEXT, text, "k.cu", line)


def edited(fix, text=TEXT):
    edit = edit_for(fix, text)
    assert edit is not None
    return text[: edit.start] + edit.text + text[edit.end :]


def test_replaces_the_first_place_of_all():
    assert edit_for(replacement("two", "2"), TEXT) == Edit(4, 7, "2")


def test_replaces_on_the_line_that_is_meant():
    assert edited(replacement("two", "2", line=2)) == "one two\n2 three\n"


def test_text_that_is_on_another_line_only_is_left_alone():
    assert edit_for(replacement("three", "3", line=1), TEXT) is None


def test_replaces_several_lines_from_the_one_that_is_meant():
    assert edited(replacement("two\ntwo", "2", line=1)) == "one 2 three\n"


def test_inserts_whole_lines_before_a_line():
    assert edited(insertion("zero", line=1)) == "zero\none two\ntwo three\n"
    assert edited(insertion("half", line=2)) == "one two\nhalf\ntwo three\n"


@pytest.mark.parametrize(("text", "then"), [("a\n", "a\nend\n"), ("a", "a\nend\n"), ("", "end\n")])
def test_inserts_at_the_end_on_a_line_of_its_own(text, then):
    assert edited(insertion("end"), text) == then


def test_a_line_behind_the_text_is_its_end():
    assert edit_for(replacement("two", "2", line=9), TEXT) is None
    assert edited(insertion("end", line=9)) == TEXT + "end\n"


OPTIONS = ("--bogus", "--bogus=3", "libnvvm:--bogus", "-I", "my folder", "-Da=1")


@pytest.mark.parametrize(
    ("unwanted", "gone"),
    [
        ("--bogus", ("--bogus", "--bogus=3", "libnvvm:--bogus")),
        ("--bogus=3", ("--bogus=3",)),
        ("-I my folder", ("-I", "my folder")),
        ("-Da=1", ("-Da=1",)),
        ("-other", ()),
    ],
)
def test_an_option_goes_with_every_address_and_value_that_is_meant(unwanted, gone):
    left = tuple(option for option in OPTIONS if option not in gone)
    assert without_option(OPTIONS, unwanted) == left


def test_an_option_is_removed_by_the_spelling_that_a_tool_was_sent():
    assert without_option(["-G", "-maxrregcount", "5"], "--maxrregcount=5") == ("-G",)
    assert without_option(["-fmad=false"], "-fma=0") == ()
    assert without_option(["-DA", "-DB"], "-DA") == ("-DB",)


# ---- Every fix that is offered, carried out again and again: it comes to an end, and costs nothing

HOST = """\
#include <iostream>
#include <vector>
#include <cstdint>
#include <math.h>
namespace app {
// The __global__ template that runs it all.
template <typename T> __global__ void scale(T* p, uint n, T by) { p[threadIdx.x % n] *= by; }
}
__global__ void fill(uint8_t* p, half* q) { *p = INT_MAX; *q = M_PI * INFINITY; }
extern "C" __global__ void trap(int* p) { *p = std::min(1, 2) + sizeof(std::is_void<int>); }
static void
check(int code) { if (code) std::cout << code; }
template <typename T> void launch(T* p) { app::scale<T><<<1, 1>>>(p, 1, 2); }
void later(int* p);
int main() { std::vector<int> v(3); int* p; cudaMalloc(&p, 4); launch(p); cudaFree(p); }
extern "C" __global__ void last(int* p) { *p = 1; }
"""
BOTH_CHIPS = """\
extern "C" __global__ void k() {
  asm("wgmma.fence.sync.aligned;");
  asm("tcgen05.wait::ld.sync.aligned;");
}
"""
TEXTURES = "texture<float, 2> t;\nint total;\n__global__ void k(float* p) { *p = total; }\n"
OLD_PTX = "fma.rn.f16x2 %r1, %r2, %r3, %r4;\nsqrt.f32 %f1, %f2;\nmad.f32 %f1, %f2, %f3, %f1;"
NEW_PTX = "wgmma.fence.sync.aligned;\ntcgen05.wait::ld.sync.aligned;\nfma.rn.f16x2 %r1,%r2,%r3,%r4;"
FAILING = {
    "whole program": (whole(HOST), True),
    "chips of two targets": (request(cuda(BOTH_CHIPS), emit="cubin"), False),
    "textures": (request(cuda(TEXTURES)), False),
    "old PTX": (ptx(OLD_PTX, OLD + "\n"), True),
    "PTX of debug": (ptx(OLD_PTX, OLD.replace("sm_30", "sm_30, debug"), arch="sm_120"), True),
    "PTX without a head": (ptx(NEW_PTX.replace("tcgen05.wait::ld", "wgmma.fence"), ""), True),
    "PTX of two chips": (ptx(NEW_PTX), False),
    "PTX of tensor memory": (ptx("tcgen05.wait::ld.sync.aligned;", OLD), True),
    "32 bits": (
        request(
            Source("k.ptx", CodeKind.PTX, b".version 2.3\n.target sm_20\n.address_size 32\n"
                   b".entry k(.param .u32 p) {\n.reg .u32 %r<3>; .reg .f32 %f<3>;\n"
                   b"ld.param.u32 %r1, [p];\nrcp.f32 %f1, %f2;\nst.global.f32 [%r1], %f1;\n}\n"),
            arch="sm_120",
            emit="cubin",
        ),
        True,
    ),
    "Rust": (module("rustc.ll"), True),
    "Clang": (module("clang_lines.ll"), True),
    "Julia": (module("julia.ll"), True),
    "two dialects": (request(ll(TYPED.replace("entry:", "entry:\n  %p = alloca ptr*"))), False),
    "opaque with a slip": (request(ll(OPAQUE.replace("store", "stroe"))), False),
    "typed with a slip": (request(ll(TYPED.replace("store", "stroe")), arch="sm_100"), False),
}  # fmt: skip
PARSE = re.compile(r"Parsing error|unrecognized (?:token|preprocess)|#endif|expected a declaration")
KERNELS = re.compile(rb"__global__|\.entry|ptx_kernel")
HIDDEN = re.compile(rb"#ifndef __CUDACC_RTC__\n(.*?)#endif", re.DOTALL)


@pytest.mark.parametrize("name", FAILING)
def test_fixes_come_to_an_end(builder, name):
    wanted, builds = FAILING[name]
    kernels = [len(KERNELS.findall(source.content)) for source in wanted.sources]
    seen, slips = [], None
    while wanted not in seen:
        seen.append(wanted)
        assert len(seen) < 12
        result = builder.build(wanted)
        parse_errors = {d.message for d in result.diagnostics if PARSE.search(d.message)}
        assert slips is None or parse_errors <= slips, [s.content.decode() for s in wanted.sources]
        slips = parse_errors
        wanted = mended_all(wanted, result)
        assert [len(KERNELS.findall(source.content)) for source in wanted.sources] == kernels
        hidden = b"".join(part for s in wanted.sources for part in HIDDEN.findall(s.content))
        assert not KERNELS.search(hidden)
    assert wanted == seen[-1], "it has come back to what it was"
    assert (result.outcome is Outcome.BUILT) is builds, result.diagnostics
