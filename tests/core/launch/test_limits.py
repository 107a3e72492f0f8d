from dataclasses import replace

import pytest

from jitstudio.core.diagnostics import Severity
from jitstudio.core.launch.limits import config_problems, resident_blocks
from jitstudio.core.launch.problems import (
    TextError,
    in_bytes,
    listing,
    parts,
    shortened,
    unknown,
)
from jitstudio.core.launch.request import LaunchConfig
from jitstudio.core.launch.result import KernelFacts
from jitstudio.core.result import Resources
from tests.devices import H200

A100 = replace(
    H200,
    name="NVIDIA A100",
    capability="8.0",
    limits=replace(H200.limits, clusters=False, shared_per_block_optin=166_912),
)
OLD = replace(H200, name="Old", limits=replace(H200.limits, cooperative=False))


def config(grid=(64, 1, 1), block=(256, 1, 1), **fields):
    return LaunchConfig(grid, block, **fields)


def only(*problems):
    assert len(problems) == 1
    return problems[0]


def facts(registers=32, shared=0, threads=None):
    return Resources(registers=registers, shared_bytes=shared, max_threads=threads)


@pytest.mark.parametrize(
    "fine",
    [
        config(),
        config(block=(1024, 1, 1)),
        config(block=(16, 16, 4)),
        config(grid=(2_147_483_647, 65_535, 65_535)),
        config(shared=49_152),
        config(shared=232_448),
        config(cluster=(2, 1, 1)),
        config(cluster=(8, 1, 1)),
        config(cooperative=True),
        config(grid=(1, 1, 1), block=(1, 1, 1)),
    ],
)
def test_nothing_is_said_of_what_the_gpu_takes(fine):
    assert config_problems(fine, H200, facts()) == ()


@pytest.mark.parametrize(
    ("wrong", "where", "words"),
    [
        (
            config(block=(2048, 1, 1)),
            "block",
            "The block has 2,048 threads in x; the GPU takes up to 1,024.",
        ),
        (
            config(block=(1, 1, 128)),
            "block",
            "The block has 128 threads in z; the GPU takes up to 64.",
        ),
        (
            config(block=(32, 64, 1)),
            "block",
            "32 x 64 = 2,048 threads per block are more than the 1,024 of the GPU.",
        ),
        (
            config(block=(16, 16, 8)),
            "block",
            "16 x 16 x 8 = 2,048 threads per block are more than the 1,024 of the GPU.",
        ),
        (
            config(grid=(1, 65_536, 1)),
            "grid",
            "The grid has 65,536 blocks in y; the GPU takes up to 65,535.",
        ),
        (config(grid=(0, 1, 1)), "grid", "The grid has 0 blocks in x; it needs at least 1."),
        (config(block=(8, 0, 1)), "block", "The block has 0 threads in y; it needs at least 1."),
        (config(cluster=(1, 1, 0)), "cluster", "The cluster has 0 blocks in z"),
        (
            config(shared=232_449),
            "shared",
            "232,449 dynamic bytes of shared memory are more than the 232,448 that a block may",
        ),
        (config(shared=-1), "shared", "There is no shared memory of -1 bytes."),
        (
            config(cluster=(17, 1, 1), grid=(17, 1, 1)),
            "cluster",
            "17 blocks per cluster are more than any GPU takes.",
        ),
        (
            config(cluster=(3, 1, 1)),
            "grid",
            "64 blocks in x are not a multiple of the cluster's 3.",
        ),
        (
            config(cluster=(1, 2, 1)),
            "grid",
            "1 blocks in y are not a multiple of the cluster's 2.",
        ),
    ],
)
def test_a_limit_is_told_with_its_figures(wrong, where, words):
    problems = config_problems(wrong, H200)
    first = problems[0]
    assert (first.where, first.severity) == (where, Severity.ERROR)
    assert first.message.startswith(words)


def test_all_limits_are_told_at_once():
    wrong = config(grid=(7, 70_000, 1), block=(64, 64, 1), shared=1 << 20, cluster=(2, 1, 1))
    told = [problem.where for problem in config_problems(wrong, H200)]
    assert told == ["grid", "block", "shared", "grid"]


def test_registers_times_threads_are_told_with_what_fits():
    problem = only(*config_problems(config(block=(1024, 1, 1)), H200, facts(registers=65)))
    assert problem.message == (
        "65 registers (handed out as 72) x 1,024 threads = 73,728 of the 65,536 registers that a "
        "block may have."
    )
    assert problem.remedy == (
        "Use at most 896 threads per block, or build with -maxrregcount=64 or "
        "__launch_bounds__(1024), in PTX .maxntid 1024."
    )


@pytest.mark.parametrize(
    ("registers", "most"),
    [(1, 1024), (64, 1024), (65, 896), (80, 768), (128, 512), (168, 384), (255, 256)],
)
def test_as_many_threads_as_the_remedy_says_do_fit(registers, most):
    needs = facts(registers=registers)
    assert config_problems(config(block=(most, 1, 1)), H200, needs) == ()
    if most < 1024:
        told = config_problems(config(block=(most + 32, 1, 1)), H200, needs)
        assert f"at most {most} threads" in only(*told).remedy


def test_warps_dealt_in_fours_may_take_more_than_a_plain_product():
    problem = only(*config_problems(config(block=(800, 1, 1)), H200, facts(registers=80)))
    assert problem.message.startswith(
        "80 registers x 800 threads (handed out as 896) = 71,680 of the 65,536"
    )


