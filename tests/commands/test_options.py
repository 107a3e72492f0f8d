"""A wrong value is an error that names its option and what that takes, from every front end."""

import ast
import asyncio
import inspect
import re
from dataclasses import replace
from functools import partial

import pytest

import jitstudio
from jitstudio.checks.budgets import LAUNCH_OPTIONS, BudgetFile, budget_from
from jitstudio.cli.arguments import _GRAMMARS, command_line
from jitstudio.command_options import values
from jitstudio.command_options.build import BuildOptions, DiffOptions, InspectOptions
from jitstudio.command_options.fields import CommandOptions
from jitstudio.command_options.launch import RunOptions
from jitstudio.commands.check import BudgetChecks
from jitstudio.commands.launch_spec import spec_from
from jitstudio.commands.workers import Workers
from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind
from jitstudio.core.launch.spec import LaunchSpec, LoadMode
from jitstudio.core.request import LinkMode
from tests.support import ROOT

NEEDED = {
    "sources": ("k.cu",),
    "a": "a.cu",
    "format": "cuda-core",
    "link": "x",
    "output": "x",
    "lesson": "1",
    "pupils": "pupils",
    "program": ("python3",),
    "files": ("x",),
    "text": ("x",),
}
"""What a command has to be given, so that nothing but the value under test is wrong."""
MAY_BE_EMPTY = (values.ANY_TEXT, values.ANY_TEXTS, values.SIZE)
NAN = float("nan")


def kinds_of(grammars):
    for name, grammar in grammars.items():
        if grammar.actions:
            yield from kinds_of(
                {f"{name} {word}": inner for word, inner in grammar.actions.items()}
            )
        else:
            yield name, grammar.kind


COMMANDS = dict(kinds_of(_GRAMMARS))
FIELDS = [
    pytest.param(command, kind, field.name, said[0], id=f"{command}-{field.name}")
    for command, kind in COMMANDS.items()
    for field, said in kind.words()
]


def needed(kind):
    """The values without which options of this kind cannot be made."""
    return {
        field.name: NEEDED[field.name]
        for field, said in kind.words()
        if field.name in NEEDED and (not said[0].flags or said[0].is_required)
    }


def wrong_values(word):
    """Values of the wrong type, out of range, no numbers and empty ones."""
    yield from (object(), NAN, -1, [NAN], {1: object()}.keys())
    if word.kind not in MAY_BE_EMPTY:
        yield ""
    if not word.kind.is_flag:
        yield True
    if word.kind.choices:
        yield "no such word"
    if word.kind.read is not None and not word.kind.choices:
        yield from ("many", "3")
    if word.kind in (values.ARGUMENTS, values.VARIABLES, values.HEADERS):
        # A text is no list of them.
        yield from ("n=1", [("n", "1"), 3])


@pytest.mark.parametrize(("command", "kind", "name", "word"), FIELDS)
def test_each_field_refuses_what_it_does_not_take(command, kind, name, word):
    kind.of(**needed(kind))
    for value in wrong_values(word):
        with pytest.raises(values.WrongValueError) as caught:
            kind.of(**(needed(kind) | {name: value}))
        assert (caught.value.name, len(caught.value.reason) > 10) == (name, True), value
        assert str(caught.value).startswith(f"{name}="), value


@pytest.mark.parametrize(("command", "kind", "name", "word"), FIELDS)
def test_options_are_options_again(command, kind, name, word):
    options = kind.of(**needed(kind))
    assert replace(options) == options
    with pytest.raises(AttributeError):
        setattr(options, name, None)


def test_values_are_taken_as_people_write_them():
    given = {"arch": "90a", "emit": "ptx, sass", "options": "-G", "link": "lto", "fat": ["80"]}
    options = BuildOptions.of(sources="k.cu", **given)
    assert options.arch == Arch(90, "a")
    assert options.emit == (CodeKind.PTX, CodeKind.SASS)
    assert (options.options, options.sources, options.fat) == (("-G",), ("k.cu",), ("80",))
    assert options.link is LinkMode.LTO
    run = RunOptions.of(
        sources="k.cu", grid=(2, "n"), block=32, arguments={"n": 4}, set={"m": "out"}, device="sim"
    )
    assert (run.grid, run.block, run.texts) == ("2,n", "32", {"n": "4", "m": "out"})
    assert run.ordinal == -1
    assert RunOptions.of(sources="k.cu", set=["m:out", "z = 3"]).set == (("m", "out"), ("z", "3"))
    with pytest.raises(values.WrongValueError, match=r"set=.*gives 'n' twice"):
        RunOptions.of(sources="k.cu", arguments={"n": 4}, set={"n": 4})


