"""What is imported, as far as neither import-linter nor ruff sees it."""

import ast
import os
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from importlib.util import find_spec

import pytest

from jitstudio.cli import COMMANDS, module_of
from tests.support import ROOT

pytestmark = pytest.mark.slow


@cache
def loaded(module):
    """The modules that are loaded once this one has been imported, in a fresh process."""
    words = [sys.executable, "-c", f"import sys, {module}; print(*sys.modules)"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, check=True)
    return done.stdout.split()


def under(packages, module):
    """What of these packages is loaded with a module."""
    below = tuple(f"{package}." for package in packages)
    return [name for name in loaded(module) if f"{name}.".startswith(below)]


ALL_COMMANDS = ", ".join(map(module_of, ("main", "version", *COMMANDS)))


@pytest.mark.parametrize("module", [ALL_COMMANDS, "jitstudio.__main__", "jitstudio.start"])
def test_the_command_line_loads_nothing_heavy(module):
    heavy = ("PySide6", "shiboken6", "cuda", "elftools", "numpy", "pygments")
    assert under((*heavy, "jitstudio.toolchain"), module) == []


ROOMS_OF_A_BUILD = {
    *("cache", "cli", "command_options", "commands", "core", "export", "listing", "system"),
    *("core.bounds", "core.launch", "core.options", "core.options.rows"),
    *("worker", "worker.programs", "worker.sandbox"),
}
"""The folders of `jitstudio` of which an unchanged build needs a module."""


def test_an_unchanged_build_loads_only_what_it_needs(tmp_path):
    """No launches, projects, readers of machine code, reports and lessons."""
    # Beside the cache: what is made in the folder of a source may be a header.
    folder = tmp_path / "sources"
    folder.mkdir()
    (folder / "k.cu").write_text('extern "C" __global__ void k(float* p) { *p = 2; }\n')
    places = {f"JITSTUDIO_{name}_DIR": str(tmp_path / name) for name in ("CACHE", "CONFIG")}
    words = [sys.executable, "-X", "importtime", "-m", "jitstudio", "build", "k.cu"]
    for _ in range(2):
        done = subprocess.run(
            words,
            capture_output=True,
            text=True,
            cwd=folder,
            env=os.environ | places | {"PYTHONPATH": str(ROOT)},
            check=True,
        )
    assert "from cache" in done.stderr
    names = re.findall(r"^import time:.*\bjitstudio\.(\S+)$", done.stderr, re.MULTILINE)
    rooms = {name.rpartition(".")[0] for name in names} - {""}
    assert rooms == ROOMS_OF_A_BUILD
    assert len(names) < 90
    # Of the tables and texts of launches it needs the ordinal of the simulator.
    of_launches = {name for name in names if name.startswith("core.launch.")}
    assert of_launches == {f"core.launch.{name}" for name in ("device", "entry", "problems")}


def test_the_child_of_a_compile_loads_no_reader_of_host_code_or_machine_code():
    child = "jitstudio.worker.children.build"
    late = ("launches.instances", "host_syntax")
    late_modules = [f"jitstudio.listing.cuda.host_{name}" for name in late]
    assert under(("numpy", "jitstudio.analysis", *late_modules), child) == []
    assert under(("jitstudio.toolchain.nvrtc",), child)


@pytest.mark.skipif(find_spec("PySide6") is None, reason="PySide6 is not installed")
def test_the_window_loads_no_native_library():
    native = ("cuda", "jitstudio.toolchain", "jitstudio.worker.children")
    assert under(native, "jitstudio.gui.window.application") == []


def test_the_child_loads_no_qt():
    assert under(("cuda.bindings",), "jitstudio.worker.children.build")
    assert under(("PySide6",), "jitstudio.worker.children.build") == []


def is_known(name):
    """Whether a dotted name is one of a module, or of something in one."""
    first, *rest = name.split(".")
    for base in ("jitstudio", "jitstudio/gui", "jitstudio/gui/features"):
        path, left = ROOT / base / first, list(rest)
        while left and (path / left[0]).is_dir():
            path /= left.pop(0)
        if not path.is_dir():
            continue
        modules = [path / f"{left.pop(0)}.py"] if left and (path / f"{left[0]}.py").exists() else []
        if not left:
            return True
        texts = [module.read_text() for module in modules or path.glob("*.py")]
        if any(re.search(rf"\b{left[0]}\b", text) for text in texts):
            return True
    return False


def test_what_docstrings_and_tables_refer_to_exists():
    rooms = [p.name for base in ("", "gui") for p in (ROOT / "jitstudio" / base).iterdir()]
    dotted = re.compile(rf"`((?:{'|'.join(room for room in rooms if room.isalpha())})\.[\w.]+)`")
    files = [*(ROOT / "jitstudio").rglob("*.py"), *(ROOT / "resources").rglob("*.toml")]
    names = {name for file in files for name in dotted.findall(file.read_text("utf-8"))}
    assert len(names) > 20
    assert sorted(name for name in names if not is_known(name)) == []


def test_no_two_public_classes_share_their_name():
    trees = (ast.parse(path.read_text()) for path in (ROOT / "jitstudio").rglob("*.py"))
    classes = (node for tree in trees for node in tree.body if isinstance(node, ast.ClassDef))
    count = Counter(node.name for node in classes if not node.name.startswith("_"))
    assert [name for name, times in count.items() if times > 1] == []
