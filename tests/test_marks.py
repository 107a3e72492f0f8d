"""How the tests are run: the inner loop starts nothing, and a wrong path is refused at once."""

import ctypes
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tests.conftest import pytest_configure
from tests.marks import is_left_out, started_by

INNER = "not tools and not window and not slow"


def test_a_process_needs_a_mark(request):
    with started_by(request.node) as started:
        subprocess.run([sys.executable, "--version"], check=True, capture_output=True)
    assert "without the mark 'tools' or 'slow'" in started.missing_marks


def test_a_library_of_nvidias_needs_a_mark(request):
    with started_by(request.node) as started, pytest.raises(OSError, match="libnvrtc"):
        ctypes.CDLL("/nowhere/libnvrtc.so.13")
    assert "without the mark 'tools' or 'slow'" in started.missing_marks


def test_an_application_of_qt_needs_a_mark(request, monkeypatch):
    class Core:
        class QCoreApplication:
            made = None

            @classmethod
            def instance(cls):
                return cls.made

    monkeypatch.setitem(sys.modules, "PySide6.QtCore", Core)
    with started_by(request.node) as started:
        assert started.missing_marks == ""
        Core.QCoreApplication.made = Core
        assert "without the mark 'window'" in started.missing_marks
        monkeypatch.undo()


@pytest.mark.slow
@pytest.mark.tools
def test_what_is_marked_may(request):
    with started_by(request.node) as started:
        subprocess.run([sys.executable, "--version"], check=True, capture_output=True)
    assert started.missing_marks == ""


@pytest.mark.bench
def test_what_takes_long_has_an_hour(request):
    assert request.node.get_closest_marker("timeout").args == (3600,)


def test_a_folder_of_windows_is_not_even_imported_for_the_inner_loop():
    gui = Path(__file__).parent / "gui"
    assert is_left_out(gui, INNER)
    assert not is_left_out(gui / "toolchain", INNER)
    assert not is_left_out(gui, "not slow")
    assert not is_left_out(gui.parent / "core", INNER)


def test_a_path_that_is_not_there_is_refused_before_any_process_starts(pytestconfig, monkeypatch):
    monkeypatch.setattr(pytestconfig, "args", [f"{__file__}::test_x"])
    pytest_configure(pytestconfig)
    monkeypatch.setattr(pytestconfig, "args", [__file__, f"{__file__}.none::test_x"])
    with pytest.raises(pytest.UsageError, match=r"not found: \S+\.none$"):
        pytest_configure(pytestconfig)


def test_no_folder_of_tests_is_left_out_by_its_name(pytestconfig):
    """As pytest leaves out `build` and `dist` unless it is told otherwise."""
    tests = Path(__file__).parent
    parts = {
        part for path in tests.rglob("test_*.py") for part in path.relative_to(tests).parts[:-1]
    }
    left_out = pytestconfig.getini("norecursedirs")
    assert [part for part in sorted(parts) if any(fnmatch(part, p) for p in left_out)] == []
