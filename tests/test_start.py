"""`jitstudio` without a command, where no window can be opened."""

import subprocess

import pytest

from tests.support import SAMPLES

NO_DISPLAY = {"QT_QPA_PLATFORM": "", "DISPLAY": "", "WAYLAND_DISPLAY": ""}


def test_without_a_display_the_first_sample_is_built_in_the_terminal(run_apart):
    ran = run_apart(**NO_DISPLAY)
    assert ran.code == 0
    assert ran.err.startswith("jitstudio: no window can be opened here. ")
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
