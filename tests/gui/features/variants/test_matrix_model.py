"""The columns of the matrix over results put together by hand."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt

from jitstudio.analysis.matrix.plan import MatrixPlan, variants
from jitstudio.analysis.matrix.rows import MatrixRow, built
from jitstudio.analysis.matrix.table import Figure, View
from jitstudio.core.arch import Arch
from jitstudio.core.request import LinkMode
from jitstudio.core.result import BuildResult, Kernel, Outcome, Resources
from jitstudio.gui.features.variants.matrix_model import MatrixModel, note
from jitstudio.gui.kit.presentation import MARK_ROLE, SORT_ROLE
from tests.support import KERNEL, cuda, request

VIEW = View("k")
NEEDS = Resources(registers=32, spill_stores=0, shared_bytes=1024, barriers=0)


def row(variant, **needs):
    kernel = Kernel("k.cu", "k", "k(int)", replace(NEEDS, **needs))
    return built(
        variant, BuildResult(Outcome.BUILT, variant.arch, kernels=(kernel,), total_ms=12.0)
    )


@pytest.fixture
def planned():
    builds = (request(cuda(KERNEL)),)
    return variants(MatrixPlan(builds, (Arch(80), Arch(90)), ("", "-O1")))


@pytest.fixture
def model(qapp, planned):
    model = MatrixModel()
    failed = built(planned[2], BuildResult(Outcome.FAILED, Arch(90)))
    rows = (
        row(planned[0], registers=40),
        row(planned[1], registers=24, spill_stores=1200),
        failed,
        MatrixRow(planned[3]),
    )
    model.show_matrix(rows, VIEW)
    return model


def column(model, heading):
    headings = [model.headerData(n, Qt.Orientation.Horizontal) for n in range(model.columnCount())]
    return headings.index(heading)


def texts(model, heading, role=Qt.ItemDataRole.DisplayRole):
    place = column(model, heading)
    return [model.index(n, place).data(role) for n in range(model.rowCount())]


def test_figures_have_their_units_and_unknown_ones_are_empty(model):
    assert texts(model, "Registers") == ["40", "24", "", ""]
    assert texts(model, "Spilled") == ["0 B", "1,200 B", "", ""]
    assert texts(model, "Occupancy") == ["75 %", "100 %", "", ""]
    assert texts(model, "Build") == ["12 ms", "12 ms", "", ""]
    assert texts(model, "Peak live") == ["", "", "", ""]


def test_the_best_of_each_column_is_marked(model):
    assert texts(model, "Registers", MARK_ROLE) == ["", "success", "", ""]
    assert texts(model, "Spilled", MARK_ROLE) == ["success", "", "", ""]
    assert texts(model, "Occupancy", MARK_ROLE) == ["", "success", "", ""]
    assert texts(model, "Shared", MARK_ROLE) == ["", "", "", ""]


def test_a_screen_reader_is_told_what_is_best(model):
    told = texts(model, "Registers", Qt.ItemDataRole.AccessibleTextRole)
    assert told == ["40", "24 (best)", "", ""]


def test_what_failed_is_marked_and_told(model):
    assert texts(model, "Target", MARK_ROLE) == ["", "", "error", ""]
    assert texts(model, "Note") == ["", "", "Build failed.", "waits"]


def test_unknown_figures_are_sorted_last(model):
    known = texts(model, "Registers", SORT_ROLE)
    assert sorted(known)[:2] == [24, 40]
    assert known[2] == known[3] == float("inf")


def test_an_empty_option_set_is_told_in_words(model):
    assert texts(model, "Options") == ["as they are", "-O1", "as they are", "-O1"]


def test_the_link_has_a_column_where_it_varies(model, planned):
    linked = replace(planned[1], link=LinkMode.LTO)
    model.show_matrix((row(planned[0]), row(linked)), VIEW)
    assert texts(model, "Link") == ["alone", "LTO"]
    model.show_matrix((row(planned[0]),), VIEW)
    with pytest.raises(ValueError, match="Link"):
        column(model, "Link")


def test_another_kernel_or_block_shows_other_figures(model, planned):
    rows = (row(planned[0], registers=64), row(planned[1], registers=32))
    model.show_matrix(rows, View("k", 1024))
    assert texts(model, "Occupancy") == ["50 %", "100 %"]
    model.show_matrix(rows, View("other"))
    assert texts(model, "Registers") == ["", ""]
    assert note(rows[0], View("other")) == "without this kernel"


def test_every_figure_explains_itself(model):
    for place in range(2, 2 + len(Figure)):
        assert len(model.index(0, place).data(Qt.ItemDataRole.ToolTipRole)) > 20
