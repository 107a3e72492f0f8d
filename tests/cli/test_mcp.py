"""`jitstudio mcp`, with the client of the package `mcp` at the other end of the pipe."""

import asyncio
import json
import os
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from jitstudio.core.arch import Arch
from tests.support import refusal

# Takes a second to import, which no process spends that runs other tests.
is_missing = pytest.mark.skipif(find_spec("mcp") is None, reason="needs the package mcp")
pytestmark = [pytest.mark.tools, pytest.mark.slow, is_missing]

KERNEL = 'extern "C" __global__ void k(float* a) { a[threadIdx.x] = a[threadIdx.x] * 2.1; }\n'
TEXTS = {"k.cu": KERNEL}
FLOAT = {"k.cu": KERNEL.replace("2.1", "2.1f")}
CALLS = {
    "built": ("build", {"sources": TEXTS, "target": "sm_90", "emit": ["ptx"]}),
    "read": ("inspect", {"files": ["there.cu"], "target": "sm_90", "code": True}),
    "short": ("inspect", {"sources": TEXTS, "target": "sm_90"}),
    "different": ("diff", {"a": TEXTS, "b": FLOAT, "target": "sm_90"}),
    "equal": ("diff", {"a": TEXTS, "b": TEXTS}),
    "checked": ("check", {"sources": TEXTS, "require": ["no double", "registers <= 99"]}),
    "opcode": ("explain", {"word": "LDG.E.128"}),
    "option": ("explain", {"word": "maxrregcount", "language": "option"}),
    "broken": ("build", {"sources": {"k.cu": "__global__ void k( {"}}),
    "reads": ("build", {"sources": {"k.cu": '#include "/etc/passwd"\n'}}),
    "harmful": ("build", {"sources": TEXTS, "options": ["-I/etc"]}),
    "outside": ("build", {"files": ["../../etc/passwd.cu"]}),
    "ending": ("build", {"sources": {"k.so": "x"}}),
    "typo": ("check", {"sources": TEXTS, "require": ["no duble"]}),
    "target": ("inspect", {"sources": TEXTS, "target": "sm_1"}),
    "launch": ("run", {"sources": TEXTS}),
    "large": ("build", {"sources": {"k.cu": "/" * (2 << 20)}}),
}


def served(folder, calls, *more):
    """The names of the tools of a server, and what it says to all calls."""
    from mcp import Client, StdioServerParameters

    (folder / "there.cu").write_text(KERNEL)
    words = ["-m", "jitstudio", "mcp", "--folder", str(folder), *more]
    there = {"JITSTUDIO_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": os.pathsep.join(sys.path)}
    server = StdioServerParameters(command=sys.executable, args=words, env=there)

    async def ask():
        async with Client(server) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            return tools, {name: await client.call_tool(*call) for name, call in calls.items()}

    return asyncio.run(asyncio.wait_for(ask(), 120))


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """What a server says that may not launch anything."""
    return served(tmp_path_factory.mktemp("served"), CALLS)


def test_a_kernel_is_launched_where_that_is_allowed(tmp_path):
    given = {"arguments": {"a": "32:constant(2):inout"}, "grid": "1", "block": "32"}
    calls = {
        name: ("run", {"files": ["there.cu"], **given, "expect": [expected], "device": "sim"})
        for name, expected in (("right", "a = full(32, 4.2)"), ("wrong", "a = full(32, 4.3)"))
    }
    stolen = given | {"arguments": {"a": "32:file(/etc/passwd)"}}
    calls["stolen"] = ("run", {"files": ["there.cu"], **stolen, "device": "sim"})
    tools, found = served(tmp_path, calls, "--allow-run")
    assert "'/etc/passwd' lies outside" in found["stolen"].content[0].text
    assert tools[-1] == "run"
    right, wrong = (found[name].structured_content for name in ("right", "wrong"))
    assert right["ok"] is True
    assert right["simulation"]["instructions"] > 0
    assert wrong["outcome"] == "wrong"


def test_the_tools_do_what_the_commands_do(answers, run, tmp_path):
    tools, found = answers
    assert tools == ["build", "inspect", "diff", "check", "explain"]
    answer = {name: result.structured_content for name, result in found.items()}
    (ptx,) = answer["built"]["artifacts"]
    assert ".visible .entry k(" in ptx["text"]
    path = tmp_path / "k.cu"
    path.write_text(KERNEL)
    (kernel,) = run("inspect", path, "--arch", "sm_90", "--json").json["kernels"]
    for name in ("read", "short"):
        (served,) = answer[name]["kernels"]
        assert served["report"] == {
            key: value for key, value in kernel["report"].items() if value is not None
        } | {"classes": served["report"]["classes"]}
    (served,) = answer["read"]["kernels"]
    assert len(served["code"]) == len(kernel["instructions"])
    assert any("DMUL" in line and line.endswith("// there.cu:1") for line in served["code"])
    assert "code" not in answer["short"]["kernels"][0]
    assert answer["different"]["equal"] is False
    assert "DMUL" in json.dumps(answer["different"]["hunks"])
    assert answer["equal"]["equal"] is True
    (budget,) = answer["checked"]["budgets"]
    assert [one["holds"] for one in budget["conditions"]] == [False, True]
    assert answer["opcode"]["entries"][0]["text"] == "Loads from global memory."
    assert answer["option"]["options"][0]["flags"]["NVRTC"].startswith("-")


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("outside", "'../../etc/passwd.cu' lies outside"),
        ("ending", "has to end in .cu, .ll or .ptx"),
        ("typo", "Did you mean 'double'?"),
        ("target", refusal(Arch.parse, "sm_1")),
        ("launch", "Unknown tool: run"),
        ("large", "at most 1048576 characters"),
    ],
)
def test_what_cannot_be_asked_is_told(answers, name, part):
    result = answers[1][name]
    assert result.is_error
    assert part in result.content[0].text


def test_nothing_outside_the_folder_is_read_and_no_harmful_option_sent(answers):
    for name in ("reads", "harmful"):
        made = answers[1][name].structured_content
        assert made["ok"] is False
        assert "not trusted" in made["diagnostics"][0]["message"]
        assert "root:" not in json.dumps(made)
    assert answers[1]["broken"].structured_content["outcome"] == "failed"


def test_long_answers_are_cut_and_say_so():
    from jitstudio.mcp_server import LONGEST_TEXT, MOST_ROWS, shortened

    made = shortened(
        {"text": "x" * (LONGEST_TEXT + 5), "rows": [*range(MOST_ROWS + 5)], "no": None}
    )
    assert made["text"].endswith(f"(cut: {LONGEST_TEXT + 5} characters in all)")
    assert len(made["rows"]) == MOST_ROWS + 1
    assert made["rows"][-1] == f"(cut: {MOST_ROWS + 5} entries in all)"
    assert "no" not in made


def test_a_folder_that_is_none_is_told(run):
    ran = run("mcp", "--folder", Path("nowhere"))
    assert ran.code == 2
    assert "'nowhere' is no folder" in ran.err
