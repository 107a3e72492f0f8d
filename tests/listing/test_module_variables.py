"""Module variables of PTX and cubins: the assembler's symbols say how large they are."""

from dataclasses import replace

import pytest

from jitstudio.core.code import CodeKind, Source
from jitstudio.core.cubin import sections, variables
from jitstudio.core.launch.c_types import DOUBLE, FLOAT, INT, UNSIGNED, named
from jitstudio.core.launch.choice import LAUNCHED_KINDS
from jitstudio.core.launch.types import Array, Struct
from jitstudio.listing.kernels.forms import kernel_forms
from jitstudio.listing.kernels.module_variables import PtxVariables, VariableUse, cubin_variables
from jitstudio.listing.ptx import Flow
from jitstudio.simulator.ptx.reading import read_program
from tests.support import cuda, request
from tests.symbol_launches import CONV, PLACES, POINTERS

SPELT = """\
.version 8.0
.target sm_75 .address_size 64
.const.align 4 .f32 a = 0f3F800000; .visible.global .u32 b[2][3]={{1,2},{0x10}};
.weak .global .align 16
    .b8 c[20] /* twenty; { */ = {255, 1};
.extern .const .u64 d;
.global .v2 .f32 e;
.global .attribute(.managed) .align 8 .u64 f = -1;
.global .u64 g = b;
.global .align 4 .f64 h[1] = {0d3FF0000000000000};
.file 1 "lib/{k};.cu"
.func touch(.reg .u64 p) { st.global.u32 [p], 1; ret; }
.entry k() {
  .reg .u64 %r<4>; .reg .f32 %f<3>; .reg .u32 %n;
  .loc 1 3 1
  ld.const.f32 %f1, [a];
  mov.u64 %r1, c; add.u64 %r2, %r1, 4;
  .loc 1 5 1
  { ld.global.u32 %n, [%r2]; }
  st.global.u32 [b+4], 2;
  mov.u64 %r3, f;
  call touch, (%r3);
  ret;
}
.entry other() { ret; }
"""


def test_declarations_are_read_however_they_are_spelt():
    found = PtxVariables.of(SPELT).variables
    assert list(found) == [*"abcdefgh"]
    assert found["a"].type == FLOAT
    assert found["b"].type == Array(Array(UNSIGNED, 3), 2)
    assert found["e"].type == Array(FLOAT, 2)
    assert {name: v.space for name, v in found.items() if v.space != "__device__"} == {
        "a": "__constant__",
        "d": "__constant__",
        "f": "__managed__",
    }
    assert found["a"].initial.hex() == "0000803f"
    assert found["c"].initial.hex() == "ff01" + 18 * "00"
    assert found["f"].initial.hex() == 8 * "ff"
    assert found["h"].initial.hex() == "000000000000f03f"
    # An address is known only as the code is loaded.
    assert (found["g"].initial, found["g"].is_initialised) == (b"", True)
    assert [name for name, v in found.items() if not v.is_defined] == ["d"]


def test_what_a_kernel_does_with_them_is_followed():
    uses = PtxVariables.of(SPELT).used_by("k")
    assert uses == {
        "a": VariableUse(reads=True, read_at="{k};.cu:3"),
        "b": VariableUse(writes=True),
        "c": VariableUse(reads=True, read_at="{k};.cu:5"),
        "f": VariableUse(escapes=True),
    }
    assert PtxVariables.of(SPELT).used_by("other") == {}


def launched(*sources):
    """Returns the request of a build for a launch."""
    return replace(request(*sources), emit=LAUNCHED_KINDS)


@pytest.mark.parametrize("source", [CONV, PLACES, POINTERS])
def test_sizes_and_content_are_those_of_the_cubin(builder, source):
    result = builder.build(launched(cuda(source)))
    (ptx,) = (a.text for a in result.artifacts if a.kind is CodeKind.PTX)
    (cubin,) = (a.content for a in result.artifacts if a.kind is CodeKind.CUBIN)
    found = sections(cubin)
    table = next(section for section in found if section.name == ".symtab")
    by_elf = {v.name: v.size for v in variables(table, found[table.link].content) if v.size}
    by_elf = {name: size for name, size in by_elf.items() if not name.startswith(".nv")}
    by_ptx = PtxVariables.of(ptx).variables
    assert {name: v.type.size for name, v in by_ptx.items()} == by_elf
    by_cubin = {v.name: v for v in cubin_variables(cubin)}
    for name, variable in by_ptx.items():
        assert by_cubin[name].space == variable.space, name
        assert by_cubin[name].initial == variable.initial, name


DECLARATIONS = """\
.global .u32 octal = 017;
.global .u32 binary = 0b11, listed, third[2] = {0x10U, -1};
.global .u32 hexadecimal[0x10]; .global .u32 by_eight[010] = {1};
.global .u32 counted[] = {1, 2, 3}; .global .u32 rows[][2] = {{1, 2}, {3, 4}, {5, 6}};
.global .u32 nested[2][3] = {{1, 2}, {3}}; .global .u32 none[4] = {};
.const .align 8 .f64 raw = 0f3F800000; .global .f64 whole = 0d3FF0000000000000;
.global .f32 rounded = 0d3FF123456789ABCD; .global .f32 infinite = 0d7FEFFFFFFFFFFFFF;
.global .b64 bits = 0f3F800000; .global .b32 of_wide = 0d3FF123456789ABCD;
.global .b16 low = 0f3F801234; .global .b8 lowest = 0d3FF123456789ABCD;
.global .f32 decimal = 1.5; .global .b64 long_decimal = 1.1; .global .b16 short_decimal = 1.1;
.global .f64 both[2] = {0f3F800000, 0d3FF0000000000000};
.global .u8 cut = 300; .global .s16 negative = -0x10;
.global .attribute(.managed) .align 16 .b32 managed[4] = {7};
.global .u32 added = 1+2, shifted[2] = {3 << 4, ~0}, chosen = 1 ? 2 : 3, warps = WARP_SZ*2;
.global .u64 cast = (.s64)3, turned = -(3), less = 1.0 < 2.0, twice = - - 3;
.global .f64 quotient = 1.0/3.0; .global .f32 sum[2] = {1.0+2.0, -0.5};
.global .u8 masked[3] = {0xFF(7), 0xFF00(0x1234), 0xFF00(-2)};
.global .u64 place = whole, behind[2] = {whole + (1+2)*4, 7+1}, wide = generic(raw)+8;
.global .u8 bytewise[4] = {0xFF(whole+4), 0xFF00(generic(whole)+4), 7, 0xFF00(0x1234)};
.const .u64 pointer = whole+8; .global .u64 unsized[] = {whole, 2, 3};
.visible .entry k() { ret; }
"""


