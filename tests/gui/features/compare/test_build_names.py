from dataclasses import replace
from datetime import datetime

import pytest

from jitstudio.core.arch import Arch
from jitstudio.core.request import LinkMode
from jitstudio.gui.features.compare.build_names import build_name, difference_titles, what_differs
from tests.support import cuda, request

AT = datetime(2026, 1, 2, 12, 30, 5)
LATER = datetime(2026, 1, 2, 12, 31, 0)
PLAIN = replace(request(cuda("")), arch=Arch(90))
FAST = replace(PLAIN, options=("--use_fast_math", "-D", "N=1"))


def test_a_name_tells_target_options_and_time():
    assert build_name(FAST, AT) == (
        f"{FAST.sources[0].name}, sm_90, --use_fast_math -D N=1, 12:30:05"
    )
    assert build_name(replace(PLAIN, link=LinkMode.LTO), AT) == "LTO link, sm_90, 12:30:05"


@pytest.mark.parametrize(
    ("one", "other", "told", "other_told"),
    [
        (PLAIN, PLAIN, "", ""),
        (PLAIN, FAST, "without --use_fast_math -D N=1", "--use_fast_math -D N=1"),
        (FAST, replace(FAST, options=("--use_fast_math", "-DN=2")), "-D N=1", "-DN=2"),
        (PLAIN, replace(PLAIN, arch=Arch(100)), "sm_90", "sm_100"),
        (PLAIN, replace(PLAIN, link=LinkMode.PTX), PLAIN.sources[0].name, "PTX link"),
    ],
)
def test_both_say_what_only_they_have(one, other, told, other_told):
    assert (what_differs(one, other), what_differs(other, one)) == (told, other_told)


def test_titles_tell_what_differs_and_when_it_was_built():
    assert difference_titles(PLAIN, AT, FAST, LATER) == (
        "Baseline: without --use_fast_math -D N=1, 12:30:05",
        "Now: --use_fast_math -D N=1, 12:31:00",
    )
    assert difference_titles(PLAIN, AT, PLAIN, LATER) == ("Baseline: 12:30:05", "Now: 12:31:00")
