"""What is imported late: in which thread, in which order, and what is left out."""

import subprocess
import sys
import textwrap
import threading
from importlib import import_module

import pytest

from jitstudio.gui.kit.late_import import LateImport
from tests.gui.threads import watched_imports

# All that the window imports late, and in which thread its classes were defined.
_ALL = """
from PySide6.QtWidgets import QApplication

from jitstudio.gui.features.report import view
from jitstudio.gui.kit.late_import import LateImport
from jitstudio.gui.window import main_window
from tests.gui.threads import watched_imports

app = QApplication([])
imports = LateImport()

def features():
    return main_window._window_builder().features()

def steps():
    yield main_window._window_builder, ()
    yield lambda: None, features()
    yield view._plots, ()

todo = steps()

def go_on(_outcome=None):
    step = next(todo, None)
    if step is None:
        app.quit()
    else:
        imports.start(*step)

imports.done.connect(go_on)
imports.failed.connect(print)
with watched_imports() as found:
    go_on()
    app.exec()
import sys
loaded = [name for name in ("pyqtgraph", *features()) if name not in sys.modules]
print(found, loaded)
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Modules with Qt classes, one of which imports the other, as parts of the window's package."""
    folder = tmp_path / "late"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(tmp_path))
    head = "from PySide6.QtCore import QObject\n"
    (folder / "__init__.py").write_text("")
    (folder / "below.py").write_text(f"{head}class Below(QObject): pass\n")
    (folder / "above.py").write_text(
        f"{head}from typing import TYPE_CHECKING\nfrom late.below import Below\n"
        "if TYPE_CHECKING:\n    from late.never import Never\nclass Above(Below): pass\n"
    )
    monkeypatch.setattr("jitstudio.gui.kit.late_import._OF_QT", ("late.",))
    monkeypatch.setattr("jitstudio.gui.kit.late_import._OURS", "late.")
    yield folder
    for name in [name for name in sys.modules if name.partition(".")[0] == "late"]:
        del sys.modules[name]


def _above():
    from late.above import Above

    return Above


def test_classes_come_one_after_the_other_in_the_thread_of_the_window(qtbot, package):
    imports = LateImport()
    with watched_imports() as found, qtbot.waitSignal(imports.done) as done:
        imports.start(_above)
    assert done.args[0].__mro__[1].__name__ == "Below"
    assert found == []
    assert [name for name in sys.modules if name.startswith("late.")] == [
        "late.below",
        "late.above",
    ]


def test_a_module_that_is_missing_is_told(qtbot, package):
    (package / "below.py").write_text("import late.nowhere\n")
    imports = LateImport()
    with qtbot.waitSignal(imports.failed) as failed:
        imports.start(_above)
    assert "late.nowhere" in failed.args[0]
    assert not imports.is_busy


def test_classes_that_a_thread_defines_are_found(package, thread_imports):
    thread = threading.Thread(target=import_module, args=("late.above",))
    thread.start()
    thread.join()
    assert thread_imports == ["late.below", "late.above"]
    # As the guard of all tests would say.
    thread_imports.clear()


@pytest.mark.slow
def test_no_thread_defines_a_class_of_the_window():
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(_ALL)], capture_output=True, text=True, timeout=300
    )
    assert done.stdout == "[] []\n", done.stderr
