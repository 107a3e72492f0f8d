"""What lies in constant banks, against `cuobjdump -elf`."""

import re
import subprocess

import pytest

from jitstudio.core.constant_banks import BankPlace, ConstantBanks, ConstantSymbol, constant_banks
from jitstudio.core.tools import Tool
from jitstudio.toolchain import locate
from tests.support import cuda, request

SOURCE = """\
struct Small { char tag; double weight; int counts[3]; };
struct Large { int first; double more[800]; };
__constant__ float table[64];
__constant__ int single = 7;
__device__ int variable[16];
extern "C" __global__ void mixed(float* out, char c, double d, Small s, short h, short k, int2 p)
{ *out = c + d + s.weight + h + k + p.x + table[3] + single + variable[5]; }
extern "C" __global__ void large(short h, Large l, char c, char e, float* out)
{ *out = h + l.more[7] + c + e; }
extern "C" __global__ void nothing() {}
__device__ __noinline__ int other(int i) { return i * 3; }
"""
OFFSETS = {"mixed": (0, 8, 16, 24, 56, 58, 64), "large": (0, 8, 6416, 6417, 6424)}
"""By hand, from sizes and alignments (CUDA C++ Programming Guide, "Built-in Vector Types").

A kernel without parameters says of no bank.
"""

_SECTION = re.compile(r"\.nv\.info\.(\w+)")
_PARAMETER = re.compile(r"Ordinal : 0x(\w+)\s+Offset  : 0x(\w+)\s+Size    : 0x(\w+)")
_BANK = re.compile(r"EIATTR_PARAM_CBANK\s+Format:\s+EIFMT_SVAL\s+Value:\s+0x\w+ 0x(\w+)")


@pytest.fixture(scope="module", params=["sm_75", "sm_90", "sm_120"])
def cubin(request, tools):
    return tools.cubin(_asked(request.param)).content


def _asked(arch, *options):
    return request(cuda(SOURCE), emit="cubin", arch=arch, options=options)


def test_parameters_are_where_cuobjdump_says(cubin, tmp_path):
    file = tmp_path / "k.cubin"
    file.write_bytes(cubin)
    text = subprocess.run(
        [locate.program(Tool.CUOBJDUMP), "-elf", file], capture_output=True, text=True, check=True
    ).stdout
    banks = constant_banks(cubin).parameters
    seen = []
    for part in re.split(r"\n(?=\.nv\.)", text):
        name, bank = _SECTION.match(part), _BANK.search(part)
        if name is None or bank is None:
            continue
        both = int(bank[1], 16)
        words = sorted(tuple(int(word, 16) for word in p) for p in _PARAMETER.findall(part))
        assert (banks[name[1]].base, banks[name[1]].size) == (both & 0xFFFF, both >> 16)
        assert banks[name[1]].parameters == tuple(BankPlace(*word[1:]) for word in words)
        seen.append(name[1])
    assert sorted(seen) == sorted(banks) == sorted(OFFSETS)


def test_parameters_are_where_the_rules_of_cuda_put_them(cubin):
    banks = constant_banks(cubin).parameters
    assert {name: tuple(p.offset for p in bank.parameters) for name, bank in banks.items()} == (
        OFFSETS
    )


def test_variables_and_addresses_are_symbols_of_a_bank(cubin):
    assert set(constant_banks(cubin).symbols) == {
        ConstantSymbol("table", 3, BankPlace(0, 256)),
        ConstantSymbol("single", 3, BankPlace(256, 4)),
        ConstantSymbol("variable", 4, BankPlace(0, 8)),
    }


def test_code_that_is_yet_to_be_linked_has_parameters_alone(tools):
    banks = constant_banks(tools.cubin(_asked("sm_90", "-rdc=true")).content)
    assert banks.parameters.keys() == OFFSETS.keys()
    assert banks.symbols == ()


@pytest.mark.parametrize("content", [b"", b"abc", b"\x7fELF\x02" + bytes(80)])
def test_bytes_that_are_no_cubin_have_nothing(content):
    assert constant_banks(content) == ConstantBanks()


def test_a_damaged_cubin_is_read_as_far_as_it_goes(tools):
    cubin = tools.cubin(_asked("sm_90")).content
    for at in range(0, len(cubin), 97):
        constant_banks(cubin[:at] + b"\xff\xff" + cubin[at + 2 :])
