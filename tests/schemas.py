"""Validates the JSON that commands print against `resources/schema`, with no other fields."""

import json
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from tests.support import ROOT

FOLDER = ROOT / "resources" / "schema"
NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))


def violations(name: str, value: Any) -> list[str]:
    """Where a value is not as the schema of this name says; fields that it does not name count."""
    errors = _validator(name).iter_errors(value)
    return [f"{error.json_path}: {error.message[:200]}" for error in errors]


def schema_of(words: Sequence[str]) -> str:
    """The name of the schema for what these words of a command line print."""
    if "--list" in words:
        return "list"
    compared = (word[2:].partition("=")[0] for word in words if word.startswith("--compare-"))
    return next((name for name in compared if name in NAMES), words[0])


@cache
def schema(name: str) -> dict[str, Any]:
    """The file itself."""
    return json.loads((FOLDER / f"{name}.json").read_text("utf-8"))


class Field(NamedTuple):
    """A field that a schema names.

    Attributes:
        place: The schema and the names on the way to the field, such as ``run.timing.median_ms``.
        content: The schema of its values.
        is_required: Whether it stands in every object of its kind.
    """

    place: str
    content: dict[str, Any]
    is_required: bool

    @property
    def description(self) -> str:
        return self.content["description"]

    @property
    def types(self) -> set[str]:
        """The names of JSON types that it takes; empty for a reference to another schema."""
        parts = (self.content, *self.content.get("anyOf", ()))
        names = (part.get("type", ()) for part in parts)
        return {name for some in names for name in ([some] if isinstance(some, str) else some)}


def fields(name: str) -> list[Field]:
    """The fields that the file of this name describes, at all depths."""
    content = schema(name)
    definitions = content.get("$defs", {})
    parts = {name: content} | {f"{name}#{key}": part for key, part in definitions.items()}
    return [field for place, part in parts.items() for field in _fields(part, place)]


def _fields(part: Any, place: str) -> Iterator[Field]:
    if isinstance(part, list):
        for inner in part:
            yield from _fields(inner, place)
    if isinstance(part, dict):
        properties = part.get("properties", {})
        for key, content in properties.items():
            yield Field(f"{place}.{key}", content, key in part.get("required", ()))
            yield from _fields(content, f"{place}.{key}")
        for key in ("items", "anyOf", "additionalProperties"):
            yield from _fields(part.get(key), place)


@cache
def _validator(name: str) -> Draft202012Validator:
    files = {f"{each}.json": _closed(schema(each)) for each in NAMES}
    resources = [(uri, Resource.from_contents(content)) for uri, content in files.items()]
    return Draft202012Validator(
        files[f"{name}.json"], registry=Registry().with_resources(resources)
    )


def _closed(part: Any) -> Any:
    """The same, with no room for other fields than those that it names."""
    if isinstance(part, list):
        return [_closed(each) for each in part]
    if not isinstance(part, dict):
        return part
    made = {key: _closed(value) for key, value in part.items()}
    is_object = isinstance(part.get("properties"), dict) and "type" in part
    return {"additionalProperties": False} | made if is_object else made
