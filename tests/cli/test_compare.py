import json

from tests.support import SAMPLES

MODULES = (SAMPLES / "apply_transform.cu", SAMPLES / "user_transform.cu")


def test_both_links_are_told_side_by_side(run):
    ran = run("build", *MODULES, "--compare-links", "--json")
    assert ran.code == 0
    told = json.loads(ran.out)
    assert told["ok"]
    assert told["ptx"]["kernels"][0]["name"] == told["lto"]["kernels"][0]["name"]
    figures = {(f["subject"], f["name"]): (f["ptx"], f["lto"]) for f in told["figures"]}
    called, inlined = figures["apply_transform", "instructions"]
    assert 0 < inlined < called
    assert figures["apply_transform", "registers"][0] > 0
    # Times from the cache would be no times.
    assert all(time > 0 for time in figures["", "link, ms"])


def test_the_terminal_shows_a_table(run):
    ran = run("build", *MODULES, "--compare-links")
    assert ran.code == 0
    heading, *rows = ran.out.splitlines()
    assert heading.split() == ["function", "figure", "PTX", "link", "LTO", "link"]
    assert any(row.startswith("apply_transform  registers") for row in rows)


def test_a_link_that_fails_decides_the_status(run):
    ran = run("build", MODULES[0], "--compare-links", "--json")
    assert ran.code == 1
    told = json.loads(ran.out)
    assert not told["ok"]
    assert any("user_transform" in d["message"] for d in told["ptx"]["diagnostics"])
