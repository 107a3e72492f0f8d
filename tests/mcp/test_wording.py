"""No answer of a tool names flags of the command line or menus of the window."""

import ast
import re
import tomllib
from dataclasses import replace

from jitstudio.command_options.build import BuildOptions, InspectOptions
from jitstudio.command_options.launch import RunOptions
from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.core.tools import Tool
from jitstudio.mcp.summaries import diagnostic_rows
from jitstudio.mcp.wording import in_our_words
from tests.support import ROOT

_FLAGS = {
    flag
    for options in (BuildOptions, InspectOptions, RunOptions)
    for _, words in options.words()
    for word in words
    for flag in word.flags
    # Compilers have a `--time` of their own, which jitstudio sends.
    if flag.startswith("--") and flag != "--time"
}
THEIRS = re.compile(
    rf"(?:{'|'.join(map(re.escape, sorted(_FLAGS)))})(?![\w-])"
    r"|\bFile >|\bjitstudio (?:run|check|diff|build|inspect)\b"
    r"|on\s+the\s+command\s+line|(?:in|of) the window\b|row in the form|\(see [A-Z]"
    r"|\b[Tt]rust (?:the project\b|it only)"
)
# What the tools cannot ask for, or that is no message: files of the window, several toolchains,
# projects, programs, libraries, passes and compile times.
ELSEWHERE = {
    "jitstudio/analysis/time_trace.py",
    "jitstudio/core/passes.py",
    "jitstudio/worker/passes.py",
    "jitstudio/core/handover.py",
    "jitstudio/commands/handover.py",
    "jitstudio/commands/library.py",
    "jitstudio/checks/github.py",
    "jitstudio/checks/report_files.py",
    "jitstudio/commands/export_options.py",
    "jitstudio/core/options/parsing.py",
}
ROOMS = ("core", "commands", "checks", "analysis", "worker", "toolchain", "listing", "simulator")
PROJECTS = re.compile("^The project |--compare|--toolchain|--compile-commands")


def texts_of(path):
    """The texts of a module that are no docstrings, with the parts of f-strings joined."""
    tree = ast.parse(path.read_text("utf-8"))
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    parts = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in node.values
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(
                part.value if isinstance(part, ast.Constant) else "X" for part in node.values
            )
        elif isinstance(node, ast.Constant) and id(node) not in prose | parts:
            yield str(node.value)


def messages():
    for room in ROOMS:
        for path in sorted((ROOT / "jitstudio" / room).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if name not in ELSEWHERE and "/options/rows/" not in name:
                yield from ((name, text) for text in texts_of(path))
    from jitstudio.core.options import OPTIONS

    for spec in OPTIONS:
        yield from (("options", text) for text in (spec.help, spec.managed))
    table = tomllib.loads((ROOT / "resources" / "explanations.toml").read_text("utf-8"))
    for row in table["explanation"]:
        for text in (row.get("text", ""), *row.get("text_in", {}).values()):
            yield row["id"], " ".join(text.split())


def test_messages_are_in_the_words_of_the_tools():
    foreign = [
        (place, text)
        for place, text in messages()
        if THEIRS.search(text) and not THEIRS.fullmatch(text) and not PROJECTS.search(text)
    ]
    assert len(foreign) > 15
    ours = [(place, in_our_words(text)) for place, text in foreign]
    assert [(place, text) for place, text in ours if THEIRS.search(text)] == []


def test_what_a_compiler_says_stays_as_it_is():
    message = "#error directive: pass --kernel NAME (see Lowered names)"
    own = Diagnostic(Severity.ERROR, "k.cu", 1, None, message)
    (row,) = diagnostic_rows([replace(own, tool=Tool.NVRTC)])
    assert row == f"k.cu:1: error: {message}"
    assert THEIRS.search(row)
    assert not THEIRS.search(*diagnostic_rows([own]))
