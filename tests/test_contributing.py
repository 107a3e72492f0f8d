"""Files, modules and classes that CONTRIBUTING names are there, and its table names tests."""

import re
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support import ROOT

TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
# Blocks of code hold a feature that is not there; another test makes it.
PROSE = re.sub(r"(?m)^( {4}.*|```[^`]*```)$", "", TEXT.partition("### A pane, whole")[0])
SPANS = re.findall(r"`([^`]+)`", PROSE)
_HOMES = (ROOT, ROOT / "jitstudio", ROOT / "tests")
_PATH = re.compile(r"[\w.*-]+(?:/[\w.*-]+)+|[\w*-]+\.(?:py|toml|md|json)")
# What readers of this file make, or fill in.
_NOT_THERE = {"tmp/before", "tmp/after", "bin/activate"}
_MODULE = re.compile(r"(?:^|-m )(tests(?:\.\w+)+)$")
_CLASS = re.compile(r"[A-Z][a-z]+(?:[A-Z][a-z]+)+")


def paths():
    for span in SPANS:
        for path in _PATH.findall(span.replace("NAME", "*")):
            if not path.endswith(tuple(_NOT_THERE)):
                yield path


def is_there(path: str) -> bool:
    return any(any(home.glob(path)) for home in _HOMES)


@pytest.mark.parametrize("path", sorted(set(paths())))
def test_a_file_that_is_named_is_there(path):
    assert is_there(path)


def test_modules_that_are_run_are_there():
    modules = {name for span in SPANS for name in _MODULE.findall(span)}
    assert modules
    assert [name for name in modules if not (ROOT / f"{name.replace('.', '/')}.py").exists()] == []


def test_classes_that_are_named_are_there():
    sources = "\n".join(path.read_text("utf-8") for path in (ROOT / "jitstudio").rglob("*.py"))
    names = {span for span in SPANS if _CLASS.fullmatch(span)} - {NamedTuple.__name__}
    assert names
    defined = set(re.findall(r"class (\w+)", sources)) | set(re.findall(r"(\w+) = ", sources))
    assert names - defined == set()


def test_each_row_of_what_is_added_names_files_and_a_test():
    table = PROSE.partition("## Adding things")[2]
    rows = [row.split("|")[1:-1] for row in table.splitlines() if row.startswith("| a")]
    assert len(rows) >= 8
    for added, files, _, tests in rows:
        assert _PATH.search(files), added
        for test in re.findall(r"`([^`]+)`", tests):
            assert Path(ROOT, test).exists(), (added, test)


def test_what_is_told_elsewhere_is_found_by_its_first_words():
    rooms = ((ROOT / "jitstudio", "*.py"), (ROOT / "tests", "*.py"), (ROOT / "resources", "*.toml"))
    texts = [path.read_text("utf-8") for room, kind in rooms for path in room.rglob(kind)]
    assert sum(text.count("To add ") for text in texts) >= 30


def layers_of(container):
    """The rooms of a package from the lowest on, those of a layer together, by the contract."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    inside = container != "jitstudio"
    (layers,) = (c["layers"] for c in contracts if ("containers" in c) is inside and "layers" in c)
    for layer in reversed(layers):
        yield {name.rpartition(".")[2] for name in layer.split(" | ")}


@pytest.mark.parametrize("package", ["jitstudio", "jitstudio/gui"])
def test_the_map_has_all_rooms_in_the_order_of_the_layers(package):
    cells = re.findall(rf"^\| (`{package}/.*?) \|", PROSE, re.MULTILINE)
    rooms = [name for cell in cells for name in re.findall(r"`([\w/]+)`", cell)]
    names = [name.removeprefix(f"{package}/").removesuffix("/NAME") for name in rooms]
    folders = {path.parent.name for path in (ROOT / package).glob("*/__init__.py")}
    assert folders - {"gui"} <= set(names)
    places = [
        [names.index(room) for room in layer if room in names] for layer in layers_of(package)
    ]
    order = [place for layer in places for place in sorted(layer)]
    assert order == sorted(order)
