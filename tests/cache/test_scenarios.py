"""Whatever changes between two builds, the cache and precompiled headers do not hide it.

A few scenarios run by default, 400 by ``.ci/run --bench``; each is known by its seed.
"""

from dataclasses import replace

import pytest

from jitstudio.cache.store import Store
from jitstudio.core.events import StageStarted
from jitstudio.worker.builder import Builder
from tests.cache.scenarios import INCLUDES, KERNEL, PLACES, scenario, write
from tests.support import cuda, request

FEW, MANY = 12, 400
_VARYING = ("Precompiled header", "No precompiled header", "Compile time", "compile time")


@pytest.fixture(scope="module")
def builders(tmp_path_factory):
    """One that keeps what it can, and one that makes everything anew."""
    keeping = Builder(store=Store(tmp_path_factory.mktemp("cache")), workers=1)
    fresh = Builder(workers=1)
    yield keeping, fresh
    keeping.close()
    fresh.close()


def made(result):
    """What is the same of two builds of the same."""
    return (
        result.outcome,
        [(a.kind, a.name, a.content) for a in result.artifacts],
        [_without(stage.log) for stage in result.stages],
        [stage.error_log for stage in result.stages],
    )


def _without(log):
    return [line for line in log.splitlines() if not any(words in line for words in _VARYING)]


@pytest.mark.tools
@pytest.mark.parametrize(
    "seed",
    [*range(FEW), *(pytest.param(seed, marks=pytest.mark.bench) for seed in range(FEW, MANY))],
)
def test_a_build_gives_what_a_fresh_one_gives(seed, builders, tmp_path):
    keeping, fresh = builders
    drawn = scenario(seed, tmp_path)

    def agree(wanted, when):
        anew = replace(wanted, use_cache=False, precompile_headers=False)
        assert made(keeping.build(wanted)) == made(fresh.build(anew)), f"{drawn.name}: {when}"

    if drawn.after is not drawn.before:
        keeping.build(drawn.before)
    elif drawn.during:

        def during(event):
            if isinstance(event, StageStarted):
                drawn.during()

        keeping.build(drawn.before, on_event=during)
    else:
        agree(drawn.before, "at first")
        agree(drawn.before, "again")
    drawn.change()
    agree(drawn.after, "after the change")
    agree(drawn.after, "again after the change")
    if drawn.back:
        drawn.back()
        agree(drawn.before, "back")
        agree(drawn.before, "again, back")


@pytest.mark.tools
@pytest.mark.parametrize(
    ("kind", "spelled"),
    [
        *((kind, "quoted") for kind in PLACES),
        *((next(iter(PLACES)), how) for how in ("angled", "spliced", "digraph", "comments")),
    ],
)
def test_what_does_not_change_is_found_again(kind, spelled, builders, tmp_path):
    keeping, _ = builders
    place = PLACES[kind](tmp_path)
    write(place.header, 11)
    text = INCLUDES[spelled].replace("NAME", place.name) + KERNEL
    options = (*place.options, f"-I{place.header.parent}")
    wanted = request(cuda(text), options=options)
    # The first build may begin within the same tick of the clock as the header was written.
    keeping.build(wanted)
    keeping.build(wanted)
    assert [stage.cached for stage in keeping.build(wanted).stages] == [True]
