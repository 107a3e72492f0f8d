from dataclasses import replace
from datetime import datetime

import pytest

from jitstudio.analysis.diff.model import Change, compare_lines
from jitstudio.analysis.diff.program import FIGURES, FigureDelta
from jitstudio.analysis.sass.model import Disassembly
from jitstudio.core.arch import Arch
from jitstudio.core.code import Artifact, CodeKind
from jitstudio.core.request import LinkMode
from jitstudio.core.result import BuildResult, Outcome
from jitstudio.gui.features.compare.model import (
    DELTA_COLUMNS,
    ComparedBuild,
    CompareMode,
    build_name,
    compare,
    count_text,
    difference_titles,
    figure_title,
    what_differs,
)
from jitstudio.gui.listing.padded_text import next_hunk
from tests.support import cuda, request

AT = datetime(2026, 1, 2, 12, 30, 5)
LATER = datetime(2026, 1, 2, 12, 31, 0)
PLAIN = replace(request(cuda("")), arch=Arch(90))
FAST = replace(PLAIN, options=("--use_fast_math", "-D", "N=1"))


def test_a_name_tells_target_options_and_time():
    assert build_name(FAST, AT) == (
        f"{FAST.sources[0].name}, sm_90, --use_fast_math -D N=1, 12:30:05"
    )
    assert build_name(replace(PLAIN, link=LinkMode.LTO), AT) == "LTO link, sm_90, 12:30:05"
    other = replace(FAST, link=LinkMode.PTX, options=(), toolchain="/at/cuda-13.0")
    assert build_name(other, AT) == "PTX link, sm_90, cuda-13.0, 12:30:05"


@pytest.mark.parametrize(
    ("one", "other", "told", "other_told"),
    [
        (PLAIN, PLAIN, "", ""),
        (PLAIN, FAST, "without --use_fast_math -D N=1", "--use_fast_math -D N=1"),
        (FAST, replace(FAST, options=("--use_fast_math", "-DN=2")), "-D N=1", "-DN=2"),
        (PLAIN, replace(PLAIN, arch=Arch(100)), "sm_90", "sm_100"),
        (PLAIN, replace(PLAIN, toolchain="/at/cuda-13.0"), "own compilers", "cuda-13.0"),
        (PLAIN, replace(PLAIN, link=LinkMode.PTX), PLAIN.sources[0].name, "PTX link"),
    ],
)
def test_both_say_what_only_they_have(one, other, told, other_told):
    assert (what_differs(one, other), what_differs(other, one)) == (told, other_told)


def test_titles_tell_what_differs_and_when_it_was_built():
    assert difference_titles(PLAIN, AT, FAST, LATER) == (
        "Baseline: without --use_fast_math -D N=1, 12:30:05",
        "Now: --use_fast_math -D N=1, 12:31:00",
    )
    assert difference_titles(PLAIN, AT, PLAIN, LATER) == ("Baseline: 12:30:05", "Now: 12:31:00")


def side(source, ptx=""):
    artifacts = (Artifact(CodeKind.PTX, "kernel.cu", ptx.encode()),)
    return ComparedBuild(
        request(cuda(source)), BuildResult(Outcome.BUILT, Arch(90), artifacts=artifacts)
    )


def test_both_halves_have_a_row_for_each_line_of_either():
    compared = compare(CompareMode.SOURCE, side("a\nb\nc"), side("a\nc\nd"))
    assert compared.left.lines == ("a", "b", "c", "")
    assert compared.right.lines == ("a", "", "c", "d")
    assert [compared.left.number(row) for row in range(4)] == [1, 2, 3, 0]
    assert [compared.right.number(row) for row in range(4)] == [1, 0, 2, 3]
    assert compared.left.change(1) is Change.REMOVED
    assert compared.left.kind is CodeKind.CUDA
    assert compared.deltas == ()
    # Not by colour alone.
    assert [compared.left.sign(row) for row in range(4)] == ["", "\N{MINUS SIGN}", "", ""]
    assert [compared.right.sign(row) for row in range(4)] == ["", "", "", "+"]


