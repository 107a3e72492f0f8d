"""Module variables and the pointers in structs on a GPU: filled, read back, restored."""

import pytest

from tests.symbol_launches import BUFFERS, CASES, CONV

pytestmark = pytest.mark.gpu


@pytest.fixture
def launched(run, tmp_path, bench):
    """Runs a source with these words on the first GPU."""

    def launch(source, *words):
        (tmp_path / "k.cu").write_text(source)
        return run("run", tmp_path / "k.cu", *words, "--json")

    return launch


@pytest.mark.parametrize("load", [(), ("--driver-jit",)], ids=["cubin", "driver-jit"])
@pytest.mark.parametrize("name", CASES)
def test_what_is_set_is_there_and_what_is_read_back_is_right(launched, name, load):
    source, words = CASES[name]
    ran = launched(source, *words, *load)
    assert ran.code == 0, ran.out
    assert ran.json["checks"]


def test_a_counter_is_read_back_after_one_launch_whatever_is_timed(launched):
    words = ("--set=mask={1, 2, 1}", "--set=hits=5:out", "--expect=hits = 259")
    ran = launched(CONV, *BUFFERS, *words, "--repeat=20")
    assert ran.code == 0, ran.out
    assert len(ran.json["timing"]["samples_ms"]) == 20
