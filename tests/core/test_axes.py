from dataclasses import replace

import pytest

from jitstudio.core.axes import (
    Axis,
    AxisKind,
    AxisText,
    VariantDraft,
    VariantError,
    fresh_draft,
    generic_name,
)
from jitstudio.core.launch.spec import LaunchSpec
from tests.core.launch.forms import SAXPY

SPEC = LaunchSpec(kernel="saxpy<float>")


@pytest.mark.parametrize(
    ("typed", "axis"),
    [
        (AxisText(values="64, 128"), Axis(AxisKind.BLOCK, ("64", "128"))),
        (AxisText(values="16,16; 32,8"), Axis(AxisKind.BLOCK, ("16,16", "32,8"))),
        (AxisText(AxisKind.MACRO, " N ", "1,2"), Axis(AxisKind.MACRO, ("1", "2"), "N")),
        (AxisText(AxisKind.OPTIONS, "", "; -G"), Axis(AxisKind.OPTIONS, ("", "-G"))),
        (AxisText(AxisKind.OPTIONS, "", "  "), Axis(AxisKind.OPTIONS, ("",))),
        # What was typed before another kind was chosen is of no meaning.
        (AxisText(AxisKind.BLOCK, "T", "64"), Axis(AxisKind.BLOCK, ("64",))),
    ],
)
def test_texts_are_read_as_on_the_command_line(typed, axis):
    assert typed.axis() == axis


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (AxisText(), "The axis 'block' has no values."),
        (AxisText(AxisKind.TEMPLATE, "", "float"), "Name the template parameter"),
        (AxisText(AxisKind.MACRO, "2N", "1"), "'2N' cannot be the name of any macro."),
        (AxisText(AxisKind.ARGUMENT, "n", ","), "The axis 'n' has no values."),
    ],
)
def test_what_is_incomplete_is_told(typed, message):
    with pytest.raises(VariantError, match=message):
        typed.axis()


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("saxpy<float>", "saxpy<{T}>"),
        ("math::scale<unsigned int, 4>", "math::scale<{T}, 4>"),
        ("reduce<256>", "reduce<256>"),
        ("apply<Op<float>>", "apply<Op<float>>"),
        ("twice", "twice"),
    ],
)
def test_a_type_of_numbers_is_what_can_be_varied(title, name):
    assert generic_name(title) == name


def test_a_fresh_draft_varies_blocks_and_types():
    blocks = AxisText(AxisKind.BLOCK, "", "64, 128, 256, 512")
    types = AxisText(AxisKind.TEMPLATE, "T", "float, double")
    assert fresh_draft(SAXPY, SPEC) == VariantDraft("saxpy<{T}>", (blocks, types))
    plain = replace(SAXPY, title="saxpy")
    assert fresh_draft(plain, SPEC) == VariantDraft("saxpy", (blocks,))


def test_a_fresh_draft_has_the_type_that_is_there():
    halves = fresh_draft(replace(SAXPY, title="saxpy<__half>"), SPEC)
    assert halves.axes[1].values == "__half, float, double"


def test_a_fresh_draft_keeps_to_the_limits_of_the_kernel():
    assert fresh_draft(replace(SAXPY, block_hint=128), SPEC).axes[0].values == "64, 128"
    assert fresh_draft(replace(SAXPY, block_hint=32), SPEC).axes[0].values == "32"
    flat = fresh_draft(SAXPY, replace(SPEC, block="16,16")).axes[0].axis()
    assert flat.values == ("16,16", "32,8", "32,16", "32,32")
