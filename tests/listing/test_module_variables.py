"""Module variables of PTX and cubins: the assembler's symbols say how large they are."""

from dataclasses import replace

import pytest

from jitstudio.core.code import CodeKind, Source
from jitstudio.core.cubin import sections, variables
from jitstudio.core.launch.c_types import FLOAT, INT, UNSIGNED
from jitstudio.core.launch.choice import LAUNCHED_KINDS
from jitstudio.core.launch.types import Array, Struct
from jitstudio.listing.kernels import kernel_forms
from jitstudio.listing.module_variables import PtxVariables, VariableUse, cubin_variables
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


def test_of_a_cubin_alone_there_are_those_of_its_symbols(builder):
    result = builder.build(launched(cuda(CONV)))
    (cubin,) = (a.content for a in result.artifacts if a.kind is CodeKind.CUBIN)
    given = (Source("conv.cubin", CodeKind.CUBIN, cubin),)
    (form,) = kernel_forms(given, builder.build(launched(*given)))
    assert {row.name: row.type.size for row in form.variables} == {"mask": 12, "hits": 4}
