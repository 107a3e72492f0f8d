import pytest

from tests.support import SAMPLES

SAMPLE = SAMPLES / "vector_add.cu"


def test_a_second_run_finds_what_the_first_has_made(run):
    first = run("build", SAMPLE, "--emit", "ptx,sass", "--json").json
    again = run("build", SAMPLE, "--emit", "ptx,sass", "--json").json
    assert [stage["cached"] for stage in first["stages"]] == [False, False]
    assert [stage["cached"] for stage in again["stages"]] == [True, True]
    assert [stage["ms"] for stage in again["stages"]] == [0.0, 0.0]
    assert again["artifacts"] == first["artifacts"]
    assert again["kernels"] == first["kernels"]


def test_the_terminal_says_what_comes_from_the_cache(run):
    assert "from cache" not in run("build", SAMPLE).err
    assert "ok  from cache" in run("build", SAMPLE).err


def test_a_repeated_build_is_for_the_times_and_leaves_the_cache_alone(run, cache_folder):
    for _ in range(2):
        runs = run("build", SAMPLE, "--repeat", "2", "--json").json["runs"]
        assert all(one["tool_ms"] > 0 for one in runs)
    assert not cache_folder.exists()


def test_the_cache_tells_its_size_and_can_be_cleared(run, cache_folder):
    empty = run("cache", "--json").json
    assert empty == {
        "folder": str(cache_folder),
        "bytes": 0,
        "limit_bytes": 512 << 20,
        "cleared_bytes": None,
        "problem": None,
    }
    run("build", SAMPLE)
    held = run("cache", "--json").json["bytes"]
    assert held > 1000
    assert f"{held:,} of at most 536,870,912 bytes in {cache_folder}" in run("cache").out
    cleared = run("cache", "--clear", "--json").json
    assert (cleared["cleared_bytes"], cleared["bytes"]) == (held, 0)
    assert not run("build", SAMPLE, "--json").json["stages"][0]["cached"]
    assert "bytes cleared" in run("cache", "--clear").out


@pytest.fixture
def blocked_cache(tmp_path, monkeypatch):
    """A file stands where the folder of the cache should be."""
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("JITSTUDIO_CACHE_DIR", str(tmp_path / "file" / "cache"))


@pytest.mark.parametrize("words", [(), ("--clear",), ("--json",)])
@pytest.mark.usefixtures("blocked_cache")
def test_a_cache_that_cannot_be_used_is_told_in_words(run, words):
    ran = run("cache", *words)
    assert ran.code == 2
    assert "cannot be used" in (ran.json["problem"] if "--json" in words else ran.err)


@pytest.mark.usefixtures("blocked_cache")
def test_a_build_goes_on_without_its_cache(run):
    ran = run("build", SAMPLE)
    assert ran.code == 0
    assert "warning: The cache in" in ran.err
