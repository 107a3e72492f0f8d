from jitstudio.core.axes import AxisText, VariantDraft
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.gui.state.launch_specs import VariantDrafts
from tests.gui.launch_kernels import SAXPY, SAXPY_DOUBLE, TICK

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
