"""The history of key figures: whose run is shown, and whether it is of older code."""

import gc

import pytest

from jitstudio.analysis.key_figures import KeyFigures
from jitstudio.core.arch import Arch
from jitstudio.core.code import Artifact, CodeKind
from jitstudio.core.result import BuildResult, Outcome
from jitstudio.gui.features.figures.model import FigureHistory
from jitstudio.gui.state.outputs import Built
from tests.support import KERNEL, cuda, request

HOLDS, FAILS = KeyFigures(checks=1, failed=0), KeyFigures(checks=1, failed=1)


def built(code=b"code"):
    artifacts = (Artifact(CodeKind.CUBIN, "kernel.cu", code),)
    return Built(request(cuda(KERNEL)), BuildResult(Outcome.BUILT, Arch(90), artifacts=artifacts))


@pytest.fixture
def history():
    return FigureHistory()


def test_a_run_is_of_the_subject_of_its_build(history):
    of_a, of_b = built(), built()
    history.take_build("a", of_a)
    history.take_build("b", of_b)
    history.take_run(of_a, "k", HOLDS)
    assert (history.runs("a", "k"), history.runs("b", "k")) == ((HOLDS,), ())


def test_a_run_of_a_build_that_is_not_the_newest_is_old(history):
    first, second = built(), built(b"other code")
    history.take_build("a", first)
    history.take_build("a", second)
    history.take_run(first, "k", HOLDS)
    assert history.is_run_old("a", "k")
    history.take_run(second, "k", HOLDS)
    assert not history.is_run_old("a", "k")
    assert history.runs("a", "k") == (HOLDS,)


def test_a_run_is_new_again_where_a_build_makes_the_same_code(history):
    first, back = built(), built()
    history.take_build("a", first)
    history.take_run(first, "k", HOLDS)
    history.take_build("a", built(b"other code"))
    assert history.is_run_old("a", "k")
    history.take_build("a", back)
    assert not history.is_run_old("a", "k")


def test_a_run_of_a_kernel_makes_that_of_another_no_newer(history):
    first, second = built(), built(b"other code")
    history.take_build("a", first)
    history.take_run(first, "look", HOLDS)
    history.take_build("a", second)
    history.take_run(second, "other", HOLDS)
    assert history.is_run_old("a", "look")
    assert not history.is_run_old("a", "other")
    assert not history.is_run_old("a", "never run")


def test_the_last_two_runs_that_differ_are_kept(history):
    code = built()
    history.take_build("a", code)
    for figures in (HOLDS, FAILS, FAILS, HOLDS):
        history.take_run(code, "k", figures)
    assert history.runs("a", "k") == (FAILS, HOLDS)


def test_a_run_that_ends_after_its_text_is_closed_is_dropped(history):
    code = built()
    history.take_build("a", code)
    history.forget("a")
    history.take_run(code, "k", HOLDS)
    assert history.runs("a", "k") == ()
    assert not history._trails


def test_a_build_that_nobody_has_any_more_is_let_go(history):
    history.take_build("a", built())
    history.take_build("a", built())
    gc.collect()
    assert len(history._trails["a"].builds) == 1
