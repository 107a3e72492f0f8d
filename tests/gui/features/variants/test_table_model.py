"""The columns of the table over rows put together by hand."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt

from jitstudio.analysis.report import KernelReport
from jitstudio.core.arch import Arch
from jitstudio.core.axes import Axis, AxisKind
from jitstudio.core.result import BuildResult, Kernel, Outcome, Resources
from jitstudio.gui.features.variants.table_model import (
    FIGURES,
    ShownVariants,
    VariantsModel,
    note,
    time_chart,
)
from jitstudio.gui.kit.presentation import MARK_ROLE, SORT_ROLE
from jitstudio.variants.plan import VariantPlan, expand
from jitstudio.variants.rows import VariantFigure, VariantRow, VariantTable, VariantView
from tests.gui.launches import sweep
from tests.support import KERNEL, cuda, request

VIEW = VariantView("k")
NEEDS = Resources(registers=32, spill_stores=0, shared_bytes=1024, barriers=0)
AXES = (
    Axis(AxisKind.TARGET, ("sm_80", "sm_90")),
    Axis(AxisKind.OPTIONS, ("", "-O1")),
)
VARIANTS = expand(VariantPlan(AXES, request(cuda(KERNEL)), launches=False))


def built(variant, **needs):
    kernels = (Kernel("k.cu", "k", "k", replace(NEEDS, **needs)),)
    result = BuildResult(Outcome.BUILT, Arch(90), kernels=kernels, total_ms=12.0)
    return VariantRow(variant, "built", result=result)


def matrix():
    first, second, third, fourth = VARIANTS
    return VariantTable(
        AXES,
        (
            built(first, registers=40),
            built(second, registers=24, spill_stores=1200),
            VariantRow(third, "build-failed", "Build failed."),
            VariantRow(fourth),
        ),
    )


@pytest.fixture
def model(qapp, qtmodeltester):
    model = VariantsModel()
    model.show_variants(ShownVariants(sweep()))
    qtmodeltester.check(model)
    return model


@pytest.fixture
def compared(model):
    model.show_variants(ShownVariants(matrix(), VIEW))
    return model


def titles(model):
    columns = range(model.columnCount())
    return [model.headerData(n, Qt.Orientation.Horizontal) for n in columns]


def texts(model, title, role=Qt.ItemDataRole.DisplayRole):
    place = titles(model).index(title)
    return [model.index(n, place).data(role) for n in range(model.rowCount())]


def test_the_axes_come_first_then_the_times_then_the_machine_code(model, compared):
    code = ["Registers", "Spill stores", "Peak live", "Instructions", "Code", "Shared", "Occupancy"]
    assert titles(compared) == ["#", "target", "options", *code, "Build", "Note"]
    model.show_variants(ShownVariants(sweep()))
    times = ["Time", "Speed", "Bandwidth"]
    assert titles(model) == ["#", "block", "T", *times, *code, "Build", "Check", "Note"]


def test_figures_have_their_units_and_unknown_ones_are_empty(compared):
    assert texts(compared, "Registers") == ["40", "24", "", ""]
    assert texts(compared, "Spill stores") == ["0 B", "1,200 B", "", ""]
    assert texts(compared, "Occupancy") == ["75 %", "100 %", "", ""]
    assert texts(compared, "Build") == ["12 ms", "12 ms", "", ""]
    assert texts(compared, "Peak live") == ["", "", "", ""]
    assert texts(compared, "options")[:2] == ["as they are", "-O1"]


def test_times_have_their_share_of_the_best(model):
    assert texts(model, "Time")[4] == "400 µs"
    assert texts(model, "Speed")[:5:4] == ["80 %", "100 %"]
    assert texts(model, "Bandwidth")[0] == "3,000 GB/s"
    assert texts(model, "Check")[:2] == ["passed", "failed"]


def test_the_best_of_each_column_is_marked(compared):
    assert texts(compared, "Spill stores", MARK_ROLE) == ["success", "", "", ""]
    assert texts(compared, "Shared", MARK_ROLE) == ["", "", "", ""]
    # What is bought by spills is not the best.
    assert texts(compared, "Registers", MARK_ROLE) == ["", "", "", ""]
    assert texts(compared, "Occupancy", MARK_ROLE) == ["", "", "", ""]
    spoken = texts(compared, "Spill stores", Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == ["0 B (best)", "1,200 B", "", ""]


def test_the_best_time_is_of_a_variant_that_is_right(model):
    table = sweep()
    quick = replace(table.rows[1], median_ms=0.001)
    model.show_variants(ShownVariants(replace(table, rows=(table.rows[0], quick, *table.rows[2:]))))
    assert [n for n, mark in enumerate(texts(model, "Time", MARK_ROLE)) if mark] == [4]
    assert texts(model, "Note")[4] == "best"


def test_how_a_variant_ended_is_marked_and_said(model, compared):
    assert texts(compared, "#", MARK_ROLE) == ["", "", "error", ""]
    assert texts(compared, "Note") == ["", "", "Build failed.", "waits"]
    model.show_variants(ShownVariants(sweep()))
    assert texts(model, "#", MARK_ROLE)[:2] == ["success", "error"]
    assert texts(model, "Note")[1] == "12 of 4,096 are wrong."
    spoken = texts(model, "#", Qt.ItemDataRole.AccessibleTextRole)
    assert spoken[9] == "block=1024 T=double: The build made nothing to launch"


def test_what_was_built_without_a_gpu_is_no_failure_and_says_what_is_calculated(model):
    table = sweep()
    missing = replace(
        table.rows[0], outcome="missing", message="No driver.", occupancy_source="calculated"
    )
    model.show_variants(ShownVariants(replace(table, rows=(missing, *table.rows[1:]))))
    assert texts(model, "#", MARK_ROLE)[0] == "info"
    assert texts(model, "Note")[0] == "built, not launched"
    place = titles(model).index("Occupancy")
    assert model.calculated_columns == [place]
    # The block of the launch is not known to these rows: 256 threads are taken.
    assert texts(model, "Occupancy")[0].endswith(", calculated")
    assert "no GPU was asked" in model.index(0, place).data(Qt.ItemDataRole.ToolTipRole)


def test_figures_and_values_sort_as_numbers_and_the_unknown_last(model, compared):
    known = texts(compared, "Registers", SORT_ROLE)
    assert sorted(known)[:2] == [24, 40]
    assert known[2] == known[3] == float("inf")
    model.show_variants(ShownVariants(sweep()))
    blocks = texts(model, "block", SORT_ROLE)
    assert blocks[0] < blocks[2]


def test_another_kernel_or_block_shows_other_figures(model):
    table = VariantTable(AXES, (built(VARIANTS[0], registers=64), built(VARIANTS[1])))
    model.show_variants(ShownVariants(table, VariantView("k", 1024)))
    assert texts(model, "Occupancy") == ["50 %", "100 %"]
    shown = ShownVariants(table, VariantView("other"))
    model.show_variants(shown)
    assert texts(model, "Registers") == ["", ""]
    assert note(table.rows[0], shown) == "without this kernel"


def test_rows_are_compared_with_a_reference(model):
    model.show_variants(ShownVariants(matrix(), VIEW, reference=0))
    assert texts(model, "Registers") == ["40", "24  -40 %", "", ""]
    assert texts(model, "Shared")[1] == "1,024 B"
    assert texts(model, "Note")[0] == "reference"


def test_a_link_has_its_own_figures_also_of_functions(model):
    axes = (Axis(AxisKind.LINK, ("ptx", "lto")),)
    ptx, lto = expand(VariantPlan(axes, request(cuda(KERNEL)), launches=False))
    read = {"f": KernelReport("f", Resources(), 2, 128, (), None, ())}
    rows = (replace(built(ptx), reports=read, cubin_bytes=4000), built(lto))
    model.show_variants(ShownVariants(VariantTable(axes, rows), VariantView("f")))
    assert texts(model, "Instructions") == ["2", ""]
    assert texts(model, "Cubin") == ["4,000 B", ""]
    assert {"Stack", "Link time"} <= set(titles(model))
    assert texts(model, "Note") == ["", "without this kernel"]


def test_every_figure_explains_itself(compared):
    shown = [FIGURES[figure].heading for figure in VariantFigure if figure in FIGURES]
    for place, title in enumerate(titles(compared)):
        if title in shown:
            assert len(compared.index(0, place).data(Qt.ItemDataRole.ToolTipRole)) > 20, title


def test_the_chart_has_a_line_for_each_value_of_the_second_axis():
    chart = time_chart(sweep())
    assert (chart.axis, chart.ticks) == ("block", ("64", "128", "256", "512", "1024"))
    by_name = {line.name: line for line in chart.lines}
    assert [place for place, _ in by_name["float"].points] == [0, 1, 2, 3, 4]
    assert [place for place, _ in by_name["double"].points] == [1, 2, 3]
    assert (by_name["float"].best, by_name["double"].best) == (2, None)


def test_there_is_no_chart_of_nothing():
    table = sweep()
    failed = tuple(replace(row, outcome="failed") for row in table.rows)
    assert time_chart(VariantTable(table.axes, failed)) is None
    assert time_chart(VariantTable((), ())) is None
