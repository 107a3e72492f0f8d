from array import array

import pytest

from jitstudio.analysis.report import report
from jitstudio.analysis.sass.model import LiveRegisters, SassFunction
from jitstudio.analysis.sass.opcodes import OpcodeGroup, class_of
from jitstudio.core.result import Resources
from tests.support import cuda, request


def function(*rows, live=()):
    """A kernel of these pairs of opcode and operands."""
    count = len(rows)
    return SassFunction(
        name="k",
        is_kernel=True,
        addresses=array("Q", range(0, 16 * count, 16)),
        predicates=("",) * count,
        opcodes=tuple(opcode for opcode, _ in rows),
        operands=tuple(operands for _, operands in rows),
        encodings=b"",
        place_ids=array("i", [-1] * count),
        places=(),
        ptx_lines=array("i", [0] * count),
        ptx_name="",
        labels=(),
        parts=(),
        live=array("H", live),
    )


def counts(told):
    return {each.kind.title: each.count for each in told.counts}


def test_instructions_are_counted_by_class_in_the_order_of_the_groups():
    told = report(
        function(
            ("FFMA", "R1, R2, R3, R4"),
            ("LDG.E.64", "R2, desc[UR4][R2.64]"),
            ("LDG.E.64.CONSTANT", "R4, desc[UR4][R4.64]"),
            ("LDG.E", "R6, desc[UR4][R6.64]"),
            ("FADD", "R1, R1, R2"),
            ("STG.E", "desc[UR4][R2.64], R1"),
            ("EXIT", ""),
        ),
        None,
    )
    assert [(each.kind.title, each.count) for each in told.counts] == [
        ("global load, 32 bit", 1),
        ("global load, 64 bit", 2),
        ("global store, 32 bit", 1),
        ("fp32", 2),
        ("control", 1),
    ]
    assert told.groups == dict.fromkeys(OpcodeGroup, 0) | {
        OpcodeGroup.MEMORY: 4,
        OpcodeGroup.FLOAT: 2,
        OpcodeGroup.CONTROL: 1,
    }
    assert told.resources == Resources()


def test_a_constant_that_the_half_precision_unit_loads_is_a_move():
    told = report(
        function(
            ("HFMA2", "R5, -RZ, RZ, 0, 5.9604644775390625e-08"),
            ("HFMA2.MMA", "R6, -RZ, RZ, 1.875, 0"),
            ("HFMA2", "R5, R5, R6, R7"),
        ),
        None,
    )
    assert counts(told) == {"fp16": 1, "move": 2}


def test_the_peak_is_of_each_kind_of_register():
    rows = [("MOV", "R1, R2"), ("MOV", "R3, R4"), ("EXIT", "")]
    told = report(function(*rows, live=[4, 0, 1, 0, 9, 2, 0, 0, 0, 0, 3, 1]), None)
    assert told.peak == LiveRegisters(9, 2, 3, 1)
    assert told.peak_indices == (1,)
    assert report(function(*rows), None).peak is None


def test_a_lower_peak_is_none_of_the_report():
    heights = [0, 8, 0, 20, 2, 12, 0, 20, 0]
    rows = [("MOV", "R1, R2")] * len(heights)
    live = [count for gpr in heights for count in (gpr, 0, 0, 0)]
    assert report(function(*rows, live=live), None).peak_indices == (3, 7)


@pytest.mark.parametrize("arch", ["sm_75", "sm_90", "sm_120"])
def test_the_report_of_a_kernel_adds_up(tools, arch):
    text = """
extern "C" __global__ void k(float4* a, const float4* __restrict__ b, double* d) {
    float4 x = b[threadIdx.x];
    a[threadIdx.x] = make_float4(x.x * x.y, x.z + x.w, x.x, x.y);
    d[threadIdx.x] = d[threadIdx.x] * 3.0;
}
"""
    wanted = request(cuda(text, "k.cu"), emit="cubin", arch=arch)
    (kernel,) = tools.read(tools.cubin(wanted).content).kernels
    told = report(kernel, tools.build(wanted).resources_of("k"))
    assert sum(each.count for each in told.counts) == told.instructions == kernel.code_length
    assert told.code_bytes == 16 * len(kernel) > 16 * told.instructions
    found = counts(told)
    assert found["global load, 128 bit"] == found["global store, 128 bit"] == 1
    assert found["global load, 64 bit"] == found["global store, 64 bit"] == 1
    assert found["fp32"] == 2
    assert found["fp64"] == 1
    assert told.resources.registers
    assert told.peak
    assert told.peak.gpr <= told.resources.registers
    for index in told.peak_indices:
        assert kernel.live_at(index).gpr > 0
    assert class_of(kernel.opcodes[kernel.code_length - 1]).group is OpcodeGroup.CONTROL
