"""Values of wrong kinds and sizes for each field of each tool: sentences, or answers of JSON.

The fields are read from the schemas, so that a new one is tried, too.
"""

import json

import pytest

from tests.hostile.shares import in_shares, share
from tests.hostile.test_bad_names import is_sentence
from tests.mcp_client import MARKS, conversation, text_of
from tests.support import KERNEL

pytestmark = MARKS

VALUES = {
    "null": None,
    "true": True,
    "minus one": -1,
    "a large number": 2**80,
    "a fraction": 0.5,
    "empty": "",
    "blank": "  ",
    "a word": "word",
    "a NUL": "a\0b",
    "a long text": "x" * 5_000,
    "nested": "(" * 900,
    "JSON in a text": '{"k.cu": "',
    "an empty list": [],
    "a list of null": [None],
    "lists in lists": [[["a"]]],
    "an empty object": {},
    "an object": {"a": "b"},
    "an object of numbers": {"a": 1, "": {}},
}
_TEXTS = {"k.cu": KERNEL}
_LAUNCH = {"arguments": {"p": "32:out"}, "grid": "1", "block": "32"}
_GOOD = {
    "build": {"sources": _TEXTS},
    "inspect": {"sources": _TEXTS},
    "diff": {"a": _TEXTS, "b": _TEXTS},
    "compare": {"a": _TEXTS, "b": _TEXTS},
    "check": {"sources": _TEXTS, "require": ["no double"]},
    "explain": {"word": "LDG"},
    "run": {"sources": _TEXTS, **_LAUNCH},
}


@in_shares
@pytest.mark.parametrize("tool", _GOOD)
def test_a_tool_says_which_value_is_bad(tmp_path, tool, every):
    good = _GOOD[tool]

    async def talk(client):
        (fields,) = (
            listed.input_schema["properties"]
            for listed in (await client.list_tools()).tools
            if listed.name == tool
        )
        calls = {
            (field, title): good | {field: value}
            for field in fields
            for title, value in share(VALUES, field, every).items()
        }
        if tool == "compare":
            calls |= {
                (field, title): good | {"launch": _LAUNCH | {field: value}}
                for field in ("kernel", "arguments", "grid", "block", "cluster", "seed", "device")
                for title, value in share(VALUES, field, every).items()
            }
        calls["nothing", ""] = {}
        return {name: await client.call_tool(tool, words) for name, words in calls.items()}

    problems = {}
    for call, result in conversation(tmp_path, talk).items():
        text = text_of(result)
        if not (is_sentence(text) if result.is_error else json.loads(text)) or len(text) > 4_000:
            problems[call] = text
        if f"Error executing tool {tool}" == text:
            problems[call] = "a crash"
    assert problems == {}
