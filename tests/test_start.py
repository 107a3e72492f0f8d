"""`jitstudio` without a command: where no window can be opened, and what comes before one."""

import os
import subprocess
import sys

import pytest

from tests.support import SAMPLES

NO_DISPLAY = {"QT_QPA_PLATFORM": "", "DISPLAY": "", "WAYLAND_DISPLAY": ""}


def test_without_a_display_the_first_sample_is_built_in_the_terminal(run_apart):
    ran = run_apart(**NO_DISPLAY)
    assert ran.code == 0
    assert ran.err.startswith("jitstudio: no window ")
    assert "Building in the terminal instead" in ran.err
    assert ".visible .entry vector_add(" in ran.out


def test_a_display_that_nobody_serves_is_found_out_before_qt_is_asked(run_apart):
    ran = run_apart(**NO_DISPLAY | {"DISPLAY": ":987"})
    assert ran.code == 0
    assert "jitstudio: no window can be opened here. " in ran.err


def test_files_are_built_in_place_of_the_sample(run_apart):
    ran = run_apart(SAMPLES / "saxpy.cu", **NO_DISPLAY)
    assert ran.code == 0
    assert "no kernel in the result" in ran.err
    ran = run_apart(SAMPLES / "broken.cu", **NO_DISPLAY)
    assert ran.code == 1
    assert "broken.cu:7:49: error" in ran.err


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("none.cu", "cannot be read"),
        ("none.jitproj", "cannot be opened"),
        ("frob", "no command or file called 'frob'"),
        ("chekc", "Did you mean 'check'?"),
    ],
)
def test_a_word_that_is_no_command_and_no_file_is_a_usage_error(run_apart, word, message):
    ran = run_apart(word, **NO_DISPLAY)
    assert ran.code == 2
    assert message in ran.err


def test_a_reader_that_leaves_early_is_no_error(command, environment):
    with subprocess.Popen(
        command(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment | NO_DISPLAY,
        text=True,
    ) as child:
        child.stdout.close()
        errors = child.stderr.read()
    assert child.returncode == 0
    assert "Broken pipe" not in errors
    assert "Traceback" not in errors


_WRONG_CALLS = """
from PySide6.QtCore import QObject, QTimer
for call in (lambda: QTimer().setInterval("x"), lambda: QTimer(1, 2, 3), lambda: QObject(nose=1)):
    try:
        call()
    except Exception as error:
        print(type(error), error)
print(QTimer.__doc__)
"""


@pytest.mark.slow
def test_pyside_says_the_same_and_its_code_is_compiled_once(tmp_path):
    def says(*lines):
        script = "\n".join((*lines, _WRONG_CALLS))
        surroundings = os.environ | {"PYTHONPYCACHEPREFIX": str(tmp_path)}
        surroundings.pop("PYTHONDONTWRITEBYTECODE", None)
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, env=surroundings
        )
        assert not done.stderr
        return done.stdout

    ours = ("from jitstudio.start import import_pyside", "import_pyside()")
    expected = says()
    assert "Supported signatures:" in expected
    assert says(*ours) == expected
    (kept,) = tmp_path.rglob("shibokensupport.signature.parser.*.pyc")
    before = kept.stat()
    assert says(*ours) == expected
    assert kept.stat().st_mtime_ns == before.st_mtime_ns
    # Another PySide's text in its place: compiled anew.
    kept.write_bytes(kept.read_bytes()[:8] + bytes(8) + b"not this one")
    assert says(*ours) == expected
    assert kept.stat().st_size == before.st_size
