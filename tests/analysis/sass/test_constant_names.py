"""Names of constants, in machine code for architectures that differ in where parameters begin."""

import re
from dataclasses import replace

import pytest

from jitstudio.analysis.sass.constant_names import ConstantNames
from jitstudio.core.constant_banks import ConstantBanks, constant_banks
from jitstudio.listing.kernels.forms import kernel_forms
from tests.support import cuda, request

PARAMETERS = """\
(float* out, char c, double d, const int* __restrict__ in, Small s, short h, short k, long long n,
 float4 v, int2 pair, Closed u, bool yes)"""
TYPES = """\
struct Small { char tag; double weight; int counts[3]; };
union Closed { float f; int i[4]; };
__constant__ float table[64];
__constant__ int single = 7;
__device__ int variable[16];
namespace inner { __constant__ double nested = 2; }
"""
READ = {
    "c": "c",
    "d": "d",
    "in": "in[0]",
    "s.tag": "s.tag",
    "s.weight": "s.weight",
    "s.counts[1]": "s.counts[1]",
    "h": "h",
    "k": "k",
    "n": "(float)n",
    "v.y": "v.y",
    "pair.x": "pair.x",
    "pair.y": "pair.y",
    "u+8": "u.i[2]",
    "yes": "yes ? 1.0f : 2.0f",
    "table+12": "table[3]",
    "single": "single",
    "inner::nested": "inner::nested",
    "&variable": "variable[5]",
}
"""Names by what a kernel of its own reads."""

SOURCE = TYPES + "".join(
    f'extern "C" __global__ void k{number}{PARAMETERS} {{ *out = {value}; }}\n'
    for number, value in enumerate(READ.values())
)
ARCHS = ("sm_75", "sm_90", "sm_120")


class Compiled:
    def __init__(self, tools, arch, source=SOURCE):
        self.request = request(cuda(source), emit="ptx,cubin", arch=arch)
        self.result = tools.build(self.request)
        self.cubin = tools.cubin(self.request).content
        self.code = tools.code(self.cubin)
        self.banks = constant_banks(self.cubin)
        forms = kernel_forms(self.request.sources, self.result)
        self.forms = {form.lowered: form for form in forms}

    def names(self, kernel):
        return ConstantNames(self.banks, kernel, self.forms.get(kernel))

    def named(self, kernel):
        names = self.names(kernel)
        for instruction in self.code.function(kernel):
            yield from names.named(instruction.opcode, instruction.operands)


@pytest.fixture(scope="module", params=ARCHS)
def compiled(request, tools):
    return Compiled(tools, request.param)


def test_what_a_kernel_reads_has_the_name_that_its_source_has(compiled):
    for number, name in enumerate(READ):
        named = list(compiled.named(f"k{number}"))
        assert {constant.name for constant in named} == {"out", name}


def test_names_are_at_the_operands_that_they_are_of(compiled):
    for instruction in compiled.code.function("k4"):
        names = compiled.names("k4").named(instruction.opcode, instruction.operands)
        for start, end in (constant.span for constant in names):
            assert re.fullmatch(r"c\[\w+\]\[\w+\]", instruction.operands[start:end])


@pytest.mark.parametrize("arch", ["sm_75", "sm_90"])
def test_parameters_of_half_precision_have_names(arch, tools):
    """nvdisasm puts a space between the brackets for sm_75."""
    text = """#include <cuda_fp16.h>
__global__ void k(float* out, half first, half second, half2 both)
{ out[0] = __half2float(first) * __half2float(second) - __high2float(both); }"""
    build = request(cuda(text), emit="cubin", arch=arch)
    cubin = tools.cubin(build).content
    (kernel,) = tools.code(cubin).functions
    names = ConstantNames(constant_banks(cubin), kernel.name, None)
    shown = [
        constant.name
        for opcode, operands in zip(kernel.opcodes, kernel.operands, strict=True)
        for constant in names.named(opcode, operands)
    ]
    assert {"param 1", "param 2"} <= {*shown}


def test_types_are_as_the_source_writes_them(compiled):
    types = {
        v.name: v.type for n in range(len(READ)) for c in compiled.named(f"k{n}") for v in c.values
    }
    assert types["in"] == "const int* __restrict__"
    assert (types["n"], types["s.weight"], types["v.y"]) == ("long long", "double", "float")
    assert types["single"] == ""


