from dataclasses import replace

import pytest

from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind
from jitstudio.core.request import BuildRequest, LinkMode
from jitstudio.core.result import BuildResult, Outcome
from jitstudio.listing.link_comparison import MODES, both_ways, compare_links
from jitstudio.worker.builder import Builder
from tests.support import request, sample

pytestmark = pytest.mark.tools


@pytest.fixture(scope="module")
def figures():
    sources = (sample("apply_transform.cu"), sample("user_transform.cu"))
    host = Builder()
    results = [host.build(way) for way in both_ways(BuildRequest(sources))]
    host.close()
    assert [result.ok for result in results] == [True, True]
    return {(f.subject, f.name): (f.ptx, f.lto) for f in compare_links(*results).figures}


def test_lto_has_inlined_what_the_ptx_link_calls(figures):
    assert figures["user_transform", "instructions"][0] == 2
    assert figures["user_transform", "instructions"][1] is None
    called, inlined = figures["apply_transform", "instructions"]
    assert 0 < inlined < called


def test_the_whole_is_told_for_both(figures):
    for name in ("cubin, bytes", "link, ms", "whole build, ms"):
        assert all(value > 0 for value in figures["", name]), name


def test_a_link_that_failed_leaves_gaps():
    failed = BuildResult(Outcome.FAILED, Arch(90))
    names = [figure.name for figure in compare_links(failed, failed).figures]
    assert names == ["whole build, ms"]
    assert LinkMode.NONE not in MODES


def test_both_ways_differ_in_the_link_alone():
    first, second = both_ways(request(sample("saxpy.cu"), emit="ptx", options=("-lineinfo",)))
    assert (first.link, second.link) == MODES
    assert replace(first, link=second.link) == second
    assert first.emit == {CodeKind.CUBIN, CodeKind.SASS}
    assert first.options == ("-lineinfo",)
    assert not first.use_cache