@pytest.mark.parametrize(
    ("needs", "hint"),
    [(None, 128), (facts(threads=128), None), (facts(threads=128), 256), (facts(threads=256), 128)],
)
def test_launch_bounds_are_kept(needs, hint):
    problem = only(*config_problems(config(), H200, needs, hint))
    assert problem.message == (
        "The kernel is built for at most 128 threads per block; these are 256."
    )
    assert config_problems(config(block=(128, 1, 1)), H200, needs, hint) == ()


def test_the_driver_s_figures_serve_as_well():
    told = KernelFacts(40, 1024, 0, 0, 128, 90, 90, ())
    assert "at most 128 threads" in only(*config_problems(config(), H200, told)).message


def test_static_and_dynamic_shared_memory_count_together():
    problem = only(*config_problems(config(shared=232_000), H200, facts(shared=1000)))
    assert problem.message.startswith("1,000 static and 232,000 dynamic bytes ")
    assert "232,448" in problem.message
    assert problem.remedy == "Use at most 231,448 dynamic bytes."


def test_clusters_need_a_gpu_that_has_them():
    problem = only(*config_problems(config(cluster=(2, 1, 1)), A100))
    assert problem.message == "Clusters need sm_90 or newer; NVIDIA A100 is sm_80."


def test_a_cluster_that_not_every_gpu_takes_is_a_warning():
    problem = only(*config_problems(config(cluster=(4, 4, 1), grid=(4, 4, 1)), H200))
    assert problem.severity is Severity.WARNING
    assert problem.message.startswith("4 x 4 = 16 blocks per cluster are more than the 8")


def test_a_cooperative_launch_needs_a_gpu_that_has_them():
    problem = only(*config_problems(config(cooperative=True), OLD))
    assert (problem.where, problem.message) == ("cooperative", "Old has no cooperative launches.")


def test_all_blocks_of_a_cooperative_launch_are_resident():
    wide = config(grid=(132 * 8 + 1, 1, 1), cooperative=True)
    problem = only(*config_problems(wide, H200, facts()))
    assert problem.message == (
        "1,057 blocks cannot all be resident: 8 fit on each of 132 multiprocessors, 1,056 in all."
    )
    assert config_problems(replace(wide, grid=(132 * 8, 1, 1)), H200, facts()) == ()
    assert config_problems(wide, H200) == ()


@pytest.mark.parametrize(
    ("threads", "needs", "dynamic", "blocks"),
    [
        (256, facts(), 0, 8),
        (32, facts(), 0, 32),
        (33, facts(), 0, 32),
        (1024, facts(registers=64), 0, 1),
        (256, facts(registers=64), 0, 4),
        (256, facts(registers=40), 0, 6),
        (256, facts(registers=255), 0, 1),
        (256, facts(shared=1024), 48 * 1024, 4),
        (256, facts(), 232_448, 1),
        (1024, facts(registers=255), 0, 0),
    ],
)
def test_resident_blocks_are_limited_by_what_runs_out_first(threads, needs, dynamic, blocks):
    asked = config(block=(threads, 1, 1), shared=dynamic)
    assert resident_blocks(asked, H200.limits, needs) == blocks


def test_without_figures_nobody_knows_how_many_blocks_are_resident():
    assert resident_blocks(config(), H200.limits, Resources()) is None


@pytest.mark.parametrize(
    ("block", "grid", "message", "remedy"),
    [
        (
            (100, 1, 1),
            (64, 1, 1),
            (
                "100 threads per block are not a multiple of the 32 of a warp: 28 lanes of the "
                "last warp are idle."
            ),
            "Use 128 threads.",
        ),
        (
            (1, 1, 1),
            (4096, 1, 1),
            (
                "Each of 4,096 blocks has one thread, which leaves 31 of the 32 lanes of its warp "
                "idle."
            ),
            "Use blocks of 128 or 256 threads, and fewer of them.",
        ),
    ],
)
def test_idle_lanes_are_a_warning(block, grid, message, remedy):
    problem = only(*config_problems(config(grid, block), H200))
    assert problem.severity is Severity.WARNING
    assert (problem.message, problem.remedy) == (message, remedy)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("  ", []),
        ("a", ["a"]),
        (" a , b", ["a", "b"]),
        ("min(a, b), {c, [d, e]}", ["min(a, b)", "{c, [d, e]}"]),
        ("a,", ["a", ""]),
    ],
)
def test_texts_are_parted_at_commas_outside_brackets(text, found):
    assert parts(text) == found


@pytest.mark.parametrize("text", ["(a", "a)", "(a))", "{1,2"])
def test_brackets_come_in_pairs(text):
    with pytest.raises(TextError, match=r"nothing closes|nothing opens"):
        parts(text)


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ([], "none"),
        (["a"], "a"),
        (["a", "b"], "a and b"),
        (["a", "b", "c"], "a, b and c"),
        ([f"k{i}" for i in range(20)], ", ".join(f"k{i}" for i in range(12)) + " and 8 more"),
    ],
)
def test_names_are_listed_in_a_sentence(names, told):
    assert listing(names) == told


def test_an_unknown_name_is_answered_with_what_was_meant_or_what_there_is():
    assert unknown("heigth", ["width", "height"]) == "Did you mean height?"
    assert unknown("q", ["width", "height"]) == "Known here: width and height."


def test_a_long_text_is_cut():
    assert shortened(" n*2 ") == "n*2"
    assert shortened("n" * 61) == "n" * 57 + "..."


@pytest.mark.parametrize(
    ("size", "words"),
    [(0, "0 bytes"), (1023, "1023 bytes"), (1536, "1.5 KiB"), (1 << 40, "1.0 TiB")],
)
def test_sizes_are_told_in_their_unit(size, words):
    assert in_bytes(size) == words
