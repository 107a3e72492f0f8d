import pytest


def test_help_names_every_command(run):
    ran = run("--help")
    assert ran.code == 0
    assert "build" in ran.out
    assert "doctor" in ran.out
    assert {"run", "sweep", "devices"} <= set(ran.out.split())
    assert "jitstudio [FILE...] opens the window" in ran.out


def test_help_of_build_tells_the_exit_codes(run):
    ran = run("build", "--help")
    assert ran.code == 0
    text = " ".join(ran.out.split())
    assert "0 built, 1 compile or link failed, 2 usage, 3 something is missing" in text


@pytest.mark.parametrize("word", ["run", "sweep"])
def test_help_of_what_launches_tells_the_status_of_a_failed_check(run, word):
    text = " ".join(run(word, "--help").out.split())
    assert "5 a check failed" in text


def test_an_axis_with_a_dash_needs_no_equals_sign(run):
    ran = run("sweep", "none.cu", "--axis", "-DN=1,2")
    assert ran.code == 2
    assert "'none.cu' cannot be read" in ran.err


def test_the_version_is_told(run):
    ran = run("--version")
    assert (ran.code, ran.out) == (0, "jitstudio 0.1.0\n")


def test_an_option_with_a_dash_needs_no_equals_sign(run):
    ran = run("build", "none.cu", "--option", "-lineinfo", "--option=-G")
    assert ran.code == 2
    assert "'none.cu' cannot be read" in ran.err
