"""What is imported, as far as neither import-linter nor ruff sees it."""

import ast
import subprocess
import sys
from collections import Counter
from importlib.util import find_spec

import pytest

from jitstudio.cli import COMMANDS
from tests.support import ROOT

pytestmark = pytest.mark.slow


@pytest.fixture
def loaded(environment):
    """The modules that are loaded once this one has been imported, in a fresh process."""

    def names(module):
        code = f"import sys, {module}; print(*sys.modules)"
        words = [sys.executable, "-c", code]
        done = subprocess.run(words, capture_output=True, text=True, env=environment, check=True)
        return set(done.stdout.split())

    return names


def under(package, modules):
    return sorted(m for m in modules if m == package or m.startswith(f"{package}."))


ALL_COMMANDS = ", ".join(f"jitstudio.cli.{name}" for name in ("main", "version", *COMMANDS))


@pytest.mark.parametrize("module", [ALL_COMMANDS, "jitstudio.__main__", "jitstudio.start"])
@pytest.mark.parametrize(
    "heavy",
    ["PySide6", "shiboken6", "cuda", "elftools", "numpy", "pygments", "jitstudio.toolchain"],
)
def test_the_command_line_loads_nothing_heavy(loaded, module, heavy):
    assert under(heavy, loaded(module)) == []


@pytest.mark.skipif(find_spec("PySide6") is None, reason="PySide6 is not installed")
@pytest.mark.parametrize(
    "native", ["cuda", "jitstudio.toolchain", "jitstudio.worker.children.build"]
)
def test_the_window_loads_no_native_library(loaded, native):
    assert under(native, loaded("jitstudio.gui.window.application")) == []


def test_the_child_loads_no_qt(loaded):
    modules = loaded("jitstudio.worker.children.build")
    assert under("cuda.bindings", modules)
    assert under("PySide6", modules) == []


def test_no_two_public_classes_share_their_name():
    trees = (ast.parse(path.read_text()) for path in (ROOT / "jitstudio").rglob("*.py"))
    classes = (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    count = Counter(node.name for node in classes if not node.name.startswith("_"))
    assert [name for name, times in count.items() if times > 1] == []
