"""The panes that CONTRIBUTING shows are built, as it says, in a copy of the checkout."""

import os
import re
import shutil
import subprocess
import sys
from textwrap import dedent

import pytest

from tests.support import ROOT

_TABLE = "jitstudio/gui/shell/pane_registry.py"
_MANUAL = "resources/help/window.md"
_SECTION = re.compile(r"^### (A pane.*?)\n(.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)
# An indented block, after the last path that is named above it.
_BLOCK = re.compile(r"(?:^(?: {4}.*)?\n)+", re.MULTILINE)
_PATH = re.compile(r"`((?:jitstudio|resources|tests)/[\w/.]+\.\w+)`")
# All that goes through the panes of the window, or the pages about them.
_TESTS = (
    "tests/gui/shell/test_pane_registry.py",
    "tests/gui/shell/docking/test_layouts.py",
    "tests/gui/shell/test_synonyms.py",
    "tests/test_manual.py",
    "tests/gui/window/test_layout_controller.py::test_the_keyboard_reaches_every_pane",
    "tests/gui/test_staleness_in_window.py::test_a_failed_build_marks_every_pane_and_moves_nothing",
    "tests/gui/features/help/test_controller.py",
)

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


def files_in(section):
    """Each file of an example with its text; the row of the table among them."""
    start, files = 0, {}
    for block in _BLOCK.finditer(section):
        if code := block[0].strip("\n"):
            path = _PATH.findall(section, 0, block.start())[-1]
            assert path not in files, path
            files[path] = dedent(code) + "\n"
            start = block.end()
    assert start
    return files


def add(checkout, files):
    """Writes the files of an example; its row and its section go to the ends of theirs."""
    row = files.pop(_TABLE)
    table = checkout / _TABLE
    before, end, after = table.read_text("utf-8").partition("\n)\n\n\nBY_NAME")
    assert end
    table.write_text(f"{before}\n    {row.strip()}{end}{after}", "utf-8")
    section = files.pop(_MANUAL)
    with (checkout / _MANUAL).open("a", encoding="utf-8") as page:
        page.write(f"\n{section}")
    for path, text in files.items():
        (checkout / path).parent.mkdir(exist_ok=True)
        (checkout / path).write_text(text, "utf-8")
        if path.startswith("jitstudio/"):
            (checkout / path).with_name("__init__.py").touch()


@pytest.fixture
def checkout(tmp_path):
    """A copy of the checkout."""
    for part in ("jitstudio", "resources", "tests"):
        shutil.copytree(ROOT / part, tmp_path / part)
    for part in ("pyproject.toml", "CONTRIBUTING.md"):
        shutil.copy(ROOT / part, tmp_path)
    return tmp_path


def test_the_panes_of_the_examples_work_and_all_tests_of_panes_know_them(checkout):
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    examples = {title: files_in(section) for title, section in _SECTION.findall(text)}
    assert list(examples) == ["A pane, whole", "A pane over machine code"]
    tests = [path for files in examples.values() for path in files if path.startswith("tests/")]
    assert len(tests) == len(examples)
    for files in examples.values():
        add(checkout, files)
    surroundings = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST")}
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", *tests, *_TESTS],
        cwd=checkout,
        env={**surroundings, "PYTHONPATH": str(checkout)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout[-8000:] + ended.stderr[-2000:]
