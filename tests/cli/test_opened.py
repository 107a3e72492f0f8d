"""Files that were built before, by `jitstudio build`."""

import pytest

from tests.support import SAMPLES

SOURCE = SAMPLES / "vector_add.cu"


@pytest.fixture
def folder(run, tmp_path):
    """A cubin for sm_80, and a fatbin for sm_80 and sm_90."""
    assert run("build", SOURCE, "--emit", "cubin,ptx", "--arch", "sm_80", "-o", tmp_path).code == 0
    assert run("build", SOURCE, "--fat", "sm_80,sm_90", "-o", tmp_path).code == 0
    return tmp_path


def test_the_sass_of_a_fatbin_is_that_for_the_target(run, folder):
    for target in ("sm_80", "sm_90"):
        ran = run("build", folder / "vector_add.fatbin", "--emit", "sass", "--arch", target)
        assert ran.code == 0
        assert f".target\t{target}" in ran.out
        assert f"The cubin for {target} was taken." in ran.err
        assert "vector_add" in ran.err


def test_a_cubin_is_told_with_its_own_target(run, folder):
    ran = run("build", folder / "vector_add.cubin", "--json", "--arch", "sm_90")
    assert ran.code == 0
    assert ran.json["arch"] == "sm_80"
    assert ran.json["kernels"][0]["registers"] > 0
    assert [artifact["kind"] for artifact in ran.json["artifacts"]] == ["sass"]


def test_ptx_is_told_of_all_that_hold_it(run, folder):
    for name in ("vector_add.cubin", "vector_add.fatbin"):
        ran = run("build", folder / name, "--emit", "ptx", "--arch", "sm_80")
        assert ran.code == 0
        assert ".visible .entry vector_add" in ran.out


def test_a_target_that_is_not_there_is_told_with_those_that_are(run, folder):
    ran = run("build", folder / "vector_add.fatbin", "--arch", "sm_120")
    assert ran.code == 1
    assert "It holds machine code for sm_80 and sm_90: choose one of these" in ran.err


@pytest.mark.parametrize("name", ["x.cubin", "x.fatbin", "x.o", "x.a"])
def test_what_is_no_such_file_is_told_in_words(run, tmp_path, name):
    (tmp_path / name).write_bytes(b"hello")
    ran = run("build", name)
    assert ran.code == 1
    assert name in ran.err
