"""The schemas of the JSON output. All tests of commands validate what these print against them."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from jitstudio.core.code import EMITTED_KINDS
from jitstudio.core.diagnostics import FixKind, Severity
from jitstudio.core.launch.result import LaunchOutcome
from jitstudio.core.options import OptionEffect, ValueKind
from jitstudio.core.project.format import dump, load
from jitstudio.core.result import Outcome
from tests.schemas import NAMES, schema, violations
from tests.support import ROOT

COMMON = schema("common")["$defs"]
OPTION = schema("options")["properties"]["options"]["items"]["properties"]


@pytest.mark.parametrize("name", NAMES)
def test_each_file_is_a_schema_that_describes_every_field(name):
    content = schema(name)
    Draft202012Validator.check_schema(content)
    assert content["$schema"].endswith("/2020-12/schema")
    assert list(_undescribed(content)) == []


def _undescribed(part, where=""):
    if isinstance(part, dict):
        fields = part.get("properties", {})
        for key, value in fields.items() if isinstance(fields, dict) else ():
            if isinstance(value, dict) and not value.get("description"):
                yield f"{where}.{key}"
        for key, value in part.items():
            yield from _undescribed(value, f"{where}.{key}")


def test_an_undocumented_or_missing_field_is_found():
    made = {"folder": "f", "bytes": 1, "limit_bytes": 2, "cleared_bytes": None, "problem": None}
    assert violations("cache", made) == []
    (extra,) = violations("cache", made | {"colour": "red"})
    assert "colour" in extra
    (missing,) = violations("cache", {key: made[key] for key in made if key != "bytes"})
    assert "bytes" in missing


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (COMMON["outcome"], [one.value for one in Outcome]),
        (COMMON["diagnostic"]["properties"]["severity"], [one.value for one in Severity]),
        (COMMON["artifact"]["properties"]["kind"], [one.value for one in EMITTED_KINDS]),
        (COMMON["fix"]["properties"]["kind"], [one.value for one in FixKind]),
        (
            schema("run")["$defs"]["launch"]["properties"]["outcome"],
            [one.value for one in LaunchOutcome],
        ),
        (OPTION["effect"], [one.value for one in OptionEffect]),
        (OPTION["value"], [one.value for one in ValueKind]),
    ],
)
def test_the_words_of_a_schema_are_those_of_the_code(part, words):
    assert sorted(part["enum"]) == sorted(words)


@pytest.mark.parametrize("path", sorted((ROOT / "tests/data/projects").glob("*.jitproj")), ids=str)
def test_projects_are_as_their_schema_says(path: Path):
    known = replace(load(path.read_bytes()), unknown={})
    assert violations("project", json.loads(dump(known))) == []
