"""Who may import whom, as far as import-linter does not see it, and how large code may grow."""

import ast
import subprocess
import sys
from importlib.util import find_spec

import pytest

from tests.support import ROOT

PACKAGE = ROOT / "jitstudio"
FILES = sorted(PACKAGE.rglob("*.py"))
MOST_LINES = 400
MOST_LINES_OF_A_FUNCTION = 60
# Where Qt and the commands part ways: each is imported only once it is wanted.
LATE_IMPORTS = {"__main__.py", "start.py"}


def named(path):
    return str(path.relative_to(PACKAGE))


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


@pytest.mark.parametrize("module", ["jitstudio.cli.main", "jitstudio.__main__", "jitstudio.start"])
@pytest.mark.parametrize(
    "heavy",
    ["PySide6", "shiboken6", "cuda", "elftools", "numpy", "pygments", "jitstudio.toolchain"],
)
def test_the_command_line_loads_nothing_heavy(loaded, module, heavy):
    assert under(heavy, loaded(module)) == []


@pytest.mark.skipif(find_spec("PySide6") is None, reason="PySide6 is not installed")
@pytest.mark.parametrize("native", ["cuda", "jitstudio.toolchain", "jitstudio.worker.child"])
def test_the_window_loads_no_native_library(loaded, native):
    assert under(native, loaded("jitstudio.gui.app")) == []


def test_the_child_loads_no_qt(loaded):
    modules = loaded("jitstudio.worker.child")
    assert under("cuda.bindings", modules)
    assert under("PySide6", modules) == []


def test_the_tree_is_found():
    assert {"__main__.py", "core/plan.py", "worker/child.py"} <= {named(path) for path in FILES}


@pytest.mark.parametrize("path", FILES, ids=named)
def test_nothing_is_read_that_can_run_what_it_reads(path):
    imported = {
        name.split(".")[0]
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in [getattr(node, "module", None) or "", *(alias.name for alias in node.names)]
    }
    assert imported & {"pickle", "cPickle", "marshal", "shelve", "dill", "cloudpickle"} == set()


@pytest.mark.parametrize("path", FILES, ids=named)
def test_no_file_outgrows_its_job(path):
    assert len(path.read_text("utf-8").splitlines()) <= MOST_LINES


@pytest.mark.parametrize("path", FILES, ids=named)
def test_no_function_outgrows_a_screen(path):
    functions = [
        node
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    long = {
        node.name: length
        for node in functions
        if (length := node.end_lineno - node.lineno + 1) > MOST_LINES_OF_A_FUNCTION
    }
    assert long == {}


@pytest.mark.parametrize("path", FILES, ids=named)
def test_imports_stand_at_the_top(path):
    late = [
        inner.lineno
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for inner in ast.walk(node)
        if isinstance(inner, ast.Import | ast.ImportFrom)
    ]
    assert late == [] or named(path) in LATE_IMPORTS
