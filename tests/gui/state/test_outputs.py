from dataclasses import replace

import pytest

from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind, Source
from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.core.request import BuildRequest
from jitstudio.core.result import BuildResult, Outcome
from jitstudio.gui.services.build_service import Listing
from jitstudio.gui.state.outputs import Absence, Built, Outputs

PTX = Listing(CodeKind.PTX, "k.cu", (".version 9.0",))
SASS = Listing(CodeKind.SASS, "k.cu", ("EXIT",))
REQUEST = BuildRequest((Source("k.cu", CodeKind.CUDA, b""),), Arch(90))
BUILT = BuildResult(Outcome.BUILT, Arch(90))
ERROR = Diagnostic(Severity.ERROR, "k.cu", 3, None, "expected a ';'\nhere")
FAILED = BuildResult(Outcome.FAILED, Arch(90), diagnostics=(ERROR, ERROR))


@pytest.fixture
def outputs():
    """Outputs looked at for the subject that most tests build."""
    outputs = Outputs()
    outputs.show_subject("k")
    return outputs


def shown(outputs, kind=CodeKind.PTX):
    return outputs.output(kind).listings


def test_nothing_is_shown_before_a_build(outputs):
    assert shown(outputs) == ()
    assert outputs.output(CodeKind.SASS).absence is Absence.NOTHING_BUILT
    assert outputs.result is None


def test_other_code_with_the_same_hash_is_other_code():
    assert hash((-1,)) == hash((-2,))
    one, other = (Built(REQUEST, replace(BUILT, artifacts=(number,))) for number in (-1, -2))
    assert not one.has_code_of(other)
    assert one.has_code_of(replace(one))
    # Options do not make other code by themselves, neither of the build nor of a module.
    (source,) = REQUEST.sources
    own = replace(REQUEST, sources=(replace(source, options=("-DUNUSED",)),))
    assert one.is_same_as(replace(one, request=own))


def test_a_build_is_shown_and_told(outputs, qtbot):
    kinds = []
    outputs.changed.connect(kinds.append)
    with qtbot.waitSignal(outputs.result_changed) as told:
        outputs.publish("k", BUILT, (PTX, SASS))
    assert kinds == [CodeKind.PTX, CodeKind.SASS, CodeKind.TILEIR]
    assert told.args == [BUILT]
    assert shown(outputs) == (PTX,)
    assert shown(outputs, CodeKind.SASS) == (SASS,)
    assert outputs.old_reason is None
    assert outputs.result is BUILT


def test_a_failed_build_keeps_the_last_good_output_and_says_why(outputs):
    outputs.publish("k", BUILT, (PTX, SASS))
    outputs.publish("k", FAILED, ())
    assert shown(outputs) == (PTX,)
    assert outputs.old_reason.failed is FAILED
    assert outputs.old_reason.built_at is not None
    outputs.publish("k", BUILT, (PTX, SASS))
    assert outputs.old_reason is None


def test_the_last_good_build_is_kept_for_each_subject(outputs):
    outputs.publish("k", BUILT, (), REQUEST)
    outputs.publish("k", FAILED, (), REQUEST)
    good = outputs.good
    assert (good.request, good.result) == (REQUEST, BUILT)
    outputs.publish("other", FAILED, (), REQUEST)
    outputs.show_subject("other")
    assert outputs.good is None
    outputs.show_subject("k")
    assert outputs.good is good


def test_a_first_build_that_fails_says_why_where_nothing_can_be_shown(outputs):
    outputs.publish("k", FAILED, ())
    output = outputs.output(CodeKind.PTX)
    assert output.absence is Absence.FAILED
    assert output.reason == "Build failed, line 3: expected a ';' (and 1 more)."


@pytest.mark.parametrize(
    "outcome", [outcome for outcome in Outcome if outcome is not Outcome.BUILT]
)
def test_every_way_to_end_has_words(outputs, outcome):
    outputs.publish("k", BUILT, (PTX,))
    outputs.publish("k", BuildResult(outcome, Arch(90)), ())
    head = outputs.old_reason.failed.reason.partition(".")[0]
    assert len(head) > 10
    assert head != "The build ended early"


def test_an_error_without_words_does_no_harm(outputs):
    silent = replace(FAILED, diagnostics=(replace(ERROR, message=""),))
    outputs.publish("k", silent, ())
    assert outputs.output(CodeKind.PTX).reason.startswith("Build failed, line 3:")


def test_what_a_failed_build_has_made_all_the_same_is_new(outputs):
    outputs.publish("k", BUILT, (PTX, SASS))
    newer = replace(PTX, lines=("newer",))
    outputs.publish("k", FAILED, (newer,))
    assert shown(outputs) == (newer,)
    assert not outputs.output(CodeKind.PTX).old
    assert outputs.output(CodeKind.SASS).old == {"k.cu"}
    assert outputs.old_reason


def test_the_figures_stay_those_of_the_last_good_build(outputs):
    outputs.publish("k", FAILED, (), REQUEST)
    assert (outputs.shown_result, outputs.is_behind) == (FAILED, False)
    outputs.publish("k", BUILT, (PTX,), REQUEST)
    assert (outputs.shown_result, outputs.is_behind) == (BUILT, False)
    outputs.publish("k", FAILED, (), REQUEST)
    assert (outputs.shown_result, outputs.is_behind) == (BUILT, True)


