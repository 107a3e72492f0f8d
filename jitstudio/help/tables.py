"""Pages of the manual that are made of tables when a reader opens the page.

To add one: a row in `TABLES`. A page leads to it by its command, ``jitstudio help conditions`` in
backticks, which the help window makes a link.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any, NamedTuple

from jitstudio.core.options import OPTIONS
from jitstudio.system.paths import resource

Rows = Iterator[tuple[str, ...]]
# What Markdown takes for HTML or for emphasis.
_SPECIAL = re.compile(r"[<*]|\b_|_\b|_(?=_)|(?<=_)_")


class TablePage(NamedTuple):
    """The heading of a page of tables, and the Markdown below."""

    title: str
    text: Callable[[], str]


def markdown_table(rows: Rows) -> str:
    """Returns a table in Markdown; the first row has the headings."""
    heading, *others = rows
    lines = (heading, ("---",) * len(heading), *others)
    return "".join(f"| {' | '.join(map(_escaped, row))} |\n" for row in lines)


def _escaped(cell: str) -> str:
    """Returns text as a cell of Markdown; parts between backticks stay."""
    parts = cell.replace("|", r"\|").replace("\n", " ").split("`")
    parts[::2] = (_SPECIAL.sub(r"\\\g<0>", part) for part in parts[::2])
    return "`".join(parts)


def _tool_options() -> str:
    sections: dict[str, list[tuple[str, ...]]] = {}
    for spec in OPTIONS:
        tools = ", ".join(tool.value for tool in spec.spellings)
        row = (f"`{spec.usage}`", tools, f"{spec.name}. {spec.help}")
        sections.setdefault(spec.group.value, []).append(row)
    heading = ("Option", "Tools", "Effect")
    return (
        "An option goes to the tools that take it. `jitstudio options WORDS` searches this table, "
        "and adds spellings, defaults and restrictions.\n"
    ) + "".join(
        f"\n## {group}\n\n{markdown_table(iter([heading, *rows]))}"
        for group, rows in sections.items()
    )


def _conditions() -> str:
    """Returns the figures that conditions compare; words of the same meaning share a row."""
    from jitstudio.checks.forms import FORMS  # noqa: PLC0415

    words: dict[str, list[str]] = {}
    for form in FORMS.values():
        launch = " (needs `launch`)" if form.of_launch else ""
        words.setdefault(f"{form.meaning}{launch}", []).append(f"`{form.usage}`")
    rows = ((", ".join(usages), meaning) for meaning, usages in words.items())
    return (
        "The figures that a condition of a [budget](budgets.md) can compare, next to the names of "
        f"opcodes.\n\n{markdown_table(iter([('Figure', 'Value'), *rows]))}"
    )


# ---- The fields of JSON, by its schema


def _json(name: str) -> str:
    """Returns the fields of a schema, and of each object that these refer to."""
    content = _schema(name)
    parts: list[str] = []
    waiting = {reference["$ref"]: None for reference in content.get("anyOf", ())}
    if "properties" in content:
        parts.append(_fields_table(content, name, waiting))
    done: set[str] = set()
    while waiting:
        reference = next(iter(waiting))
        del waiting[reference]
        if reference not in done:
            done.add(reference)
            table = _fields_table(_definition(reference, name), name, waiting)
            parts.append(f"## {_words(reference)}\n\n{table}")
    return "The conventions are those of all [JSON output](json.md).\n\n" + "\n".join(parts)


def _fields_table(part: dict[str, Any], name: str, references: dict[str, None]) -> str:
    return markdown_table(iter([("Field", "Content"), *_fields(part, name, references)]))


def _fields(
    part: dict[str, Any], schema: str, references: dict[str, None], prefix: str = ""
) -> Rows:
    """Yields the fields of an object with their content; notes the objects that these refer to."""
    for key, value in part["properties"].items():
        name, inner = f"{prefix}{key}", value
        while inner.get("type") == "array":
            name, inner = f"{name}[]", inner["items"]
        can_be_null = "null" in inner.get("type", ()) or {"type": "null"} in inner.get("anyOf", ())
        words = [value.get("description", "")]
        for reference in (x["$ref"] for x in (inner, *inner.get("anyOf", ())) if "$ref" in x):
            target = _definition(reference, schema)
            if "properties" in target and "$defs" in reference:
                references[reference] = None
                title = _words(reference)
                words.append(f"see [{title}](#{title.replace(' ', '-')})")
            else:
                inner = target
        if len(inner.get("enum", ())) > 1:
            words.append(", ".join(f"`{word}`" for word in inner["enum"] if word is not None))
        if can_be_null and "null" not in words[0]:
            words[0] += ", or null"
        yield f"`{name}`", ": ".join(filter(None, words))
        if "properties" in inner:
            yield from _fields(inner, schema, references, f"{name}.")
        values = inner.get("additionalProperties")
        if isinstance(values, dict) and "properties" in values:
            yield from _fields(values, schema, references, f"{name}.*.")


def _definition(reference: str, schema: str) -> dict[str, Any]:
    """Returns the part of a schema that a reference in the schema of this name leads to."""
    file, _, path = reference.partition("#/")
    part: Any = _schema(file.removesuffix(".json") or schema)
    for key in path.split("/"):
        part = part[key]
    return dict(part)


def _words(reference: str) -> str:
    return reference.rpartition("/")[2].replace("_", " ")


@cache
def _schema(name: str) -> dict[str, Any]:
    return dict(json.loads(resource(f"schema/{name}.json").read_text("utf-8")))


def _schema_names() -> list[str]:
    names = (path.stem for path in resource("schema").glob("*.json"))
    return sorted(name for name in names if name != "common")


TABLES = {
    "tool-options": TablePage("Options of the tools", _tool_options),
    "conditions": TablePage("Figures for conditions", _conditions),
} | {f"json-{name}": TablePage(f"JSON of {name}", partial(_json, name)) for name in _schema_names()}