# -- Python ----------------------------------------------------------------------------------------

CODE = 'extern "C" __global__ void k(float* x) { x[threadIdx.x] = 1.f; }'
CALLS = {
    jitstudio.inspect: InspectOptions,
    jitstudio.build: BuildOptions,
    jitstudio.run: RunOptions,
    jitstudio.diff: DiffOptions,
}
GIVEN_BY_PYTHON = [
    pytest.param(call, kind, name, id=f"{call.__name__}-{name}")
    for call, kind in CALLS.items()
    for name in inspect.signature(call).parameters
    if name not in ("thing", "a", "b")
]


@pytest.mark.parametrize(("call", "kind", "name"), GIVEN_BY_PYTHON)
def test_python_names_the_argument(call, kind, name):
    code = (CODE, CODE) if call is jitstudio.diff else (CODE,)
    words = {field.name: said[0] for field, said in kind.words()}
    wrong = wrong_values(words[name]) if name in words else (object(), NAN, -1, [NAN])
    for value in wrong:
        if name == "emit" and value == "":
            continue
        with pytest.raises(ValueError, match=rf"^{name}="):
            call(*code, **{name: value})


# -- The command line ------------------------------------------------------------------------------

WRONG_WORDS = {values.COUNT: ("0", "-1", "1.5"), values.COUNT_OR_NONE: ("-1", "1.5")}
WRONG_WORDS |= {values.SECONDS: ("0", "-1", "inf"), values.TOLERANCE: ("-1", "inf")}


@pytest.mark.parametrize(("command", "kind", "name", "word"), FIELDS)
def test_the_command_line_names_the_flag(command, kind, name, word, capsys):
    if not word.flags or word.const is not None or word.kind.is_flag:
        return
    wrong = [*WRONG_WORDS.get(word.kind, ())]
    wrong += [""] if word.kind not in MAY_BE_EMPTY and not isinstance(word.metavar, tuple) else []
    wrong += ["nan", "many"] if word.kind.read is not None else []
    others = [v[0] if isinstance(v, tuple) else v for k, v in needed(kind).items() if k != name]
    for text in wrong:
        words = [*command.split(), f"{word.flags[-1]}={text}", *(["--", *others] if others else [])]
        with pytest.raises((SystemExit, values.UsageError)) as caught:
            command_line(words)
        error = caught.value
        said = capsys.readouterr().err if isinstance(error, SystemExit) else str(error)
        assert getattr(error, "code", 2) == 2
        assert any(flag in said.rpartition("error:")[2] for flag in word.flags), (text, said)


def test_each_option_is_read_by_code():
    unread = {field.name for kind in COMMANDS.values() for field, _ in kind.words()}
    for path in (ROOT / "jitstudio").rglob("*.py"):
        text = path.read_text("utf-8")
        # To parse all files takes seconds.
        if not unread.isdisjoint(re.findall(r"\.\s*(\w+)", text)):
            nodes = ast.walk(ast.parse(text))
            attributes = (node for node in nodes if isinstance(node, ast.Attribute))
            unread -= {node.attr for node in attributes if isinstance(node.ctx, ast.Load)}
    assert unread == set()


DASHED = [
    pytest.param(command, field.name, flag, id=f"{command}{flag}")
    for command, kind in COMMANDS.items()
    for field, words in kind.words()
    for flag in words[0].flags
    if words[0].takes_dash
]


@pytest.mark.parametrize(("command", "name", "flag"), DASHED)
def test_a_value_that_begins_with_a_dash_is_taken(command, name, flag):
    more = {"diff": ["a.cu"], "export": ["cuda-core", "a.cu"]}.get(command, ["a.cu"])
    if flag == "--compare-options":
        more = [*more, "--compare-targets", "sm_90"]
    options = command_line([command, *more, flag, "-x"]).options
    assert getattr(options, name) == ("-x",)


# -- Budgets ---------------------------------------------------------------------------------------

