"""A server of `jitstudio mcp` with the client of the package `mcp` at the other end of the pipe."""

import asyncio
import json
import os
import sys
from importlib.util import find_spec

import pytest

from tests import kept

# Takes a second to import, which no process spends that runs other tests.
_is_missing = pytest.mark.skipif(find_spec("mcp") is None, reason="needs the package mcp")
# The bench asks all; without it a test ends by its own limit.
_PATIENCE = 1_200
MARKS = [pytest.mark.tools, pytest.mark.slow, _is_missing]
"""The marks of a module of tests that have a conversation with a server."""


def server_of(folder, *more):
    """The words and the environment that start a server for a folder, as users start it."""
    words = ["-m", "jitstudio", "mcp", "--folder", str(folder), *more]
    there = {"JITSTUDIO_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": os.pathsep.join(sys.path)}
    return words, there


def conversation(folder, talk, *more, is_quick=True):
    """The result of a coroutine that is given a client of a server for a folder.

    The workers of a quick server start as those of tests do, see `quick_program`.
    """
    from mcp import Client, StdioServerParameters

    words, there = server_of(folder, *more)
    if is_quick:
        words[1:2] = ["tests.quick_program", str(kept.results_folder())]
    server = StdioServerParameters(command=sys.executable, args=words, env=there)

    async def ask():
        async with Client(server) as client:
            return await talk(client)

    return asyncio.run(asyncio.wait_for(ask(), _PATIENCE))


def answers_to(folder, calls, *more):
    """The results of calls by their names, one after the other."""

    async def talk(client):
        return {name: await client.call_tool(*call) for name, call in calls.items()}

    return conversation(folder, talk, *more)


def text_of(result):
    """The text of the answer to a call."""
    (content,) = result.content
    return content.text


def said(result):
    """The object of the answer to a call that was no mistake."""
    assert not result.is_error, text_of(result)
    return json.loads(text_of(result))


def characters_of_schemas(tools):
    """How long the names, words and schemas of tools are."""
    schemas = [(tool.name, tool.description, tool.input_schema) for tool in tools]
    return len(json.dumps(schemas, separators=(",", ":")))
