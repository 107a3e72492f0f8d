import json
from dataclasses import fields

import pytest

from jitstudio.core.launch.spec import LaunchSpec, spec_from, spec_object
from tests.gui.launch_kernels import FULL


@pytest.mark.parametrize("spec", [FULL, LaunchSpec()])
def test_a_launch_survives_json(spec):
    assert spec_from(json.loads(json.dumps(spec_object(spec)))) == spec


def test_every_field_is_saved():
    assert set(spec_object(FULL)) == {field.name for field in fields(LaunchSpec)}
    unlike = {f.name for f in fields(LaunchSpec) if getattr(FULL, f.name) != f.default}
    # A form has either a grid or a cover.
    assert unlike == {field.name for field in fields(LaunchSpec)} - {"cover"}


def test_what_a_file_does_not_say_stands_as_at_first():
    assert spec_from({"kernel": "k", "of a newer version": 1}) == LaunchSpec(kernel="k")


@pytest.mark.parametrize(
    "damage",
    [
        {"block": 256},
        {"load": "disk"},
        {"warmup": "many"},
        {"warmup": True},
        {"cooperative": "yes"},
        {"arguments": ["n"]},
        {"arguments": {"n": 1}},
        {"sanitizer": "soap"},
        {"expectations": 3},
        {"expectations": "y = x"},
        {"relative": None},
    ],
)
def test_what_is_damaged_is_not_taken(damage):
    with pytest.raises((ValueError, TypeError, AttributeError)):
        spec_from(spec_object(FULL) | damage)
