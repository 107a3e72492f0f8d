"""Calls of all kinds, right and wrong: answers are right, and in the words of the tools."""

import re

import pytest

from jitstudio.core.options import OPTIONS
from tests.mcp_client import MARKS, answers_to, said, text_of
from tests.support import QUICK_ARCH

pytestmark = MARKS

_KERNEL = 'extern "C" __global__ void k(int* a, int n) { a[threadIdx.x] = n; }\n'
_TEXTS = {"k.cu": _KERNEL}
_LAUNCH = {"arguments": {"a": "32:out", "n": "7"}, "grid": "1", "block": "32"}


def _k(body, parameters="int* a", before=""):
    return {"k.cu": f'{before}\nextern "C" __global__ void k({parameters}) {{ {body} }}\n'}


_GRID = _k(
    "int i = blockIdx.x; a[i] = i; cooperative_groups::this_grid().sync(); a[i + 4] = a[3 - i];",
    before="#include <cooperative_groups.h>",
)
_CLUSTER = _k('asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(a[blockIdx.x]));')
_SHARED = _k(
    "s[threadIdx.x] = threadIdx.x; __syncthreads(); a[threadIdx.x] = s[31 - threadIdx.x];",
    before="extern __shared__ int s[];",
)
_BLOCKS = {"arguments": {"a": "8:zeros:inout"}, "grid": "4", "block": "1"}
_WARP = {"arguments": {"a": "32:out"}, "grid": "1", "block": "32"}
_PAIR = {
    "k.cu": 'extern __device__ int f(int);\nextern "C" __global__ void k(int* a)\n'
    "{ a[threadIdx.x] = f(threadIdx.x); }\n",
    "f.cu": "__device__ int f(int i) { return 2 * i; }\n",
}
RIGHT = {
    "cooperative": {
        "sources": _GRID,
        **_BLOCKS,
        "cooperative": True,
        "expect": ["a = array([0, 1, 2, 3, 3, 2, 1, 0])"],
    },
    "clusters": {
        "sources": _CLUSTER,
        "target": "sm_90",
        **_BLOCKS,
        "cluster": "2",
        "expect": ["a[:4] = full(4, 2)"],
    },
    "shared and seed": {
        "sources": _SHARED,
        **_WARP,
        "shared": "4 * 32",
        "seed": 7,
        "expect": ["a = arange(32)[::-1]"],
    },
    "linked": {
        "sources": _PAIR,
        "options": ["-rdc=true"],
        "link": "lto",
        **_WARP,
        "expect": ["a = 2 * arange(32)"],
    },
    "variables": {
        "sources": _k("a[threadIdx.x] = c[threadIdx.x % 2];", before="__constant__ int c[2];"),
        **_WARP,
        "variables": {"c": "{5, 6}"},
        "expect": ["a = 5 + arange(32) % 2"],
    },
}

_INCLUDING = {
    "k.cu": '#include "in/k.h"\n' + _k("a[threadIdx.x] = f(a[threadIdx.x]);", "float* a")["k.cu"]
}
_HEADED = {
    "sources": _INCLUDING,
    "headers": {"in/k.h": "__device__ float f(float x)\n{ return x * 2.1; }"},
}
_SIDES = {"a": _INCLUDING, "b": _k("a[threadIdx.x] = a[threadIdx.x] * 2.1f;", "float* a")}
HEADED = {
    "build": _HEADED,
    "inspect": _HEADED,
    "diff": {**_SIDES, "headers": _HEADED["headers"]},
    "compare": {**_SIDES, "headers": _HEADED["headers"], "launch": {**_WARP, "grid": "1"}},
    "check": {**_HEADED, "require": ["no double"]},
    "run": {**_HEADED, **_WARP, "arguments": {"a": "32:constant(2):inout"}},
}
"""For each tool a kernel that includes a text, which has what costs time."""


def _run(sources=_TEXTS, **changes):
    return "run", {"sources": sources, **(_LAUNCH if "arguments" not in changes else {}), **changes}


