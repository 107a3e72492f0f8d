import pytest

from jitstudio.analysis.matrix.plan import (
    MatrixError,
    parse_option_sets,
    parse_targets,
    variants,
)
from jitstudio.core.code import CodeKind
from jitstudio.core.request import LinkMode
from tests.analysis.matrix.matrices import SOURCE, plan
from tests.support import request, sample


def test_each_target_comes_with_each_option_set():
    base = request(SOURCE, options=("-DN=1",))
    made = variants(plan("sm_80", "sm_90a", options=("", "-O1 -fmad=false"), builds=(base,)))
    assert [(v.index, str(v.arch), v.options) for v in made] == [
        (0, "sm_80", ""),
        (1, "sm_80", "-O1 -fmad=false"),
        (2, "sm_90a", ""),
        (3, "sm_90a", "-O1 -fmad=false"),
    ]
    assert made[3].request.options == ("-DN=1", "-O1", "-fmad=false")
    assert made[3].request.arch == made[3].arch
    assert made[0].request.emit == {CodeKind.CUBIN}
    assert not made[0].request.use_cache


def test_each_link_is_a_row():
    both = (sample("apply_transform.cu"), sample("user_transform.cu"))
    builds = tuple(request(*both, link=word) for word in ("ptx", "lto"))
    assert [v.link for v in variants(plan("sm_90", builds=builds))] == [LinkMode.PTX, LinkMode.LTO]


def test_targets_are_read_with_commas_or_blanks():
    assert [str(a) for a in parse_targets("sm_80, 90a compute_100,sm_80")] == [
        "sm_80",
        "sm_90a",
        "sm_100",
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [("", "There is no target"), (" , ", "There is no target"), ("sm_80 x", "'x' is no target")],
)
def test_what_is_no_target_is_told(text, words):
    with pytest.raises(MatrixError, match=words):
        parse_targets(text)


@pytest.mark.parametrize(
    ("lines", "sets"),
    [
        ([], ("",)),
        ([""], ("",)),
        (["-O1", ""], ("-O1",)),
        (["", "-O1", " -O1 ", ""], ("", "-O1")),
    ],
)
def test_a_line_is_an_option_set(lines, sets):
    assert parse_option_sets(lines) == sets


def test_what_cannot_be_built_is_told():
    with pytest.raises(MatrixError, match="quot"):
        variants(plan("sm_90", options=("-D'",)))
    with pytest.raises(MatrixError, match="300 variants are more than the 256 of one table"):
        variants(plan("sm_90", options=[f"-DN={n}" for n in range(300)]))
