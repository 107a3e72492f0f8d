"""Which variants are the best in a figure: with all that belongs to it."""

from dataclasses import replace

import pytest

from jitstudio.analysis.report import KernelReport
from jitstudio.core.arch import Arch
from jitstudio.core.axes import Axis, AxisKind
from jitstudio.core.code import CodeKind
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.result import BuildResult, Kernel, Outcome, Resources
from jitstudio.variants import sites
from jitstudio.variants.engine import VariantRun
from jitstudio.variants.plan import Variant, VariantPlan
from jitstudio.variants.rows import (
    VariantFigure,
    VariantRow,
    VariantView,
    best,
    missing,
    value,
    whole,
)
from tests.support import GOOD, cuda, request

VIEW = VariantView("apply")
CALLER = """
extern __device__ float activation(float x);
extern "C" __global__ void apply(float* y, const float* x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = activation(x[i]);
}
"""
CALLEE = """
__device__ float activation(float x)
{
    return 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
}
"""


def row(index, registers=32, spills=0, reports=()):
    needs = Resources(registers, spills)
    result = BuildResult(
        Outcome.BUILT, Arch(90), kernels=(Kernel("k.cu", "apply", "apply", needs),)
    )
    return VariantRow(
        Variant(index, (), str(index), GOOD, LaunchSpec()),
        "built",
        result=result,
        kernel="apply",
        reports=dict(reports),
    )


def report(name, instructions, *callees):
    return name, KernelReport(
        name, Resources(), instructions, 16 * instructions, (), None, (), frozenset(callees)
    )


def test_live_registers_are_missing_for_the_reason_of_the_reading():
    uncounted = replace(row(0, reports=[report("apply", 20)]), notes=("Memory is short.",))
    assert list(missing(uncounted, VIEW)) == ["Memory is short."]
    (unsaid,) = missing(replace(uncounted, notes=()), VIEW)
    assert unsaid.startswith("The live registers are not known")


def test_few_registers_are_the_best_only_without_more_spills():
    figure = VariantFigure.REGISTERS
    assert best(figure, [row(0, 40), row(1, 24, 1200)], VIEW) == frozenset()
    assert best(figure, [row(0, 40), row(1, 24), row(2, 24, 8)], VIEW) == {1}
    assert best(figure, [row(0, 40, 100), row(1, 24, 100)], VIEW) == {1}
    assert best(VariantFigure.SPILLED, [row(0, 40), row(1, 24, 1200)], VIEW) == {0}


def test_instructions_count_with_those_of_what_is_called():
    calls = row(0, reports=[report("apply", 20, "f"), report("f", 15, "g"), report("g", 9, "f")])
    inlined = row(1, reports=[report("apply", 40)])
    figure = VariantFigure.INSTRUCTIONS
    assert value(figure, calls, VIEW) == 20
    assert whole(figure, calls, VIEW) == 44
    assert best(figure, [calls, inlined], VIEW) == {1}
    # Nobody can tell where a callee is not known.
    unknown = row(0, reports=[report("apply", 20, "f")])
    assert whole(figure, unknown, VIEW) is None
    assert best(figure, [unknown, inlined], VIEW) == frozenset()


@pytest.mark.tools
@pytest.mark.slow
def test_a_link_that_inlines_is_compared_with_the_callee_of_the_other():
    axes = (Axis(AxisKind.LINK, ("ptx", "lto")),)
    build = request(cuda(CALLER, "act.cu"), cuda(CALLEE, "gelu.cu"), link="ptx")
    plan = VariantPlan(axes, replace(build, emit=frozenset({CodeKind.CUBIN})), launches=False)
    with sites.timing() as here:
        table = VariantRun(plan, here, reads=True).run()
    linked, inlined = table.rows
    figure = VariantFigure.INSTRUCTIONS
    assert linked.reports["apply"].callees == {"_Z10activationf"}
    own, total = value(figure, linked, VIEW), whole(figure, linked, VIEW)
    assert total == own + linked.reports["_Z10activationf"].instructions
    assert own < value(figure, inlined, VIEW) == whole(figure, inlined, VIEW)
    least = min(total, whole(figure, inlined, VIEW))
    assert best(figure, table.rows, VIEW) == {0 if total == least else 1}
