"""Calls run beside each other and end at once, and so does all that a server has started."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from jitstudio.worker.pool import default_size
from tests.mcp_client import MARKS, conversation, said, server_of
from tests.support import SLOW_CUDA

pytestmark = MARKS

_ENDLESS = {
    "sources": {"k.cu": 'extern "C" __global__ void k(int* a) { while (atomicAdd(a, 1) >= 0); }'},
    "arguments": {"a": "1"},
    "grid": "1",
    "block": "32",
}
_SLOW = {"sources": {"k.cu": SLOW_CUDA}, "emit": []}
_SIMULATOR, _CHILD = "jitstudio.worker.children.simulate", "jitstudio.worker.children."
_SOON = 5
"""Seconds in which a machine with other work does what takes a fraction of one."""


def descendants(process):
    """The processes that a process has started, and those that these have."""
    for listed in Path(f"/proc/{process}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in listed.read_text().split():
                yield int(child)
                yield from descendants(child)


def children(process, main=_CHILD):
    """The processes below a process that work for jitstudio, with this beginning of a module."""
    matching = set()
    for child in descendants(process):
        with contextlib.suppress(OSError):
            words = Path(f"/proc/{child}/cmdline").read_bytes().decode().split("\0")
            if any(word.startswith(main) for word in words):
                matching.add(child)
    return matching


def is_there(process):
    """Whether a process exists and has not ended."""
    with contextlib.suppress(OSError):
        return ") Z " not in Path(f"/proc/{process}/stat").read_text()
    return False


async def until(condition):
    """How many seconds it takes until a condition holds, at most 60."""
    start = time.monotonic()
    while not condition() and time.monotonic() - start < 60:
        await asyncio.sleep(0.05)
    return time.monotonic() - start


def test_simulations_run_side_by_side_and_hold_up_nothing(tmp_path):
    # Other tests of this process keep workers.
    others = children(os.getpid(), _SIMULATOR)
    at_once = min(2, default_size())

    def own():
        return children(os.getpid(), _SIMULATOR) - others

    async def talk(client):
        await client.call_tool("explain", {"word": "LDG"})
        calls = [asyncio.create_task(client.call_tool("run", _ENDLESS)) for _ in range(2)]
        await until(lambda: len(own()) == at_once)
        running = len(own())
        start = time.monotonic()
        await client.call_tool("explain", {"word": "LDG.E.128"})
        explained = time.monotonic() - start
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        cancelled = await until(lambda: not own())
        result = await client.call_tool("build", {**_SLOW, "sources": _ENDLESS["sources"]})
        return running, explained, cancelled, said(result)["ok"]

    # Processes are counted: there is to be none but the workers.
    running, explained, cancelled, works = conversation(tmp_path, talk, is_quick=False)
    assert running == at_once
    assert explained < _SOON
    assert cancelled < _SOON
    assert works


# -- A client that hangs up ------------------------------------------------------------------------


@contextlib.contextmanager
def raw_server(folder):
    """A server without a client: its pipes are ours to close."""
    words, there = server_of(folder)
    process = subprocess.Popen(
        [sys.executable, *words],
        env=os.environ | there,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                pipe.close()


def say(process, method, number=None, **params):
    """Sends a message of the protocol."""
    message = {"jsonrpc": "2.0", "method": method, "params": params}
    message |= {} if number is None else {"id": number}
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()


def greet(process):
    say(
        process,
        "initialize",
        0,
        protocolVersion="2025-06-18",
        capabilities={},
        clientInfo={"name": "test", "version": "1"},
    )
    assert json.loads(process.stdout.readline())["id"] == 0
    say(process, "notifications/initialized")


def hangs_up(process):
    process.stdin.close()


def hangs_up_within_a_message(process):
    process.stdin.write(b'{"jsonrpc": "2.0", "id": 7, "meth')
    process.stdin.close()


def closes_both_pipes(process):
    process.stdout.close()
    process.stdin.close()


def kills(process):
    process.kill()


def asks_to_end(process):
    process.send_signal(signal.SIGTERM)


# How a server ends and how its workers do know nothing of each other: each way to leave is tried,
# and each worker with a server that can say goodbye and one that cannot.
LEAVE_A_RUN = (hangs_up, hangs_up_within_a_message, closes_both_pipes, kills, asks_to_end)
LEAVE_A_BUILD = (hangs_up, kills)


@pytest.mark.parametrize(
    ("tool", "leave"),
    [
        *(("run", leave) for leave in LEAVE_A_RUN),
        *(
            pytest.param("build", leave, marks=() if leave in LEAVE_A_BUILD else pytest.mark.bench)
            for leave in LEAVE_A_RUN
        ),
    ],
)
def test_a_client_that_leaves_within_a_call_leaves_no_process(tmp_path, tool, leave):
    words, main = {"run": (_ENDLESS, _SIMULATOR), "build": (_SLOW, _CHILD)}[tool]
    with raw_server(tmp_path) as process:
        greet(process)
        say(process, "tools/call", 1, name=tool, arguments=words)
        asyncio.run(until(lambda: children(process.pid, main)))
        working = {*descendants(process.pid)}
        assert children(process.pid, main)
        leave(process)
        process.wait(30)
        assert asyncio.run(until(lambda: not any(map(is_there, working)))) < _SOON
        assert process.returncode in (0, -signal.SIGKILL, -signal.SIGTERM)


def test_what_is_no_message_ends_nothing(tmp_path):
    with raw_server(tmp_path) as process:
        greet(process)
        for line in (
            b"hello\n",
            b"{}\n",
            b"[1, 2]\n",
            b"\xff\xfe\n",
            b"\n",
            b"9" * 100_000 + b"\n",
        ):
            process.stdin.write(line)
        say(process, "tools/call", 1, name="explain", arguments={"word": "LDG"})
        answers = {}
        while 1 not in answers:
            message = json.loads(process.stdout.readline())
            answers[message.get("id")] = message
        assert "result" in answers[1]
