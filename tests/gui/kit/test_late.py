import re
import subprocess
import sys
from pathlib import Path

from jitstudio.gui.kit.late import Late

GUI = Path(__file__).parents[3] / "jitstudio" / "gui"


def test_each_is_found():
    for late in Late:
        module, _, name = late.value.partition(":")
        found = late.get()
        assert (found.__module__, found.__name__) == (module, name)


def test_each_is_used():
    texts = "".join(path.read_text("utf-8") for path in GUI.rglob("*.py"))
    assert set(re.findall(r"\bLate\.([A-Z_]+)", texts)) == {late.name for late in Late}


def test_the_window_comes_without_what_is_behind_them():
    code = (
        "import sys, jitstudio.gui.window.main_window\n"
        "print([name for name in ('numpy', 'pyqtgraph', 'tree_sitter') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
