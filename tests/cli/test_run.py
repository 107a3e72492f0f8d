"""`jitstudio run` as a user starts it; what needs a GPU is marked so."""

import os

import pytest

from jitstudio.core.arch import Arch
from tests.support import SAMPLES, refusal

SAXPY = SAMPLES / "saxpy.cu"


def words(**changed):
    given = {
        "--kernel": "saxpy<float>",
        "--cover": "n",
    } | changed
    return [part for pair in given.items() for part in pair]


def has_driver(run):
    return run("devices").code == 0


@pytest.fixture
def no_driver(run):
    if has_driver(run):
        pytest.skip("there is a driver")


@pytest.mark.usefixtures("no_driver")
def test_without_a_driver_the_build_is_told_and_what_is_missing(run):
    ran = run("run", SAXPY, *words(), "--json")
    assert ran.code == 3
    told = ran.json
    assert told["outcome"] == "missing"
    assert told["kernel"].startswith("saxpy<float>")
    assert told["build"]["ok"]
    assert told["build"]["kernels"][0]["registers"] > 0
    assert "driver" in told["diagnostics"][0]["message"]


@pytest.mark.usefixtures("no_driver")
def test_without_a_driver_the_terminal_says_so_too(run):
    ran = run("run", SAXPY, *words())
    assert ran.code == 3
    assert ran.out.startswith("kernel     saxpy<float>")
    assert "built for sm_75" in ran.err
    assert "driver" in ran.err


def test_a_build_that_fails_is_reported_as_build_does(run):
    ran = run("run", SAMPLES / "broken.cu", "--json")
    assert ran.code == 1
    assert ran.json["outcome"] == "failed"
    assert ran.json["stages"]


def test_a_kernel_that_is_not_there_is_refused_with_those_that_are(run):
    ran = run("run", SAMPLES / "vector_add.cu", "--kernel", "vector_sub", "--grid", "1")
    assert ran.code == 2
    assert "vector_sub" in ran.err
    assert "vector_add" in ran.err


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (("--arg", "n"), "--arg takes NAME=TEXT, not 'n'"),
        (("--arg", "n=1", "--arg", "n=2"), "--arg gives 'n' twice"),
        (("--rtol", "-1"), "must be 0 or more"),
        (("--device", "first"), "'first' is not a number"),
        (("--sanitize", "everything"), "everything"),
        (("--arch", "sm_x"), refusal(Arch.parse, "sm_x")),
    ],
)
def test_wrong_usage_is_told_in_words(run, given, why):
    ran = run("run", SAXPY, *words(), *given)
    assert ran.code == 2
    assert why in ran.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_told_first(run, tmp_path):
    locked = tmp_path / "locked"
    locked.mkdir(0o500)
    ran = run("run", SAXPY, *words(), "--save", locked)
    assert ran.code == 2
    assert f"'{locked}' cannot be written: " in ran.err
    assert "place with --save." in ran.err


def test_a_file_in_the_place_of_a_folder_is_told_first(run, tmp_path):
    (tmp_path / "file").write_text("")
    ran = run("run", SAXPY, *words(), "--save", tmp_path / "file" / "out")
    assert ran.code == 2
    assert f"'{tmp_path / 'file' / 'out'}' cannot be written: " in ran.err
    assert "place with --save." in ran.err


ARGUMENTS = ("--arg", "n=1000", "--arg", "a=2.5f", "--arg", "x=n:random", "--arg", "y=n:range")


@pytest.mark.gpu
def test_a_kernel_runs_and_its_result_is_as_expected(run, tmp_path):
    ran = run(
        *("run", SAXPY, *words(), *ARGUMENTS, "--expect", "y = a * x + y", "--json"),
        *("--repeat", 5, "--save", tmp_path / "out"),
    )
    assert ran.code == 0, ran.err
    told = ran.json
    assert len(told["timing"]["samples_ms"]) == 5
    assert told["checks"][0]["ok"]
    assert told["checks"][0]["count"] == 1000
    assert (tmp_path / "out" / "y.npy").exists()


@pytest.mark.gpu
def test_a_failed_check_decides_the_status(run):
    ran = run("run", SAXPY, *words(), *ARGUMENTS, "--expect", "y = a * x")
    assert ran.code == 5
    assert "WRONG" in ran.out
    assert "expected" in ran.out
