import csv
import io

from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.sweep.plan import Axis, AxisKind, SweepPlan, expand
from jitstudio.core.sweep.result import SweepResult, VariantResult
from tests.support import GOOD

AXES = (Axis(AxisKind.BLOCK, ("64", "128", "256", "512")),)
VARIANTS = expand(SweepPlan(AXES, GOOD, LaunchSpec(kernel="fine")))


def rows():
    fast, wrong, best, failed = VARIANTS
    return (
        VariantResult(fast, "ran", registers=16, median_ms=0.5, device="H200"),
        VariantResult(wrong, "wrong", median_ms=0.1, check=False, message="12 are wrong."),
        VariantResult(best, "ran", registers=16, median_ms=0.25, check=True, device="H200"),
        VariantResult(failed, "build-failed", "Build failed, line 1: no."),
    )


def test_the_best_is_the_fastest_that_ran_and_passed():
    assert SweepResult(AXES, rows()).best == 2


def test_without_a_time_nothing_is_best():
    untimed = VariantResult(VARIANTS[0], "ran", check=True)
    assert SweepResult(AXES, (untimed, *rows()[3:])).best is None


def test_csv_has_a_line_per_variant_and_leaves_unknown_cells_empty():
    read = list(csv.DictReader(io.StringIO(SweepResult(AXES, rows()).to_csv())))
    assert [row["block"] for row in read] == ["64", "128", "256", "512"]
    assert [row["best"] for row in read] == ["False", "False", "True", "False"]
    assert read[1]["check"] == "False"
    assert read[2]["median_ms"] == "0.25"
    assert read[3] | {"message": ""} == dict.fromkeys(read[3], "") | {
        "block": "512",
        "outcome": "build-failed",
        "best": "False",
    }
