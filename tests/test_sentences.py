"""What the manual, the schemas and docstrings claim is so: commands, placeholders, enumerations."""

import contextlib
import importlib
import inspect
import io
import json
import pkgutil
import re
import shlex
from dataclasses import is_dataclass
from enum import Enum

import pytest

import jitstudio
from jitstudio import api
from jitstudio.analysis.findings.model import Finding
from jitstudio.cli import COMMANDS
from jitstudio.cli.arguments import command_line, command_parsers
from jitstudio.cli.help import page_lines
from jitstudio.core.diagnostics import Severity
from jitstudio.help.manual import pages
from tests.manual import SCHEMAS
from tests.support import ROOT

TEXTS = {page.name: page.text for page in pages().values()}
TEXTS["README"] = (ROOT / "README.md").read_text("utf-8")
# A command line in a block, with the lines that it goes on with, up to what a shell does with it.
_BLOCK = re.compile(r"^ {4}(?:\$ )?jitstudio (?P<words>(?:[^\\\n]|\\\n)+)", re.MULTILINE)
_ENDS = {"|", "&&", ";", ">", "2>"}
_INLINE = re.compile(r"`jitstudio (?P<words>[^`]*)`")
_PLACEHOLDER = re.compile(r"(?<![\w$}])\{[a-z_]+\}")
_CODE = re.compile(r"`[^`\n]*`|^ {4}.*$", re.MULTILINE)


# Before its sections is an overview, with words for what is to be filled in.
_OVERVIEW = "terminal"


def blocks():
    for name, text in TEXTS.items():
        if name == _OVERVIEW:
            text = text.partition("\n## ")[2]
        for line in _BLOCK.finditer(text):
            words = shlex.split(line["words"].replace("\\\n", " "), comments=True)
            end = next((n for n, word in enumerate(words) if word in _ENDS), len(words))
            yield pytest.param(words[:end], id=f"{name}-{' '.join(words[:3])}")


@pytest.mark.parametrize("words", list(blocks()))
def test_each_command_of_the_manual_is_one(words):
    if words[0] not in COMMANDS:
        assert not words[0].startswith("-"), "a file opens the window"
        return
    problem: list[object] = []
    with contextlib.redirect_stderr(io.StringIO()) as said:
        try:
            command_line(words)
        except SystemExit as end:
            problem = [end.code, said.getvalue()]
    assert problem == []


def test_commands_in_sentences_have_the_options_that_they_name():
    known = command_parsers()
    for name, text in TEXTS.items():
        found = [*_INLINE.finditer(text)]
        for line in (*found, *_BLOCK.finditer(text)) if name == _OVERVIEW else found:
            command, *words = line["words"].split()
            if command.islower() and "." not in command and not command.startswith("-"):
                assert command in known, (name, line[0])
                options = {word.partition("=")[0] for word in words if word[:2] == "--" != word}
                taken = {o for action in known[command]._actions for o in action.option_strings}
                assert options <= taken, (name, line[0])


def test_no_page_shows_a_placeholder():
    for page in pages().values():
        prose = _CODE.sub("", page.text)
        assert not _PLACEHOLDER.findall(prose), page.name
        assert "{keys}" not in "\n".join(page_lines(page, 100))


_MODULES = tuple(f"jitstudio.{name}" for name in ("core", "analysis", "checks", "variants"))


def enumerations():
    """The values of each Enum of jitstudio outside of the window."""
    found = []
    for module in pkgutil.walk_packages(jitstudio.__path__, "jitstudio."):
        if module.name.startswith(_MODULES):
            for kind in vars(importlib.import_module(module.name)).values():
                if inspect.isclass(kind) and issubclass(kind, Enum) and kind is not Enum:
                    found.append({each.value for each in kind})
    return found


def enums_of(node):
    if isinstance(node, dict):
        values = node.get("enum")
        if isinstance(values, list) and len(values) > 1:
            yield {value for value in values if value is not None}
        for each in node.values():
            yield from enums_of(each)
    if isinstance(node, list):
        for each in node:
            yield from enums_of(each)


# Where occupancy comes from, what a listing is of, what an access does.
_OF_JSON_ALONE = (
    {"calculated", "driver"},
    {"ptx", "sass", "source"},
    {"load", "store", "atomic"},
)


def test_the_values_that_schemas_list_are_those_of_an_enumeration():
    known = [*enumerations(), *_OF_JSON_ALONE]
    every = set().union(*known)
    for file in SCHEMAS.glob("*.json"):
        for values in enums_of(json.loads(file.read_text("utf-8"))):
            # A sweep tells builds and launches apart.
            bare = {value.removeprefix("build-") for value in values}
            fits = any(values <= each for each in known) or (bare != values and bare <= every)
            assert fits, (file.name, values)


_VALUES = re.compile(r"``([a-z][a-z-]*)``(?=,| or |\.|;)")


def test_the_severities_that_the_interface_names_are_those_there_are():
    there = {severity.value for severity in Severity}
    seen = 0
    modules = {inspect.getmodule(thing) for thing in vars(api).values() if is_dataclass(thing)}
    modules |= {importlib.import_module("jitstudio.api.kernels"), inspect.getmodule(Finding)}
    for module in filter(None, modules):
        for kind in vars(module).values():
            if not is_dataclass(kind):
                continue
            for line in re.findall(r"^ +severity: (.*)$", inspect.getdoc(kind) or "", re.M):
                seen += 1
                assert set(_VALUES.findall(line)) <= there, (kind, line)
    assert seen


@pytest.mark.tools
def test_bytes_of_code_count_what_fills_the_last_line(run, tmp_path):
    (tmp_path / "k.cu").write_text('extern "C" __global__ void k(int *p) { *p = 1; }\n')
    report = json.loads(run("inspect", tmp_path / "k.cu", "--json").out)["kernels"][0]["report"]
    # An instruction has 16 bytes on all targets that there are.
    assert report["code_bytes"] == 16 * (report["instructions"] + report["padding"])
    assert report["padding"] > 0
