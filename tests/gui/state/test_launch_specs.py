from dataclasses import replace

import pytest

from jitstudio.core.axes import AxisText, VariantDraft
from jitstudio.core.launch.arguments import default_arguments
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.project.project import RunRecording
from jitstudio.gui.state import launch_specs
from jitstudio.gui.state.launch_specs import LaunchSpecs, StepRecordings, VariantDrafts
from tests.gui.launch_kernels import APPLY, FULL, SAXPY, SAXPY_DOUBLE, TICK, N, X, Y


@pytest.fixture
def specs():
    return LaunchSpecs()


def test_a_fresh_kernel_covers_its_first_buffer(specs):
    spec = specs.fitted(SAXPY)
    assert spec.kernel == "saxpy<float>"
    assert spec.arguments == default_arguments(SAXPY)
    assert (spec.cover, spec.grid, spec.block) == ("n", "", "256")


def test_a_fresh_kernel_follows_what_it_declares(specs):
    spec = specs.fitted(APPLY)
    assert (spec.block, spec.cluster) == ("128", "2,1,1")


def test_a_kernel_without_buffers_gets_one_block(specs):
    spec = specs.fitted(TICK)
    assert (spec.arguments, spec.cover, spec.grid) == ((), "", "1")


def test_what_was_typed_comes_back(specs):
    specs.remember(FULL)
    specs.remember(replace(specs.fitted(TICK), grid="7"))
    assert specs.fitted(SAXPY) == FULL
    assert specs.fitted(TICK).grid == "7"


def test_another_signature_keeps_the_texts_of_the_same_names(specs):
    specs.remember(FULL)
    added = replace(APPLY.parameters[1], name="extra")
    changed = specs.fitted(replace(SAXPY, parameters=(N, added, X)))
    assert changed.arguments == (
        ("n", "1024"),
        ("extra", dict(default_arguments(replace(SAXPY, parameters=(added,))))["extra"]),
        ("x", "n:random(1)"),
    )


def test_a_parameter_that_was_gone_has_its_text_again(specs):
    specs.remember(FULL)
    specs.remember(specs.fitted(replace(SAXPY, parameters=(X, Y))))
    assert specs.fitted(SAXPY) == FULL


def test_another_instance_of_a_template_begins_with_the_same(specs):
    specs.remember(FULL)
    assert specs.fitted(SAXPY_DOUBLE) == replace(FULL, kernel="saxpy<double>")
    specs.remember(replace(specs.fitted(SAXPY_DOUBLE), block="32"))
    assert specs.fitted(SAXPY) == FULL


def test_the_last_used_is_the_last(specs):
    for form in (SAXPY, TICK, SAXPY):
        specs.remember(specs.fitted(form))
    assert [spec.kernel for spec in specs.specs] == ["tick", "saxpy<float>"]


def test_the_chosen_kernel_stays_when_others_come(specs):
    specs.set_forms((SAXPY, TICK))
    assert (specs.form, specs.spec.kernel) == (SAXPY, "saxpy<float>")
    specs.choose("tick")
    specs.set_forms((SAXPY, APPLY, TICK))
    assert (specs.form, specs.forms) == (TICK, (SAXPY, APPLY, TICK))
    specs.set_forms(())
    assert specs.form is None
    specs.set_forms((SAXPY, TICK))
    assert specs.form is TICK


def test_only_what_was_not_typed_has_to_be_shown_anew(specs, qtbot):
    with qtbot.waitSignal(specs.replaced), qtbot.waitSignal(specs.changed):
        specs.set_forms((SAXPY, TICK))
    with qtbot.waitSignal(specs.replaced), qtbot.waitSignal(specs.changed):
        specs.choose("tick")
    with qtbot.assertNotEmitted(specs.replaced), qtbot.waitSignal(specs.changed):
        specs.edit(replace(specs.spec, grid="7"))
    assert specs.specs[-1] == specs.spec == replace(specs.fitted(TICK), grid="7")


def test_who_chooses_among_new_kernels_does_so_before_others_look(specs):
    seen = []
    specs.forms_changed.connect(lambda: specs.choose("tick"))
    specs.changed.connect(lambda: seen.append(specs.form))
    specs.set_forms((SAXPY, TICK))
    assert set(seen) == {TICK}


def test_a_launch_waits_for_its_kernel(specs):
    specs.show(FULL)
    assert (specs.form, specs.spec) == (None, FULL)
    specs.set_forms((TICK,))
    assert specs.form is TICK
    specs.set_forms((TICK, SAXPY))
    assert (specs.form, specs.spec) == (SAXPY, FULL)


def test_recordings_that_take_too_much_let_the_first_ones_go(monkeypatch):
    monkeypatch.setattr(launch_specs, "MOST_RECORDED", 100)
    kept = StepRecordings()
    assert [kept.keep_recording(RunRecording(name, bytes(40))) for name in "abcb"] == [
        (),
        (),
        ("a",),
        (),
    ]
    assert [each.kernel for each in kept.recordings] == ["c", "b"]
    assert kept.recording_of("c").kernel == "c"
    assert kept.recording_of("other").kernel == "b"
    kept.remove_recording("b")
    kept.remove_recording("c")
    assert kept.recording_of("c") is None


SPEC = LaunchSpec()
TYPED = VariantDraft("saxpy<{T}>", (AxisText(values="96"),))


def test_a_kernel_that_was_never_swept_gets_a_fresh_draft():
    assert [axis.name for axis in VariantDrafts().of(SAXPY, SPEC).axes] == ["", "T"]


def test_all_instances_of_a_template_share_what_was_typed():
    drafts = VariantDrafts()
    drafts.remember(SAXPY.title, TYPED)
    assert drafts.of(SAXPY, SPEC) == TYPED
    assert drafts.of(SAXPY_DOUBLE, SPEC) == TYPED
    assert drafts.of(TICK, SPEC) != TYPED