WRONG = {
    "no file": ("build", {"sources": ["none.cu"]}),
    "a folder": ("build", {"sources": ["folder.cu"]}),
    "outside": ("build", {"sources": ["../none.cu"]}),
    "a link": ("build", {"sources": ["link.cu"]}),
    "a script": ("build", {"sources": ["script.py"]}),
    "a project": ("build", {"sources": ["old.jitproj"]}),
    "a script as a text": ("build", {"sources": {"k.py": "import numba"}}),
    "no sources": ("inspect", {"sources": {}}),
    "a header": ("build", {"sources": {"k.cu": '#include "none.h"\n' + _KERNEL}}),
    "a header elsewhere": ("build", {"sources": {"k.cu": '#include "/etc/hosts"\n'}}),
    "a header that is wrong": ("build", {**_HEADED, "headers": {"in/k.h": "float f("}}),
    "a header of no text": ("build", {**_HEADED, "headers": {"in/k.h": 3}}),
    "an empty header": ("build", {**_HEADED, "headers": {"in/k.h": ""}}),
    "a header without a name": ("build", {**_HEADED, "headers": {"": "int x;"}}),
    "syntax": ("build", {"sources": {"k.cu": "__global__ void k( {"}}),
    "an unsafe option": ("build", {"sources": _TEXTS, "options": ["-I/etc"]}),
    "no option": ("build", {"sources": _TEXTS, "options": ["--nonsense"]}),
    "an option of the plan": ("build", {"sources": _TEXTS, "options": ["-dlto"]}),
    "an option of files": ("build", {"sources": _TEXTS, "options": ["--keep"]}),
    "no target": ("build", {"sources": _TEXTS, "target": "sm_1"}),
    "a target without": ("build", {"sources": _CLUSTER, "target": "sm_80"}),
    "no instance": ("build", {"sources": _TEXTS, "name_expressions": ["f<int>"]}),
    "unlinked": ("inspect", {"sources": {"k.cu": _PAIR["k.cu"]}, "options": ["-rdc=true"]}),
    "unresolved": ("inspect", {"sources": {"k.cu": _PAIR["k.cu"]}, "link": "ptx"}),
    "two modules": _run(_PAIR, options=["-rdc=true"], **_WARP),
    "bad IR": ("build", {"sources": {"k.ll": "hello"}}),
    "bad PTX": ("build", {"sources": {"k.ptx": "hello"}}),
    "a function of the host": ("build", {"sources": _k("*a = getenv(0) != 0;")}),
    "a call of the host": ("build", {"sources": _k("h();", before="void h() {}")}),
    "no kernel": ("inspect", {"sources": _TEXTS, "kernel": "none"}),
    "not a condition": ("check", {"sources": _TEXTS, "require": ["register < 3"]}),
    "not met": ("check", {"sources": _TEXTS, "require": ["registers <= 1", "spills == 1"]}),
    "a baseline": ("check", {"sources": _TEXTS, "require": ["registers <= baseline"]}),
    "broken, checked": ("check", {"sources": {"k.cu": "}"}, "require": ["no double"]}),
    "not an opcode": ("explain", {"word": "NONSENSE"}),
    "one side broken": ("diff", {"a": _TEXTS, "b": {"k.cu": "}"}}),
    "one side without": ("compare", {"a": _TEXTS, "b": {"j.cu": "__device__ int x;"}}),
    "one side fails": (
        "compare",
        {"a": _TEXTS, "b": _k("a[999] = n;", "int* a, int n"), "launch": _LAUNCH},
    ),
    "not a field": ("compare", {"a": _TEXTS, "b": _TEXTS, "launch": {"gird": "1"}}),
    "not a size": ("compare", {"a": _TEXTS, "b": _TEXTS, "launch": {**_LAUNCH, "block": []}}),
    "the GPU": _run(device="gpu"),
    "another kernel": _run(kernel="j"),
    "two kernels": _run({"k.cu": _KERNEL + _KERNEL.replace("k(", "j(")}),
    "no grid": _run(grid=""),
    "grid and cover": _run(cover="n"),
    "not a number": _run(grid="many"),
    "a large block": _run(block="4096"),
    "much shared memory": _run(shared="1 << 30"),
    "much memory": _run(arguments={"a": "1 << 50", "n": "1"}, grid="1"),
    "an argument less": _run(arguments={"a": "32"}, grid="1"),
    "an argument more": _run(arguments={"a": "32", "n": "1", "m": "1"}, grid="1"),
    "not a fill": _run(arguments={"a": "32:noise", "n": "1"}, grid="1"),
    "not a value": _run(arguments={"a": "32", "n": "1.5"}, grid="1"),
    "a file elsewhere": _run(arguments={"a": "32:file(/etc/passwd)", "n": "1"}, grid="1"),
    "a file that is none": _run(arguments={"a": "32:file(none.npy)", "n": "1"}, grid="1"),
    "not a variable": _run(variables={"c": "1"}),
    "an empty variable": _run(
        _k("a[threadIdx.x] = *p;", before="__device__ const int* p;"), **_WARP
    ),
    "an unset constant": _run(_k("a[threadIdx.x] = c;", before="__constant__ int c;"), **_WARP),
    "not an expression": _run(expect=["a = nothing(3)"]),
    "no buffer": _run(expect=["b = 3"]),
    "not met by a run": _run(expect=["a = 8"]),
    "not cooperative": _run(_GRID, **_BLOCKS),
    "a cluster too many": _run(_CLUSTER, target="sm_90", **{**_BLOCKS, "cluster": "3"}),
    "a cluster of none": _run(_CLUSTER, target="sm_80", **{**_BLOCKS, "cluster": "2"}),
    "out of bounds": _run(_k("a[99] = 1;"), **_WARP),
    "a race": _run(_k("*a = threadIdx.x;"), **_WARP),
    "a barrier of some": _run(_k("if (threadIdx.x) __syncthreads(); *a = 1;"), **_WARP),
    "a trap": _run(_k("__trap();"), **_WARP),
    "an assertion": _run(_k("assert(!a);", before="#include <cassert>"), **_WARP),
    "nothing written": _run(_k(""), **_WARP),
    "a texture": _run(_k("*a = tex1Dfetch<int>(t, 0);", "int* a, cudaTextureObject_t t"), **_WARP),
    "a pointer in a struct": _run(_k("*s.p = 1;", "S s", "struct S { int* p; };"), arguments={}),
    "section": ("inspect", {"sources": _TEXTS, "detail": "nothing"}),
    "a wrong type": ("inspect", {"sources": 3}),
    "a value too many": ("run", {"sources": _TEXTS, "seed": -1, "device": "cpu"}),
    "a field less": ("diff", {"a": _TEXTS}),
    "no field": ("inspect", {"sources": _TEXTS, "tagret": "sm_90"}),
    "a long name": ("inspect", {"sources": ["k" * 900 + ".cu"]}),
    "a NUL": ("inspect", {"sources": ["k\0.cu"]}),
    "another drive": ("inspect", {"sources": ["D:\\x.cu"]}),
}
FINE = {"unlinked", "one side without", "not a size"}
"""Calls of `WRONG` whose answers are right: what they lack is nothing that they need."""
SLOW = {
    "an endless kernel": _run(_k("while (atomicAdd(a, 1) >= 0);"), **_WARP),
}


