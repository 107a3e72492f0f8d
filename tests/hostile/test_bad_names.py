"""Names that lead to no file, at each place where a command, Python or a language model names one.

The places are read from the tables of options, so that a new one is tried, too.
"""

import os
import socket
from importlib.util import find_spec
from inspect import signature
from pathlib import Path

import pytest

import jitstudio
from jitstudio.cli.arguments import _GRAMMARS
from jitstudio.command_options.build import BuildOptions, DiffOptions, InspectOptions
from jitstudio.command_options.launch import RunOptions
from jitstudio.command_options.values import HEADERS, MODULE, MODULES, PATH, PATHS
from tests.hostile.shares import in_shares, share
from tests.mcp_client import answers_to, text_of
from tests.support import KERNEL

NAMES = {
    "missing": "none.cu",
    "a folder": "folder.cu",
    "a pipe": "pipe.cu",
    "a device": "device.cu",
    "a socket": "socket.cu",
    "a loop of links": "loop.cu",
    "a link to nothing": "broken.cu",
    "long": "k" * 300 + ".cu",
    "long, without an ending": "k" * 300,
    "long folders": "k/" * 3_000 + "k.cu",
    # Nothing can be written there.
    "above the root": "../" * 80 + "proc/none.cu",
    "another drive": "D:\\x.cu",
    "below a file": "good.cu/k.cu",
    "NUL": "k\0.cu",
    "not UTF-8": os.fsdecode(b"\xff.cu"),
    "blanks": "  .cu",
    "a line break": "a\nb.cu",
    "empty": "",
    "someone's home": "~nobody/x.cu",
    "a variable": "$HOME/x.cu",
    "control characters": "\x1b[31m.cu",
}
_LAUNCH = ("--grid", "1", "--block", "32", "--arg", "p=32:out")
_COMMANDS = {
    "build": ("sources",),
    "run": ("sources", *_LAUNCH, "--device", "sim"),
    "sweep": ("sources", "--axis", "block=32", *_LAUNCH[:2], *_LAUNCH[4:], "--devices", "sim"),
    "inspect": ("sources",),
    "diff": ("a", "b"),
    "export": ("cuda-core", "sources", *_LAUNCH),
    "check": ("files",),
    "import": ("link", "-o", "new"),
    "mcp": (),
    "doctor": (),
}
"""The words of each command that ends well, with names of fields in the place of files."""
_GOOD = {"sources": "good.cu", "a": "good.cu", "b": "good.cu", "files": "good.toml"}
_KINDS = {id(kind) for kind in (HEADERS, MODULE, MODULES, PATH, PATHS)}


def fields_of(options):
    """The names of the options that are names of files, each with its flag; empty for none."""
    for field, words in options.words():
        for word in words:
            is_link = field.name == "link" and not word.flags
            if is_link or (id(word.kind) in _KINDS and word.const is None):
                yield field.name, word.flags[-1] if word.flags else ""


