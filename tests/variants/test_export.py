"""Tables of variants as the command line and the clipboard give them."""

import csv
import io
import json
from dataclasses import replace

import pytest

from jitstudio.core.arch import Arch
from jitstudio.core.axes import Axis, AxisKind
from jitstudio.core.code import CodeKind
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.result import BuildResult, Kernel, Outcome, Resources
from jitstudio.variants import export, sites
from jitstudio.variants.engine import VariantRun
from jitstudio.variants.plan import VariantPlan, expand, parse_option_sets, parse_targets
from jitstudio.variants.rows import VariantFigure, VariantRow, VariantTable, VariantView, value
from tests.support import GOOD, request, sample
from tests.variants.plans import HUNGRY

AXES = (Axis(AxisKind.BLOCK, ("64", "128", "256", "512")),)
VARIANTS = expand(VariantPlan(AXES, GOOD, LaunchSpec(kernel="fine")))
BUILT = BuildResult(
    Outcome.BUILT, Arch(90), kernels=(Kernel("k.cu", "fine", "fine", Resources(16, 0)),)
)
TARGETS = VariantPlan(
    (parse_targets("sm_80 sm_90 sm_20"), parse_option_sets(["", "-maxrregcount=24", "-DN=|"])),
    replace(request(HUNGRY), emit=frozenset({CodeKind.CUBIN}), use_cache=False),
    launches=False,
)


def launched():
    fast, wrong, best, failed = VARIANTS
    ran = VariantRow(fast, "ran", result=BUILT, kernel="fine", device="H200")
    rows = (
        replace(ran, median_ms=0.5),
        VariantRow(wrong, "wrong", median_ms=0.1, check=False, message="12 are wrong."),
        replace(ran, variant=best, median_ms=0.25, check=True),
        VariantRow(failed, "build-failed", "Build failed, line 1: no."),
    )
    return VariantTable(AXES, rows)


def carried_out(plan, **more):
    with sites.timing() as here:
        return VariantRun(plan, here, reads=True, **more).run()


@pytest.fixture(scope="module")
def targets():
    return carried_out(TARGETS)


@pytest.fixture(scope="module")
def links():
    build = request(sample("apply_transform.cu"), sample("user_transform.cu"), emit="cubin")
    axes = (Axis(AxisKind.LINK, ("ptx", "lto")),)
    build = replace(build, use_cache=False)
    return carried_out(VariantPlan(axes, build, launches=False)).rows


def test_the_best_is_the_fastest_that_ran_and_passed():
    assert launched().best == 2


def test_without_a_time_nothing_is_best():
    untimed = VariantRow(VARIANTS[0], "ran", check=True)
    assert VariantTable(AXES, (untimed, *launched().rows[3:])).best is None


def test_csv_has_a_line_per_variant_and_leaves_unknown_cells_empty():
    read = list(csv.DictReader(io.StringIO(export.sweep_csv(launched()))))
    assert [row["block"] for row in read] == ["64", "128", "256", "512"]
    assert [row["best"] for row in read] == ["False", "False", "True", "False"]
    assert read[1]["check"] == "False"
    assert (read[2]["median_ms"], read[2]["registers"]) == ("0.25", "16")
    assert read[3] | {"message": ""} == dict.fromkeys(read[3], "") | {
        "block": "512",
        "outcome": "build-failed",
        "best": "False",
    }


def test_json_has_the_axes_and_the_best():
    found = json.loads(json.dumps(export.sweep_object(launched())))
    assert (found["ok"], found["best"]) == (True, 2)
    assert found["axes"] == [
        {"kind": "block", "name": "block", "values": ["64", "128", "256", "512"]}
    ]
    second = found["variants"][1]
    assert (second["label"], second["values"]) == ("block=128", ["128"])
    assert second["occupancy"] is None


@pytest.mark.tools
@pytest.mark.bench
def test_every_figure_is_known_of_what_was_built(targets):
    for row in targets.rows[:6]:
        found = {f: value(f, row, VariantView("hungry")) for f in export.COMPARED_FIGURES}
        assert None not in found.values(), found
        assert found[VariantFigure.SHARED] == 256
        assert found[VariantFigure.LIVE] <= found[VariantFigure.REGISTERS] + 1
        assert 0 < found[VariantFigure.OCCUPANCY] <= 1
        assert found[VariantFigure.CODE] >= 16 * found[VariantFigure.INSTRUCTIONS]
        assert not row.result.artifacts


@pytest.mark.tools
def test_a_target_that_cannot_be_built_says_why(targets):
    failed = targets.rows[6]
    assert failed.outcome == "build-failed"
    assert failed.message.startswith("Build failed")
    assert all(value(f, failed, VariantView("hungry")) is None for f in VariantFigure)


@pytest.mark.tools
def test_the_table_of_all_that_is_known(targets):
    read = list(csv.DictReader(io.StringIO(export.to_csv(targets, VariantView("hungry")))))
    assert [row["target"] for row in read] == ["sm_80"] * 3 + ["sm_90"] * 3 + ["sm_20"] * 3
    assert read[1]["options"] == "-maxrregcount=24"
    of_row = value(VariantFigure.REGISTERS, targets.rows[1], VariantView("hungry"))
    assert read[1]["registers"] == str(of_row)
    assert "median ms" not in read[0]
    assert (read[6]["registers"], read[6]["problem"]) == ("", targets.rows[6].message)


@pytest.mark.tools
def test_markdown_marks_the_best(targets):
    heading, sides, *lines = export.to_markdown(targets, VariantView("hungry")).splitlines()
    assert heading.startswith("| target | options | registers | spilled bytes |")
    assert sides.startswith("| --- | --- | ---: |")
    # The fewest registers are bought by spills.
    assert [line for line in lines if "| 24 | 1256 |" in line] == [lines[1], lines[4]]
    assert [line for line in lines if "| **0** |" in line] == [*lines[:3:2], *lines[3:6:2]]
    assert "-DN=\\|" in lines[2]
    assert len(lines) == 9


@pytest.mark.tools
def test_lto_inlines_what_the_ptx_link_calls(links):
    figures = {(f.subject, f.name): (f.ptx, f.lto) for f in export.link_figures(*links)}
    assert figures["user_transform", "instructions"][0] == 2
    assert figures["user_transform", "instructions"][1] is None
    called, inlined = figures["apply_transform", "instructions"]
    assert 0 < inlined < called
    for name in ("cubin, bytes", "link, ms", "whole build, ms"):
        assert all(number > 0 for number in figures["", name]), name


def test_a_link_that_failed_leaves_gaps():
    axes = (Axis(AxisKind.LINK, ("ptx", "lto")),)
    both = (
        VariantRow(v, "build-failed", result=BuildResult(Outcome.FAILED, Arch(90)))
        for v in expand(VariantPlan(axes, GOOD, launches=False))
    )
    assert [figure.name for figure in export.link_figures(*both)] == ["whole build, ms"]