def _all_flags():
    for spec in OPTIONS:
        yield from re.findall(r"--?[A-Za-z][\w-]*", " ".join(spec.spellings.values()))


# Options of the compilers are words of the tools' own, and so is what starts the server.
_OURS = {*_all_flags(), "--allow-run"}
_OTHER_FRONT_ENDS = re.compile(
    r"(?<![\w-])--[a-z][\w-]*|\bFile >|\bmenu\b|command line|\bthe window\b|\bpanel\b"
    r"|\bjitstudio (?:run|check|diff|build|inspect|sweep|export|mcp)\b|\(see [A-Z]|row in the form"
    r"|\b[Tt]rust (?:the project\b|it only)"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with names that lead nowhere good."""
    folder = tmp_path_factory.mktemp("served")
    (folder / "folder.cu").mkdir()
    (folder / "link.cu").symlink_to("/etc/passwd")
    (folder / "script.py").write_text("print(1)\n")
    (folder / "old.jitproj").write_text("{}")
    return folder


@pytest.fixture(scope="module")
def right(folder):
    headed = {f"headed {tool}": (tool, words) for tool, words in HEADED.items()}
    return answers_to(folder, {name: ("run", words) for name, words in RIGHT.items()} | headed)


@pytest.fixture(scope="module")
def wrong(folder):
    return answers_to(folder, WRONG)


@pytest.mark.parametrize("name", RIGHT)
def test_a_launch_has_all_that_the_command_has(right, name):
    answer = said(right[name])
    assert answer["ok"] is True
    assert answer["launch"][0].startswith("check: ")
    assert answer["simulated"].get("seed", 0) == RIGHT[name].get("seed", 0)


@pytest.mark.parametrize(
    ("tool", "part"),
    [
        ("build", "mul.f64"),
        ("inspect", "in/k.h:2"),
        ("diff", '"equal":false'),
        ("compare", '"same_code":false'),
        ("check", "FAILS no double"),
        ("run", '"outcome":"ran"'),
    ],
)
def test_texts_that_a_kernel_includes_are_given_to_each_tool(right, tool, part):
    assert part in text_of(right[f"headed {tool}"])


def test_without_a_target_a_server_of_tests_builds_for_the_quick_one(right):
    assert said(right["headed build"])["target"] == QUICK_ARCH.sm


def test_no_answer_speaks_of_another_front_end(right, wrong):
    foreign = {}
    for name, result in (right | wrong).items():
        words = WRONG[name][1] if name in WRONG else {}
        # A wrong option is quoted.
        ours = {*_OURS, *words.get("options", ())}
        if others := {*_OTHER_FRONT_ENDS.findall(text_of(result))} - ours:
            foreign[name] = others
    assert foreign == {}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said_in_short_sentences(wrong, name):
    result = wrong[name]
    text = text_of(result)
    assert len(text) <= 4_000
    assert "Traceback" not in text
    assert "pydantic" not in text
    if result.is_error:
        assert text.endswith(".") or "It takes: " in text or "Did you mean" in text, text
    else:
        answer = said(result)
        well = answer.get("ok") is not True or "diagnostics" in answer
        assert well or name in FINE, answer
