"""Variables in registers of machine code, against pyelftools and the instructions themselves."""

import re
from dataclasses import replace
from io import BytesIO
from pathlib import PurePath

import pytest
from elftools.dwarf.dwarf_expr import DWARFExprParser
from elftools.dwarf.locationlists import LocationParser
from elftools.elf.elffile import ELFFile

from jitstudio.core.code import Header
from jitstudio.simulator.ptx.register_variables import register_variables
from tests.support import cuda
from tests.support import request as asked

HEADER = Header(
    "helper.cuh",
    b"// Lines of its own.\n\n__device__ __noinline__ float helper(float x, int n)\n"
    b"{ float s = 0; for (int i = 0; i < n; ++i) s += x * i; return s; }\n",
)
SOURCE = """\
#include "helper.cuh"
extern "C" __global__ void k(float* out, const float* in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int j = 0; j < n; ++j) { sum += in[j]; }
    if (i < n) out[i] = helper(sum, n);
}
"""
HELPER = "_Z6helperfi"
_RESULT = re.compile(r"(?:[A-Z0-9.]+ )?R(\d+)\b")


@pytest.fixture(scope="module", params=["sm_75", "sm_90"])
def cubin(request, tools):
    build = replace(asked(cuda(SOURCE), emit="cubin", arch=request.param), headers=(HEADER,))
    build = replace(build, options=("-G",))
    return tools.cubin(build).content


def in_registers(cubin):
    """The names, files and lines of variables that DWARF puts into registers, by function."""
    dwarf = ELFFile(BytesIO(cubin)).get_dwarf_info(relocate_dwarf_sections=False)
    parser, known = LocationParser(dwarf.location_lists()), {}
    for unit in dwarf.iter_CUs():
        expressions = DWARFExprParser(unit.structs)
        function = None
        files = dwarf.line_program_for_CU(unit)["file_entry"]
        for entry in unit.iter_DIEs():
            attributes = entry.attributes
            if entry.tag == "DW_TAG_subprogram":
                function = attributes["DW_AT_MIPS_linkage_name"].value.decode()
            if function is None or "DW_AT_location" not in attributes:
                continue
            at = attributes["DW_AT_location"]
            places = parser.parse_from_attribute(at, unit["version"], entry)
            for place in places if isinstance(places, list) else [places]:
                (first, *_) = expressions.parse_expr(place.loc_expr)
                if first.op_name == "DW_OP_regx":
                    name = attributes["DW_AT_name"].value.decode()
                    line = attributes["DW_AT_decl_line"].value
                    file = files[attributes["DW_AT_decl_file"].value - 1].name.decode()
                    known.setdefault(function, set()).add((name, file, line))
    return known


def test_the_variables_are_those_that_dwarf_puts_into_registers(cubin):
    known, variables = in_registers(cubin), register_variables(cubin)
    assert known.keys() == variables.keys() == {"k", HELPER}
    for function, of_function in variables.items():
        names = {(v.name.partition(".")[0], PurePath(v.file).name, v.line) for v in of_function}
        assert names == known[function]
        file = "helper.cuh" if function == HELPER else "kernel.cu"
        assert {PurePath(variable.file).name for variable in of_function} == {file}
    types = {variable.name: variable.type for variable in variables["k"]}
    assert types == {
        "out.lo": "float*", "out.hi": "float*", "in.lo": "const float*", "in.hi": "const float*",
        "n": "int", "i": "int", "j": "int", "sum": "float",
    }  # fmt: skip


def test_where_a_variable_begins_the_instruction_writes_its_register(cubin, tools):
    code, count = tools.code(cubin), 0
    for name, variables in register_variables(cubin).items():
        function = code.function(name)
        for variable in variables:
            assert variable.begin < variable.end
            index = function.index_of(variable.begin)
            if not variable.is_written:
                continue
            count += 1
            assert variable.is_in(variable.begin, as_result=True)
            assert not variable.is_in(variable.begin, as_result=False)
            if variable.begin or name != HELPER:
                # At the very beginning a function has its arguments.
                result = int(_RESULT.match(function.operands[index])[1])
                wide = ".64" in function.opcodes[index] or "WIDE" in function.opcodes[index]
                assert variable.register in range(result, result + 1 + wide)
    assert count > 5


def test_other_code_has_no_variables_and_a_damaged_cubin_no_error(cubin, tools):
    build = replace(asked(cuda(SOURCE), emit="cubin", arch="sm_90"), headers=(HEADER,))
    plain = tools.cubin(build).content
    assert register_variables(plain) == register_variables(b"") == {}
    for at in range(0, len(cubin), 499):
        register_variables(cubin[:at] + b"\xff\xff" + cubin[at + 2 :])
        register_variables(cubin[:at])