def test_without_a_declaration_parameters_have_numbers(compiled):
    names = ConstantNames(compiled.banks, "k1", None)
    named = (c for i in compiled.code.function("k1") for c in names.named(i.opcode, i.operands))
    assert {constant.name for constant in named} == {"param 0", "param 2"}


def test_a_declaration_that_disagrees_with_the_code_gives_no_names(compiled):
    form = compiled.forms["k1"]
    names = ConstantNames(compiled.banks, "k1", replace(form, parameters=form.parameters[1:]))
    named = (c for i in compiled.code.function("k1") for c in names.named(i.opcode, i.operands))
    assert {constant.name for constant in named} == {"param 0", "param 2"}


def test_what_the_driver_puts_in_front_of_the_parameters_has_no_name(compiled):
    base = compiled.banks.parameters["k0"].base
    names = compiled.names("k0")
    assert names.named("LDC", f"R1, c[0x0][{base - 4:#x}]") == ()
    assert names.named("LDC", f"R1, c[0x0][{base + compiled.banks.parameters['k0'].size:#x}]") == ()


@pytest.fixture(scope="module")
def names(tools):
    """Those of the first kernel, with parameters from 0 on."""
    compiled = Compiled(tools, "sm_90")
    bank = replace(compiled.banks.parameters["k0"], base=0)
    return ConstantNames(ConstantBanks({"k0": bank}), "k0", compiled.forms["k0"])


@pytest.mark.parametrize(
    ("opcode", "operands", "name"),
    [
        ("LDC.64", "R2, c[0x0][0x48]", "n"),
        ("MOV", "R2, c[0x0][0x48]", "n.lo"),
        ("MOV", "R2, c[0x0][0x4c]", "n.hi"),
        ("LDC.U16", "R2, c[0x0][0x4e]", "n+6"),
        ("LDC.U8", "R2, c[0x0][0x48]", "n+0"),
        ("LDC.128", "R4, c[0x0][0x10]", "d, in"),
        ("LDC.128", "R4, c[0x0][0x50]", "v"),
        ("LDC.64", "R4, c[0x0][0x58]", "v.z, v.w"),
        ("LDC.64", "R4, c[0x0][0x60]", "pair"),
        ("LDC.128", "R4, c[0x0][0x20]", "s.tag, s.weight"),
        ("LDC.64", "R4, c[0x0][0x30]", "s.counts[0], s.counts[1]"),
        ("LDC", "R4, c[0x0][0x40]", "h, k"),
        ("LDC", "R4, c[0x0][0x8]", "c"),
        ("DFMA", "R2, R2, c[0x0][0x10], R4", "d"),
        ("FFMA", "R2, R2, c[0x0][0x10], R4", "d.lo"),
        ("IMAD.WIDE", "R2, R3, R4, c[0x0][0x18]", "in"),
        ("IMAD.WIDE", "R2, R3, c[0x0][0x1c], R4", "in.hi"),
        ("HADD2", "R2, R2.H0_H0, -c[0x0][0x40].H1_H1", "k"),
        ("HADD2", "R2, R2.H0_H0, |c[0x0][0x40].H0_H0|", "h"),
        ("I2F.U8", "R2, c[0x0][0x40].B2", "k+0"),
        ("LDC.64", "R2, c[0x0][RZ]", "out"),
        ("LDC.64", "R2, c[0x0][URZ+0x10]", "d"),
        # An unknown opcode reads nobody knows how much.
        ("NEWOP", "R2, c[0x0][0x10]", "d"),
        ("NEWOP", "R2, c[0x0][0x14]", "d+4"),
    ],
)
def test_bytes_of_parameters_are_named(names, opcode, operands, name):
    (constant,) = names.named(opcode, operands)
    assert constant.name == name


@pytest.mark.parametrize(
    "operands",
    [
        "R2, c[0x0][R4+0x10]",
        "R2, c[0x0][UR4]",
        "R2, cx[UR4][0x10]",
        "R2, c[0x3][0x10]",
        # Padding, behind all parameters, and no bank at all.
        "R2, c[0x0][0xc]",
        "R2, c[0x0][0x9000]",
        "R2, 0x10",
    ],
)
def test_other_places_have_no_name(names, operands):
    assert names.named("LDC", operands) == ()
