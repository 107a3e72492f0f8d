"""Values of wrong kinds and sizes for each field of each tool: sentences, or answers of JSON.

The fields are read from the schemas, so that a new one is tried, too.
"""

import json

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


def calls_of(tool, fields, every):
    """The words of calls of a tool, each with a bad value, by what is bad."""
    good = _GOOD[tool]
    for field in fields:
        for title, value in share(VALUES, field, every).items():
            yield (tool, field, title), good | {field: value}
    if tool == "compare":
        for field in ("kernel", "arguments", "grid", "block", "cluster", "seed", "device"):
            for title, value in share(VALUES, field, every).items():
                yield (tool, field, title), good | {"launch": _LAUNCH | {field: value}}
    yield (tool, "nothing", ""), {}


@in_shares
def test_a_tool_says_which_value_is_bad(tmp_path, every):
    """All tools are asked of one server, as to start one takes longer than most answers."""

    async def talk(client):
        fields = {
            listed.name: listed.input_schema["properties"]
            for listed in (await client.list_tools()).tools
        }
        assert fields.keys() == _GOOD.keys()
        return {
            about: await client.call_tool(tool, words)
            for tool in _GOOD
            for about, words in calls_of(tool, fields[tool], every)
        }

    problems = {}
    for call, result in conversation(tmp_path, talk).items():
        text = text_of(result)
        if not (is_sentence(text) if result.is_error else json.loads(text)) or len(text) > 4_000:
            problems[call] = text
        if f"Error executing tool {call[0]}" == text:
            problems[call] = "a crash"
    assert problems == {}
