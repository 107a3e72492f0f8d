"""The schemas of the JSON output. All tests of commands validate what these print against them."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from jitstudio.cli.arguments import command_parsers
from jitstudio.core.code import EMITTED_KINDS
from jitstudio.core.diagnostics import FixKind, Severity
from jitstudio.core.launch.result import LaunchOutcome
from jitstudio.core.options import OPTIONS, OptionEffect, ValueKind
from jitstudio.core.project.format import dump, load
from jitstudio.core.result import Outcome
from tests.schemas import NAMES, Field, fields, schema, violations
from tests.support import ROOT

COMMON = schema("common")["$defs"]
OPTION = schema("options")["properties"]["options"]["items"]["properties"]


FIELDS = [field for name in NAMES for field in fields(name)]
# A project leaves out what is as it is by itself.
OF_ANSWERS = [field for field in FIELDS if not field.place.startswith("project")]

_BACKTICKED = re.compile(r"`([^`]+)`")
_ALTERNATIVES = re.compile(r"`[^`]+`(?:, `[^`]+`)* or `[^`]+`(?=$|[;:])")
_EXAMPLES = re.compile(r"such as (`[^`]+`(?:(?:, | or | and )`[^`]+`)*)")
_LEAST = re.compile(r"\bfrom ([01])\b")
_FLAG = re.compile(r"`(--[a-z][a-z-]*)")
_COUNTS = ("how often", "how many", "number of")
_WHEN = re.compile(r"\bonly\b|^of `[a-z]+`:")


@pytest.mark.parametrize("name", NAMES)
def test_each_file_is_a_schema(name):
    content = schema(name)
    Draft202012Validator.check_schema(content)
    assert content["$schema"].endswith("/2020-12/schema")


def test_each_field_has_a_description():
    assert [field.place for field in FIELDS if not field.content.get("description")] == []


def test_a_field_is_required_unless_its_description_says_when_it_is_there():
    unsaid = [field.place for field in OF_ANSWERS if not field.is_required]
    said = {field.place for field in OF_ANSWERS if _WHEN.search(field.description)}
    assert [place for place in unsaid if place not in said] == []


@pytest.mark.parametrize("name", NAMES)
def test_what_a_description_claims_stands_in_its_schema(name):
    """By that, each answer of each test of a command is held to the claim."""
    broken = [(field.place, claim) for field in fields(name) for claim in _missing_claims(field)]
    assert broken == []


def _missing_claims(field):
    """The claims of the description that the schema of the field does not hold answers to."""
    content, claimed, types = field.content, field.description, field.types
    unit = field.place.rpartition(".")[2].rpartition("_")[2]
    kind = {"ms": "number", "bytes": "integer"}.get(unit)
    example = _EXAMPLES.search(claimed)
    least, closed = _LEAST.search(claimed), _ALTERNATIVES.match(claimed)
    if types:
        yield from ["whether"] * (("whether" in claimed) != ("boolean" in types))
        yield from ["null"] * ("null" in claimed and "null" not in types)
        yield from [unit] * bool(kind and kind not in types and not types & {"array", "object"})
        yield from ["how often"] * (claimed.startswith(_COUNTS) and "integer" not in types)
        yield from ["one for each"] * (claimed.startswith("one for each") and "array" not in types)
    if least and content.get("minimum") != int(least[1]):
        yield least[0]
    if "0 to 1" in claimed and (content.get("minimum"), content.get("maximum")) != (0, 1):
        yield "0 to 1"
    if closed and set(_BACKTICKED.findall(closed[0])) != set(content.get("enum", ())) - {None}:
        yield closed[0]
    for value in _BACKTICKED.findall(example[1]) if example else ():
        yield from [value] * (not Draft202012Validator(content).is_valid(value))
    if claimed.endswith(("sentence", "such as `sm_90`")) and "pattern" not in content:
        yield "pattern"


def test_a_claim_that_no_schema_holds_is_found():
    def missing(description, key="k", **content):
        return list(_missing_claims(Field(key, {"description": description} | content, True)))

    assert missing("the line, from 1", type="integer", minimum=1) == []
    assert missing("the line, from 1", type="integer", minimum=0) == ["from 1"]
    assert missing("its size", "code_bytes", type="number") == ["bytes"]
    assert missing("null where it is unknown", type="string") == ["null"]
    assert missing("whether it is", type="string") == ["whether"]
    assert missing("`a`, `b` or `c`", type="string", enum=["a", "b"]) == ["`a`, `b` or `c`"]
    assert missing("such as `sm_9`", type="string", pattern="^sm_..$") == ["sm_9"]
    assert missing("a share, 0 to 1", type="number", minimum=0) == ["0 to 1"]


def test_options_that_descriptions_name_are_options():
    parsers = command_parsers().values()
    flags = {flag for parser in parsers for x in parser._actions for flag in x.option_strings}
    flags |= {f.rstrip("=") for spec in OPTIONS for f in (*spec.spellings.values(), *spec.aliases)}
    for field in FIELDS:
        assert set(_FLAG.findall(field.description)) <= flags, field.place


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
