"""`jitstudio sweep` as a user starts it. GPU 4711 is nowhere: all is built, nothing launched."""

import csv

import pytest

from tests.support import SAMPLES

SAXPY = SAMPLES / "saxpy.cu"
WORDS = ("sweep", SAXPY, "--kernel", "saxpy<{T}>", "--cover", "n", "--devices", "4711")


def test_each_variant_is_a_row_even_where_none_can_be_launched(run, tmp_path):
    table = tmp_path / "table.csv"
    ran = run(
        *(*WORDS, "--axis", "block=32,128", "--axis", "T=float,double", "--json"),
        *("--csv", table, "--jobs", 2),
    )
    assert ran.code == 3
    told = ran.json
    assert told["best"] is None
    assert [row["label"] for row in told["variants"]][1] == "block=32 T=double"
    assert all(row["outcome"] == "missing" for row in told["variants"])
    assert all(row["registers"] > 0 for row in told["variants"])
    # sm_90 holds 32 blocks and 64 warps, however few registers they need.
    message_about = [(row["occupancy"], row["occupancy_source"]) for row in told["variants"]]
    assert message_about == [(0.5, "calculated")] * 2 + [(1.0, "calculated")] * 2
    with table.open() as lines:
        assert [row["T"] for row in csv.DictReader(lines)] == ["float", "double"] * 2
    # Progress is no result.
    assert "[4/4]" in ran.err


def test_the_terminal_shows_a_table(run):
    ran = run(*WORDS, "--axis", "T=float", "--axis", "-DUNROLL=1,2", "--axis", "target=sm_80,sm_90")
    assert ran.code == 3
    heading, *rows = ran.out.splitlines()
    assert heading.split()[:4] == ["T", "UNROLL", "target", "outcome"]
    assert len(rows) == 4
    assert rows[1].split()[:4] == ["float", "1", "sm_90", "missing"]
    assert all("100% (calculated)" in row for row in rows)


def test_when_nothing_can_be_built_the_status_says_so(run):
    ran = run("sweep", SAMPLES / "broken.cu", "--axis", "options=-O1;-O3", "--grid", "1", "--json")
    assert ran.code == 1
    assert {row["outcome"] for row in ran.json["variants"]} == {"build-failed"}


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ((), "Say what to vary"),
        (("--axis", "T"), "is written NAME=VALUE"),
        (("--axis", "block=1,2"), "values for {T}. "),
        (("--axis", "T=int", "--dask", "tcp://127.0.0.1:9", "--jobs", "2"), "--jobs is for this"),
        (("--axis", "T=int", "--csv", "no/such/folder.csv"), "Choose another place with --csv"),
    ],
)
def test_wrong_usage_is_told_in_words(run, given, why):
    ran = run(*WORDS, *given)
    assert ran.code == 2
    assert why in ran.err


@pytest.mark.gpu
def test_the_fastest_is_the_best(run):
    ran = run(
        *("sweep", SAXPY, "--kernel", "saxpy<{T}>", "--cover", "n", "--axis", "block=32,256"),
        *("--axis", "T=float,double", "--arg", "n=1<<20", "--arg", "a=2", "--arg", "x=n:random"),
        *("--arg", "y=n", "--expect", "y = a * x + y", "--json"),
    )
    assert ran.code == 0, ran.err
    told = ran.json
    times = [row["median_ms"] for row in told["variants"]]
    assert times[told["best"]] == min(times)
    assert all(row["check"] for row in told["variants"])