PLACES = [
    pytest.param(command, *place, id=f"{command}-{place[0]}")
    for command in _COMMANDS
    for place in fields_of(_GRAMMARS[command].kind)
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with names that lead nowhere good."""
    (tmp_path / "good.cu").write_text(KERNEL)
    (tmp_path / "good.toml").write_text('[[budget]]\nsource = "good.cu"\nrequire = ["no double"]\n')
    (tmp_path / "folder.cu").mkdir()
    os.mkfifo(tmp_path / "pipe.cu")
    (tmp_path / "device.cu").symlink_to("/dev/zero")
    (tmp_path / "loop.cu").symlink_to("loop.cu")
    (tmp_path / "broken.cu").symlink_to("nothing.cu")
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket.cu")
        yield tmp_path


def words_of(command, field, flag, name):
    """The words of a command with a bad name at one place."""
    names = _GOOD if flag else _GOOD | {field: name}
    words = [command, *(names.get(word, word) for word in _COMMANDS[command])]
    if flag:
        value = f"a.h={name}" if flag == "--header" else name
        words.append(f"{flag}={value}" if flag.startswith("--") else f"{flag}{value}")
    return words


def is_sentence(text):
    """Whether a message is short, ends as a sentence does, and is none of Python's."""
    lines = text.rstrip().splitlines()
    return (
        bool(lines)
        and len(text) < 8_000
        and "Traceback" not in text
        and "Errno" not in text
        and lines[-1].endswith((".", "?", ")"))
    )


@in_shares
@pytest.mark.parametrize(("command", "field", "flag"), PLACES)
def test_a_command_says_which_name_is_bad(run, folder, command, field, flag, every):
    if command == "import" and flag:
        assert run("export", "text", "good.cu", "-o", "link").code == 0
    problems = {}
    for title, name in share(NAMES, f"{command} {field}", every).items():
        if command == "mcp" and title == "a folder":
            continue
        ran = run(*words_of(command, field, flag, name))
        # What is written somewhere odd is as good as elsewhere.
        if ran.code not in range(6) or (ran.code == 2 and not is_sentence(ran.err)):
            problems[title] = (ran.code, ran.err)
    assert problems == {}


def test_the_words_of_each_command_are_good(run, folder):
    assert run("export", "text", "good.cu", "-o", "link").code == 0
    for command, words in _COMMANDS.items():
        if command != "mcp":
            assert run(command, *(_GOOD.get(word, word) for word in words)).code == 0, words


# -- Python ----------------------------------------------------------------------------------------

_CALLS = {"build": BuildOptions, "inspect": InspectOptions, "run": RunOptions, "diff": DiffOptions}
_FUNCTIONS = [
    pytest.param(name, field, id=f"{name}-{field}")
    for name, options in _CALLS.items()
    for field, _ in fields_of(options)
    if field in signature(getattr(jitstudio, name)).parameters or field in ("sources", "a", "b")
]


@in_shares
@pytest.mark.parametrize(("name", "field"), _FUNCTIONS)
def test_a_function_says_which_name_is_bad(folder, name, field, every):
    problems = {}
    for title, bad in share(NAMES, f"{name} {field}", every).items():
        things = {"a": "good.cu", "b": "good.cu"} if name == "diff" else {"thing": "good.cu"}
        value = {"a.h": Path(bad)} if field == "headers" else bad
        place = "thing" if field == "sources" else field
        try:
            getattr(jitstudio, name)(**things | {place: value}, **_LAUNCHED.get(name, {}))
        except (TypeError, ValueError) as error:
            if not is_sentence(str(error)):
                problems[title] = str(error)
    assert problems == {}


_LAUNCHED = {"run": {"grid": 1, "block": 32, "arguments": {"p": "32:out"}, "device": "sim"}}


# -- Language models -------------------------------------------------------------------------------

_FILES = {
    **{name: (name, "sources", {}) for name in ("build", "inspect")},
    "check": ("check", "sources", {"require": ["no double"]}),
    "run": ("run", "sources", {"arguments": {"p": "32"}, "grid": "1", "block": "32"}),
    "diff": ("diff", "a", {"b": ["good.cu"]}),
    "compare": ("compare", "b", {"a": ["good.cu"]}),
}


def _buffer_of(name):
    return "run", {
        "sources": ["good.cu"],
        "arguments": {"p": f"32:file({name})"},
        "grid": "1",
        "block": "32",
    }


@in_shares
@pytest.mark.slow
@pytest.mark.skipif(find_spec("mcp") is None, reason="needs the package mcp")
def test_a_language_model_is_told_which_name_is_bad(folder, every):
    # What is no UTF-8 is no JSON, and no name in it leads out of the folder.
    names = {title: name for title, name in NAMES.items() if title != "not UTF-8"}
    calls = {
        (entry, title): (tool, {place: [name], **more})
        for entry, (tool, place, more) in _FILES.items()
        for title, name in share(names, entry, every).items()
    }
    names = share(names, "text", every)
    calls |= {("text", title): ("build", {"sources": {n: KERNEL}}) for title, n in names.items()}
    calls |= {("buffer", title): _buffer_of(name) for title, name in names.items()}
    problems = {}
    for call, result in answers_to(folder, calls).items():
        text = text_of(result)
        # A text may have any name that ends as one of the languages does.
        well = is_sentence(text) if result.is_error else call[0] in ("text", "buffer")
        if not well or len(text) > 4_000 or "root:" in text:
            problems[call] = text
    assert problems == {}