WRONG_IN_BUDGETS = {
    **dict.fromkeys(("repeat", "warmup", "itol", "seed", "device"), (-1, "x", 1.5)),
    **dict.fromkeys(("blocks", "seeds"), (0, "x")),
    **dict.fromkeys(("rtol", "atol"), (-1, "x", NAN)),
    "timeout": (0, "x", NAN),
    "sanitize": ("x",),
    "expect": ("",),
    "arg": ({"": "1"},),
    **dict.fromkeys(("both", "cooperative", "driver_jit", "flush_l2"), ("x",)),
    **dict.fromkeys(("no_poison", "no_guards"), ("x",)),
    **dict.fromkeys(("grid", "cover", "block", "cluster", "shared", "kernel"), ()),
    "set": ({"": "1"},),
}


def test_a_budget_takes_the_flags_of_a_launch():
    launch = {"driver_jit": True, "no_poison": True, "flush_l2": True, "no_guards": False}
    row = {"source": "k.cu", "require": ["registers <= 64"], "launch": launch}
    values = dict(budget_from(row).launch)
    expected = {"load": LoadMode.DRIVER_JIT, "poison": False, "flush_l2": True, "guards": True}
    assert values == expected


def test_false_in_a_budget_undoes_what_a_project_says():
    keys = [key for key, (_, word) in LAUNCH_OPTIONS.items() if word.const is not None]
    assert {"cooperative", "driver_jit", "flush_l2", "no_guards", "no_poison"} <= {*keys}
    spec = LaunchSpec()
    for flag in (True, False):
        row = {
            "source": "k.cu",
            "require": ["registers <= 64"],
            "launch": dict.fromkeys(keys, flag),
        }
        spec = spec_from(RunOptions.of(sources=("k.cu",), **dict(budget_from(row).launch)), spec)
        assert (spec != LaunchSpec()) is flag


def test_a_truth_is_no_size():
    row = {"source": "k.cu", "require": ["registers <= 64"], "launch": {"grid": False}}
    with pytest.raises(values.WrongValueError, match="grid"):
        RunOptions.of(sources=("k.cu",), **dict(budget_from(row).launch))


@pytest.mark.parametrize("key", LAUNCH_OPTIONS)
def test_a_budget_names_the_key(key, tmp_path):
    (tmp_path / "k.cu").write_text(CODE)
    for value in WRONG_IN_BUDGETS[key]:
        row = {"source": "k.cu", "require": ["registers <= 64"], "launch": {key: value}}
        budget = budget_from(row)
        file = BudgetFile(tmp_path / "BUDGETS.toml", (budget,))
        checks = BudgetChecks(Workers(), 1.0, trust=False, update=False)
        with pytest.raises(values.UsageError, match=rf"budget 'k\.cu': {key}\b"):
            checks.report(file, budget, "")


# -- Language models -------------------------------------------------------------------------------

WRONG_FOR_TOOLS = {
    "build": {"target": "sm_1", "options": [""], "name_expressions": [""], "link": "both"},
    "inspect": {"target": "sm_1", "options": [""], "name_expressions": [""], "link": "both"},
    "check": {"target": "sm_1"},
    "run": {
        "options": [""],
        "name_expressions": [""],
        "arguments": {"": "1"},
        "expect": [""],
        "variables": {"": "1"},
        "repeat": -1,
    },
}


@pytest.mark.parametrize(
    ("tool", "name"), [(t, n) for t, ns in WRONG_FOR_TOOLS.items() for n in ns]
)
def test_a_tool_names_its_field(tool, name, tmp_path):
    exceptions = pytest.importorskip("mcp.server.mcpserver.exceptions")
    from jitstudio.commands.sessions import WorkerSession
    from jitstudio.mcp.server import Calls
    from jitstudio.mcp.tools import Tools

    more = {"require": ["registers <= 64"]} if tool == "check" else {}
    with WorkerSession() as session:
        calls = Calls(partial(Tools, tmp_path, 30, allow_run=False), session)
        call = calls.tool(tool)(
            sources={"k.cu": CODE}, **more, **{name: WRONG_FOR_TOOLS[tool][name]}
        )
        with pytest.raises(exceptions.ToolError, match=rf"\b{name}\b"):
            asyncio.run(call)


def test_plain_options_have_no_fields():
    assert [*CommandOptions.words()] == []