def test_what_was_edited_and_not_built_is_old_until_it_is_built(outputs):
    outputs.publish("other", BUILT, (PTX,), replace(REQUEST, sources=()))
    outputs.publish("k", BUILT, (PTX, SASS), REQUEST)
    outputs.mark_edited("elsewhere.cu")
    assert outputs.old_reason is None
    outputs.mark_edited("k.cu")
    assert outputs.output(CodeKind.SASS).old == {"k.cu"}
    assert (outputs.old_reason.failed, outputs.old_reason.built_at is None) == (None, False)
    assert outputs.is_behind
    newer = replace(PTX, lines=("newer",))
    outputs.add("k", (newer,))
    assert [bool(outputs.output(kind).old) for kind in (CodeKind.PTX, CodeKind.SASS)] == [0, 1]
    outputs.publish("k", BUILT, (newer, SASS), REQUEST)
    assert (outputs.old_reason, outputs.is_behind) == (None, False)
    outputs.show_subject("other")
    assert outputs.old_reason is None


def test_a_build_that_makes_no_ptx_says_so(outputs):
    outputs.publish("k", BUILT, (PTX, SASS))
    outputs.publish("k", BUILT, (SASS,))
    assert shown(outputs) == ()
    assert outputs.output(CodeKind.PTX).absence is Absence.NOT_MADE


def test_each_tab_has_its_own_last_result(outputs, qtbot):
    outputs.publish("a", BUILT, (PTX,))
    other = replace(PTX, name="b.cu")
    outputs.publish("b", FAILED, (other,))
    with qtbot.waitSignal(outputs.result_changed) as told:
        outputs.show_subject("a")
    assert told.args == [BUILT]
    assert shown(outputs) == (PTX,)
    with qtbot.assertNotEmitted(outputs.changed):
        outputs.show_subject("a")


def test_a_tab_that_was_never_built_shows_nothing(outputs, qtbot):
    outputs.publish("a", BUILT, (PTX,))
    with qtbot.waitSignal(outputs.result_changed) as told:
        outputs.show_subject("b")
    assert told.args == [None]
    assert shown(outputs) == ()


def test_a_closed_tab_is_forgotten(outputs):
    outputs.publish("a", BUILT, (PTX,))
    outputs.forget("a")
    outputs.show_subject("b")
    outputs.show_subject("a")
    assert shown(outputs) == ()


def test_every_subject_is_told_of_that_is_forgotten(outputs):
    gone = []
    outputs.forgotten.connect(gone.append)
    for subject in ("a", "b", "c"):
        outputs.publish(subject, BUILT, ())
    outputs.forget("a")
    outputs.forget("a")
    assert gone == ["a"]
    outputs.clear()
    assert gone == ["a", "b", "c"]


def test_what_is_looked_at_and_gone_is_shown_no_more(outputs, qtbot):
    outputs.publish("k", BUILT, (PTX,))
    with qtbot.waitSignals([outputs.changed, outputs.result_changed, outputs.forgotten]):
        outputs.forget("k")
    assert shown(outputs) == ()
    assert outputs.result is None


def test_ptx_is_shown_before_the_build_has_ended(outputs, qtbot):
    outputs.publish("k", BUILT, (PTX, SASS))
    newer = replace(PTX, lines=("newer",))
    with qtbot.waitSignal(outputs.changed) as told:
        outputs.add("k", (newer,))
    assert told.args == [CodeKind.PTX]
    assert shown(outputs) == (newer,)
    assert shown(outputs, CodeKind.SASS) == (SASS,)


def test_a_build_of_something_else_is_kept_for_later(outputs, qtbot):
    outputs.publish("k", BUILT, (PTX,))
    with qtbot.assertNotEmitted(outputs.changed), qtbot.assertNotEmitted(outputs.result_changed):
        outputs.publish("other", FAILED, (SASS,))
    assert shown(outputs) == (PTX,)
    assert outputs.result is BUILT
    outputs.show_subject("other")
    assert shown(outputs, CodeKind.SASS) == (SASS,)
    assert outputs.result is FAILED


def test_of_a_failed_link_each_module_that_was_not_made_anew_stays_and_is_old(outputs):
    other = replace(PTX, name="b.cu")
    outputs.publish("k", BUILT, (PTX, other))
    newer = replace(PTX, lines=("newer",))
    outputs.add("k", (newer,))
    outputs.publish("k", FAILED, (newer,))
    output = outputs.output(CodeKind.PTX)
    assert output.listings == (newer, other)
    assert output.old == {"b.cu"}
    assert outputs.old_reason.failed is FAILED
    outputs.add("k", (replace(other, lines=("newer",)),))
    assert outputs.output(CodeKind.PTX).old == frozenset()


def test_a_listing_of_a_build_that_goes_on_or_has_failed_is_not_of_the_good_one(outputs):
    outputs.publish("k", BUILT, (PTX, SASS), REQUEST)
    assert outputs.is_good(SASS)
    assert not outputs.is_unfinished
    newer = replace(SASS, lines=("NOP", "EXIT"))
    outputs.add("k", (newer,))
    assert shown(outputs, CodeKind.SASS) == (newer,)
    assert (outputs.is_good(newer), outputs.is_unfinished) == (False, True)
    outputs.publish("k", FAILED, (newer,), REQUEST)
    assert (outputs.is_good(newer), outputs.is_unfinished) == (False, False)
    outputs.publish("k", BUILT, (newer,), REQUEST)
    assert (outputs.is_good(newer), outputs.is_good(SASS)) == (True, False)
    outputs.show_subject("other")
    assert not outputs.is_good(newer)
