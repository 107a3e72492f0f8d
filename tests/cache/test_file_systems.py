"""Whatever files come, go, or are the same as others: the cache gives what the compiler gives.

Some worlds run by default, 1,000 by ``.ci/run --bench``; each is known by its seed.
"""

import os
import re
import shutil
import time
from dataclasses import replace

import pytest

from jitstudio.cache.store import Store
from jitstudio.worker.builder import Builder
from tests.cache.file_systems import World
from tests.support import cuda, request

pytestmark = pytest.mark.tools

FEW, MANY = 12, 1_000
# So that all processors have some.
PARTS = 20
CHANGES = 8
# After that the clock of files has gone on (`disk.TICK_NS`), so that a result is kept.
A_TICK = 0.025


@pytest.fixture(scope="module")
def builders(tmp_path_factory):
    """One that keeps what it can, and one that makes everything anew."""
    keeping = Builder(store=Store(tmp_path_factory.mktemp("cache")), workers=1)
    fresh = Builder(workers=1)
    yield keeping, fresh
    keeping.close()
    fresh.close()


def made(result):
    return result.outcome, [(a.kind, a.content) for a in result.artifacts]


def tried(seed, builders, folder):
    """Builds a world after each of its changes, with the cache and without.

    Returns:
        How many of the builds the cache has spared.
    """
    keeping, fresh = builders
    world = World(seed, folder)
    spared, deeds = 0, []
    for _ in range(CHANGES):
        time.sleep(A_TICK)
        wanted = world.request()
        anew = made(fresh.build(replace(wanted, use_cache=False, precompile_headers=False)))
        for when in ("at first", "again"):
            kept = keeping.build(wanted)
            assert made(kept) == anew, f"seed {seed}, {when}, after {deeds}"
            spared += all(stage.cached for stage in kept.stages)
        deeds.append(world.change())
    return spared


def test_a_cached_build_gives_what_the_compiler_gives(builders, tmp_path):
    spared = 0
    for seed in range(FEW):
        (tmp_path / str(seed)).mkdir()
        spared += tried(seed, builders, tmp_path / str(seed))
    # Else nothing was tried.
    assert spared > FEW


@pytest.mark.bench
@pytest.mark.parametrize("part", range(PARTS))
def test_a_thousand_worlds(builders, tmp_path, part):
    spared, wrong = 0, []
    worlds = range(FEW + part, MANY, PARTS)
    for seed in worlds:
        folder = tmp_path / str(seed)
        folder.mkdir()
        try:
            spared += tried(seed, builders, folder)
        except AssertionError as error:
            wrong.append(str(error).partition("\n")[0])
    assert wrong == []
    assert spared > len(worlds)


def agrees(builders, wanted):
    """Builds with the cache, twice, and without, and returns the number that `k` writes."""
    keeping, fresh = builders
    time.sleep(A_TICK)
    anew = fresh.build(replace(wanted, use_cache=False, precompile_headers=False))
    assert anew.ok, anew.diagnostics
    for _ in range(2):
        assert made(keeping.build(wanted)) == made(anew)
    (ptx,) = anew.artifacts
    return int(re.search(r"(?:%r\d+|\]), (\d+);", ptx.text)[1])


ONCE = """\
#pragma once
#ifndef SEEN
#define SEEN
#define VALUE 11111
#else
#undef VALUE
#define VALUE 22222
#endif
"""


def kernel(before, value="VALUE"):
    return f'{before}extern "C" __global__ void k(int* p) {{ *p = {value}; }}\n'


@pytest.mark.parametrize("link", [os.symlink, os.link])
@pytest.mark.parametrize("copy", [shutil.copyfile, shutil.copy2])
def test_two_names_of_one_file_are_not_two_files(builders, tmp_path, link, copy):
    first, second = tmp_path / "a.h", tmp_path / "b.h"
    first.write_text(ONCE)
    link(first, second)
    text = kernel('#include "a.h"\n#include "b.h"\n')
    wanted = request(cuda(text), options=(f"-I{tmp_path}",))
    assert agrees(builders, wanted) == 11111
    second.unlink()
    copy(first, second)
    assert agrees(builders, wanted) == 22222
    second.unlink()
    link(first, second)
    assert agrees(builders, wanted) == 11111


def test_a_linked_folder_is_not_two_folders(builders, tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "a.h").write_text(ONCE)
    (tmp_path / "two").symlink_to("one")
    text = kernel('#include "one/a.h"\n#include "two/a.h"\n')
    wanted = request(cuda(text), options=(f"-I{tmp_path}",))
    assert agrees(builders, wanted) == 11111
    (tmp_path / "two").unlink()
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    assert agrees(builders, wanted) == 22222


ASKED = "#if {}\n#define VALUE 31\n#else\n#define VALUE 32\n#endif\n"


@pytest.mark.parametrize(
    ("before", "question", "standard"),
    [
        ("#define ifdef __has_include\n", 'ifdef("x.h")', "c++17"),
        ("#define elifndef __has_include\n", 'elifndef("x.h")', "c++17"),
        ("#define CAT(a,b) a??=??=b\n", 'CAT(__has_,include)("x.h")', "c++14"),
        ("#define CAT(a,b) a??=#b\n", 'CAT(__has_inc,lude)("x.h")', "c++14"),
        ("#define Q(x) x __has_include\n", 'Q()("x.h")', "c++17"),
    ],
)
def test_a_question_by_another_name_is_asked_again(builders, tmp_path, before, question, standard):
    text = kernel(before + ASKED.format(question))
    wanted = request(cuda(text), options=(f"-I{tmp_path}", f"--std={standard}"))
    assert agrees(builders, wanted) == 32
    (tmp_path / "x.h").touch()
    assert agrees(builders, wanted) == 31


def test_what_a_text_asked_for_before_it_was_edited_and_back_is_asked_again(builders, tmp_path):
    header = tmp_path / "a.h"
    wanted = request(cuda(kernel('#include "a.h"\n')), options=(f"-I{tmp_path}",))
    texts = [ASKED.format(f'__has_include("{name}.h")') for name in "xy"]
    for text in texts:
        header.write_text(text)
        assert agrees(builders, wanted) == 32
    (tmp_path / "x.h").touch()
    header.write_text(texts[0])
    assert agrees(builders, wanted) == 31


def test_a_folder_in_the_place_of_a_file_counts(builders, tmp_path):
    text = kernel(ASKED.format('__has_include("x.h")'))
    wanted = request(cuda(text), options=(f"-I{tmp_path}",))
    assert agrees(builders, wanted) == 32
    (tmp_path / "x.h").mkdir()
    agrees(builders, wanted)
