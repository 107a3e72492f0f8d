import csv
import io
from dataclasses import replace

import pytest

from jitstudio.analysis.matrix.rows import MatrixRow, kernels_in
from jitstudio.analysis.matrix.table import Figure, View, best, to_csv, to_markdown, value
from jitstudio.analysis.occupancy.kernel import occupancy_at
from jitstudio.core.arch import Arch
from jitstudio.core.result import Resources
from tests.analysis.matrix.matrices import carried_out, plan

pytestmark = pytest.mark.tools

VIEW = View("hungry", 256)


@pytest.fixture(scope="module")
def rows():
    return carried_out(plan("sm_80", "sm_90", "sm_20", options=("", "-maxrregcount=24", "-DN=|")))


def test_every_figure_is_known_of_what_was_built(rows):
    for row in rows[:6]:
        found = {figure: value(figure, row, VIEW) for figure in Figure}
        assert None not in found.values(), found
        assert found[Figure.SHARED] == 256
        assert found[Figure.LIVE] <= found[Figure.REGISTERS] + 1
        assert 0 < found[Figure.OCCUPANCY] <= 1
        assert found[Figure.CODE] >= 16 * found[Figure.INSTRUCTIONS]


def test_fewer_registers_spill_and_fit_more_often(rows):
    free, bound = rows[3], rows[4]
    assert value(Figure.REGISTERS, bound, VIEW) <= 24 < value(Figure.REGISTERS, free, VIEW)
    assert value(Figure.SPILLED, bound, VIEW) > 0 == value(Figure.SPILLED, free, VIEW)
    assert value(Figure.OCCUPANCY, bound, VIEW) > value(Figure.OCCUPANCY, free, VIEW)
    assert best(Figure.OCCUPANCY, rows, VIEW) == value(Figure.OCCUPANCY, bound, VIEW)
    assert best(Figure.SPILLED, rows, VIEW) == 0


def test_a_figure_that_does_not_differ_has_no_best(rows):
    assert best(Figure.SHARED, rows, VIEW) is None
    assert best(Figure.REGISTERS, rows[:1], VIEW) is None


def test_a_target_that_cannot_be_built_says_why_in_its_row(rows):
    failed = rows[6]
    assert failed.failed
    assert failed.problem.startswith("Build failed")
    assert [value(figure, failed, VIEW) for figure in Figure] == [None] * len(Figure)


def test_the_kernels_are_those_of_all_rows(rows):
    assert kernels_in(rows) == {"hungry": "hungry"}
    assert value(Figure.REGISTERS, rows[0], View("other")) is None


def test_csv_has_a_line_per_variant(rows):
    lines = list(csv.DictReader(io.StringIO(to_csv(rows, VIEW))))
    assert [line["target"] for line in lines] == ["sm_80"] * 3 + ["sm_90"] * 3 + ["sm_20"] * 3
    assert lines[1]["options"] == "-maxrregcount=24"
    assert int(lines[1]["registers"]) == value(Figure.REGISTERS, rows[1], VIEW)
    assert lines[6]["registers"] == ""
    assert lines[6]["problem"] == rows[6].problem


def test_markdown_marks_the_best(rows):
    heading, sides, *lines = to_markdown(rows, VIEW).splitlines()
    assert heading.startswith("| target | options | link | registers | spilled bytes |")
    assert sides.count("---:") == len(Figure)
    fewest = min(value(Figure.REGISTERS, row, VIEW) for row in rows[:6])
    assert f"| **{fewest}** |" in "\n".join(lines)
    assert "-DN=\\|" in lines[2]
    assert len(lines) == len(rows)


def test_a_row_that_waits_is_empty(rows):
    waiting = MatrixRow(rows[0].variant)
    assert waiting.is_waiting
    assert not waiting.failed
    assert waiting.cubin == b""
    assert to_csv([waiting], VIEW).splitlines()[1] == "sm_80,,alone,,,,,,,,,"


def test_occupancy_is_unknown_where_the_block_is_too_large_or_the_target_unknown():
    needs = Resources(registers=32, max_threads=128)
    assert occupancy_at(Arch(90), needs, 128) == 1
    assert occupancy_at(Arch(90), needs, 256) is None
    assert occupancy_at(Arch(20), needs, 128) is None
    assert occupancy_at(Arch(90), replace(needs, registers=None), 128) is None
