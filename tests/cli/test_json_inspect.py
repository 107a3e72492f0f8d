import json
import random

import pytest

from jitstudio.analysis.findings.find import findings
from jitstudio.analysis.report import report
from jitstudio.analysis.sass.cfg import sass_graph
from jitstudio.analysis.sass.reading import (
    CODE_OPTIONS,
    LIVE_OPTIONS,
    read_code,
    read_live,
    with_live,
)
from jitstudio.commands import json_code
from jitstudio.core.result import Resources
from tests.listing.mutations import mutated
from tests.support import cuda, request

KERNEL = """\
__device__ __noinline__ float slow(float x) { return x * 1.5f; }
__device__ float twice(float x) { return x + x; }
extern "C" __global__ void k(float* p, int n) {
    for (int i = threadIdx.x; i < n; i += 32) {
        if (p[i] > 1) p[i] = slow(p[i]);
        p[i] = twice(p[i]) / 3.0;
    }
}
"""


@pytest.fixture
def listings(tools):
    """What nvdisasm prints of a kernel for the readers of code and of live registers."""
    cubin = tools.cubin(request(cuda(KERNEL, "k.cu"), emit="cubin", arch="sm_90")).content
    return [tools.printed(cubin, *options) for options in (CODE_OPTIONS, LIVE_OPTIONS)]


def told(function):
    """All objects of a function, as text."""
    resources = Resources(registers=32)
    graph = sass_graph(function)
    return json.dumps(
        [
            json_code.report_object(report(function, resources), function),
            json_code.cfg_object(graph, function),
            [json_code.finding_object(f, function) for f in findings(function, resources)],
            json_code.instruction_objects(function),
        ]
    )


def test_instructions_are_told_as_they_are(listings):
    text, table = listings
    (function,) = with_live(read_code(text), read_live(table)).kernels
    rows = json_code.instruction_objects(function)
    for row, instruction in zip(rows, function, strict=True):
        control = instruction.control
        assert row["address"] == instruction.address
        assert row["predicate"] == (instruction.predicate or None)
        assert (row["opcode"], row["operands"]) == (instruction.opcode, instruction.operands)
        assert row["ptx_line"] == (instruction.ptx_line or None)
        assert tuple(row["live_registers"].values()) == instruction.live
        assert row["control"] == {
            "stall": control.stall,
            "yield": control.yields,
            "read_barrier": control.read_barrier,
            "write_barrier": control.write_barrier,
            "wait_mask": control.wait_mask,
            "reuse": control.reuse,
        }
        chain = [(row["source_file"], row["source_line"])]
        chain += [(place["file"], place["line"]) for place in row["inlined_at"]]
        assert tuple(chain) == (instruction.places or ((None, None),))
    assert any(row["inlined_at"] for row in rows)
    assert any(row["predicate"] for row in rows)


def test_without_encodings_and_live_registers_both_are_null(listings):
    text = "\n".join(line.partition("/* 0x")[0] for line in listings[0].splitlines())
    (function,) = read_code(text).kernels
    for row in json_code.instruction_objects(function):
        assert row["control"] is None
        assert row["live_registers"] is None


def test_lines_of_ptx_are_the_source_where_no_other_is_known(listings):
    (function,) = read_code(listings[0]).kernels
    rows = json_code.instruction_objects(function, "mine.ptx")
    assert rows == json_code.instruction_objects(function)
    kept = (
        line for line in listings[0].splitlines() if "//##" not in line or ".nv_debug_ptx" in line
    )
    (function,) = read_code("\n".join(kept)).kernels
    rows = json_code.instruction_objects(function, "mine.ptx")
    assert rows[0]["ptx_line"]
    for row in rows:
        assert row["source_line"] == row["ptx_line"]
        assert row["source_file"] == ("mine.ptx" if row["ptx_line"] else None)


def test_whatever_can_be_read_can_be_told(listings):
    text, table = listings
    chance = random.Random(6)
    counts = set()
    for _ in range(150):
        counted = read_live(mutated(table, chance))
        disassembly = with_live(read_code(mutated(text, chance)), counted)
        for function in disassembly.functions:
            assert "NaN" not in told(function)
            counts.add(len(function))
    assert len(counts) > 10
