"""Cubins read by the real nvdisasm, which runs twice."""

import pytest

from jitstudio.core.code import CodeKind
from jitstudio.toolchain import disassembly
from jitstudio.toolchain.disassembly import read_cubin
from tests.support import cuda, request

BRANCHING = """\
extern "C" __global__ void k(int* p, int n) {
    for (int i = 0; i < n; ++i) { if (p[i] > 3) return; p[i] += i; }
}
"""


@pytest.fixture
def cubin(built):
    def made(*options):
        result = built(request(cuda(BRANCHING), emit="cubin", options=options))
        return result.artifact(CodeKind.CUBIN, "kernel.cu").content

    return made


def test_code_lines_live_registers_and_resources_are_read(cubin):
    (function,) = (code := read_cubin(cubin(), "k.cubin")).functions
    assert code.target == "sm_90"
    assert code.resources["k"].registers >= 8
    assert code.notes == ()
    assert function.is_kernel
    assert {place.line for places in function.places for place in places} == {1, 2, 3}
    assert max(row.live.gpr for row in function) > 2


def test_code_that_is_never_reached_costs_no_live_registers(cubin):
    (function,) = read_cubin(cubin("-G"), "k.cubin").functions
    alive = [row.live.gpr for row in list(function)[: function.code_length]]
    assert 0 in alive
    assert max(alive) > 2


def test_live_registers_that_take_too_long_are_done_without(cubin, monkeypatch):
    monkeypatch.setattr(disassembly, "_PATIENCE", -1000.0)
    code = read_cubin(cubin(), "k.cubin")
    assert "live registers are not known" in code.notes[0]
    (function,) = code.functions
    assert function[0].live is None
    assert function[0].places
    assert code.resources["k"].registers >= 8