def test_what_differs_in_a_line_is_known_of_each_half():
    compared = compare(CompareMode.PTX, side("", "mov.u32 %r1, 5;"), side("", "mov.u32 %r12, 5;"))
    assert compared.left.kind is CodeKind.PTX
    assert compared.left.marks(0) == ((9, 11),)
    assert compared.right.marks(0) == ((9, 12),)
    assert compared.right.extent.widest == len("mov.u32 %r12, 5;")


def test_names_of_both_sides_are_spelt_so_that_they_differ():
    left = side("", "call _Z5scaleIfEvPT_i, 1;\ncall _Z4plusv;")
    right = side("", "call _Z5scaleIdEvPT_i, 2;\ncall _Z4plusv;")
    compared = compare(CompareMode.PTX, left, right)
    assert compared.spelt({"_Z4plusv": "plus()"}).left.lines == compared.left.lines
    known = {
        "_Z5scaleIfEvPT_i": "void scale<float>(float*, int)",
        "_Z5scaleIdEvPT_i": "void scale<double>(double*, int)",
        "_Z4plusv": "plus()",
    }
    spelt = compared.spelt(known)
    assert spelt.left.lines == ("call scale<float>, 1;", "call plus;")
    assert spelt.right.lines == ("call scale<double>, 2;", "call plus;")
    # What was compared differs, where it is shown.
    assert [spelt.left.lines[0][slice(*at)] for at in spelt.left.marks(0)] == ["scale<float>", "1"]
    assert spelt.spelt({}).left.lines == compared.left.lines


@pytest.mark.parametrize("matter", [CompareMode.SASS, CompareMode.NORMALISED])
def test_another_target_is_one_difference_at_the_top(matter):
    left, right = (replace(side(""), code=Disassembly(sm, ())) for sm in ("sm_80", "sm_86"))
    compared = compare(matter, left, right)
    assert (compared.left.lines, compared.right.lines) == ((".target sm_80",), (".target sm_86",))
    assert count_text(compared.comparison) == "1 difference"
    assert compare(matter, left, left).comparison.rows == ()


def test_an_empty_text_can_be_compared():
    compared = compare(CompareMode.PTX, side("", ""), side("", "ret;"))
    assert compared.left.lines == ("",)
    assert compared.left.number(0) == 0


@pytest.mark.parametrize(
    ("right", "words"),
    [
        ("a b c d", "No difference"),
        ("a b c x", "1 difference"),
        ("x b y d", "2 differences"),
    ],
)
def test_differences_are_counted_in_words(right, words):
    assert count_text(compare_lines(["a", "b", "c", "d"], right.split())) == words


def test_behind_the_last_difference_comes_the_first_again():
    comparison = compare_lines("abcdef", "aXcdYf")
    assert next_hunk(comparison, 0, forward=True) == 1
    assert next_hunk(comparison, 1, forward=True) == 4
    assert next_hunk(comparison, 4, forward=True) == 1
    assert next_hunk(comparison, 4, forward=False) == 1
    assert next_hunk(comparison, 1, forward=False) == 4
    assert next_hunk(compare_lines("a", "a"), 0, forward=True) is None


def test_every_figure_has_a_title_of_its_own():
    titles = {figure_title(figure) for figure in FIGURES}
    assert len(titles) == len(FIGURES)
    assert not any("_" in title for title in titles)


@pytest.mark.parametrize(
    ("left", "right", "cells"),
    [
        (24, 10, ["k", "Registers", "24", "10", "-14"]),
        (1000, 2500, ["k", "Registers", "1,000", "2,500", "+1,500"]),
        (None, 7, ["k", "Registers", "", "7", ""]),
    ],
)
def test_the_table_tells_the_change_with_its_sign(left, right, cells):
    delta = FigureDelta("k", "registers", left, right)
    assert [column.text(delta) for column in DELTA_COLUMNS] == cells
