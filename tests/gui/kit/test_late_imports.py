import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
# Many classes each; other parts import them as a matter of course, the first stage does without.
SECOND_STAGE = (
    "jitstudio.core.diagnostics",
    "jitstudio.core.launch.spec",
    "jitstudio.core.project.project",
    "jitstudio.core.result",
    "jitstudio.help.samples",
)


def _late():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    tidy = project["tool"]["ruff"]["lint"]["flake8-tidy-imports"]
    return tidy["banned-module-level-imports"]


def test_what_must_come_late_is_there_to_come():
    assert [name for name in _late() if find_spec(name) is None] == []


@pytest.mark.slow
def test_the_window_comes_without_what_takes_long_to_import():
    names = ("numpy", "pyqtgraph", "tree_sitter", "ml_dtypes", *SECOND_STAGE, *_late())
    code = (
        "import sys, jitstudio.gui.window.main_window\n"
        f"print([name for name in {names!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