def test_content_is_what_the_assembler_makes_of_each_spelling(builder):
    ptx = f".version 8.4\n.target sm_90\n.address_size 64\n{DECLARATIONS}"
    built = builder.build(launched(Source("k.ptx", CodeKind.PTX, ptx.encode())))
    assert built.ok, built.diagnostics
    (cubin,) = (a.content for a in built.artifacts if a.kind is CodeKind.CUBIN)
    judged = {v.name: v.initial.hex() for v in cubin_variables(cubin)}
    found = PtxVariables.of(ptx).variables
    assert {name: v.initial.hex() for name, v in found.items()} == judged
    with_addresses = {"place", "behind", "wide", "bytewise", "pointer", "unsized"}
    assert {name for name, initial in judged.items() if not initial} == with_addresses
    assert all(found[name].is_initialised for name in with_addresses)
    by_cubin = {v.name: v for v in cubin_variables(cubin)}
    assert {name: v.type.size for name, v in found.items()} == {
        name: v.type.size for name, v in by_cubin.items()
    }
    assert all(by_cubin[name].is_initialised for name in with_addresses)
    simulated = {
        variable.name: "" if variable.addresses else (variable.data or bytes(variable.size)).hex()
        for variable in read_program(ptx).variables.values()
    }
    assert simulated == judged


def test_a_unified_variable_is_seen():
    found = PtxVariables.of(".global .attribute(.unified(1, 2)) .u32 unified = 3;").variables
    assert found["unified"].initial.hex() == "03000000"


def test_functions_that_many_kernels_call_are_read_once(monkeypatch):
    functions = "".join(f".func f{n}() {{ ld.global.u32 %r1, [v]; ret; }}\n" for n in range(50))
    calls = " ".join(f"call f{n};" for n in range(50))
    kernels = "".join(f".entry k{n}() {{ {calls} ret; }}\n" for n in range(50))
    found = PtxVariables.of(f".global .u32 v;\n{functions}{kernels}")
    read, flow_of = [], Flow.of
    monkeypatch.setattr(Flow, "of", lambda body: (read.append(body), flow_of(body))[1])
    uses = [found.used_by(f"k{n}") for n in range(50)]
    assert uses == 50 * [{"v": VariableUse(reads=True)}]
    assert len(read) == 50


def test_a_form_has_them_by_the_names_and_types_of_the_source(builder):
    sources = (cuda(PLACES),)
    (form,) = kernel_forms(sources, builder.build(launched(*sources)))
    rows = {row.name: row for row in form.variables}
    assert rows.keys() == {
        *("a::range", "a::shift", "scale", "seen", "total", "weights", "calls"),
    }
    assert isinstance(rows["a::range"].type, Struct)
    assert rows["a::shift"].type.count == 2
    assert rows["weights"].type == Array(FLOAT, 2)
    assert rows["seen"].variable.is_initialised
    assert not rows["scale"].variable.is_initialised
    assert rows["total"].variable.space == "__managed__"
    assert rows["total"].type == INT


TEMPLATES = """\
template <int LOW, int N> __constant__ float by_number[N];
template <typename T, int N> __constant__ T by_type[N];
template <typename T = int, int N = 3> __device__ T by_class[N];
namespace n { template <bool B> __constant__ int truth[B + 1]; }
struct S { float x; };
__global__ void k(float *out) {
  *out = by_number<-1, 4>[1] + by_type<double, 2>[1] + by_class<S, 5>[1].x + by_class<short>[1]
      + n::truth<true>[1];
}
"""


def test_a_variable_of_a_template_has_the_type_of_its_instance(builder):
    sources = (cuda(TEMPLATES),)
    (form,) = kernel_forms(sources, builder.build(launched(*sources)))
    types = {row.name: row.type for row in form.variables}
    assert types.pop("by_number") == Array(FLOAT, 4)
    assert types.pop("by_type") == Array(DOUBLE, 2)
    assert types.pop("n::truth") == Array(INT, 2)
    # Of a class the name does not say the type: PTX does, and there are bytes.
    assert {kind.size for kind in types.values()} == {20, 6}
    assert Array(named("short"), 3) in types.values()
    assert Array(INT, 5) not in types.values()


def test_of_a_cubin_alone_there_are_those_of_its_symbols(builder):
    result = builder.build(launched(cuda(CONV)))
    (cubin,) = (a.content for a in result.artifacts if a.kind is CodeKind.CUBIN)
    given = (Source("conv.cubin", CodeKind.CUBIN, cubin),)
    (form,) = kernel_forms(given, builder.build(launched(*given)))
    assert {row.name: row.type.size for row in form.variables} == {"mask": 12, "hits": 4}
