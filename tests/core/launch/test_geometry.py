import pytest

from jitstudio.core.launch.faults import SpecFaults
from jitstudio.core.launch.request import LaunchConfig
from jitstudio.core.launch.resolve import geometry
from jitstudio.core.launch.spec import LaunchSpec
from tests.core.launch.forms import SAXPY, form

NAMES = {"n": 1000, "w": 1920, "h": 1080}


def read(of=SAXPY, **fields):
    faults = SpecFaults()
    made = geometry(LaunchSpec(**fields), of, NAMES, faults)
    return made.config if made.complete else None, faults.problems


@pytest.mark.parametrize(
    ("fields", "config"),
    [
        ({"grid": "4"}, LaunchConfig((4, 1, 1), (256, 1, 1))),
        ({"grid": "(n+63)/64", "block": "64"}, LaunchConfig((16, 1, 1), (64, 1, 1))),
        ({"grid": "1,2,3", "block": " 8 , 8 "}, LaunchConfig((1, 2, 3), (8, 8, 1))),
        ({"grid": "min(n,7),2"}, LaunchConfig((7, 2, 1), (256, 1, 1))),
        ({"cover": "n"}, LaunchConfig((4, 1, 1), (256, 1, 1))),
        ({"cover": "n", "block": "1000"}, LaunchConfig((1, 1, 1), (1000, 1, 1))),
        ({"cover": "w,h", "block": "32,8"}, LaunchConfig((60, 135, 1), (32, 8, 1))),
        ({"cover": "w,h", "block": "256"}, LaunchConfig((8, 1080, 1), (256, 1, 1))),
        (
            {"cover": "n", "cluster": "3"},
            LaunchConfig((6, 1, 1), (256, 1, 1), cluster=(3, 1, 1)),
        ),
        (
            {"grid": "4", "shared": "n*sizeof(double)", "cooperative": True},
            LaunchConfig((4, 1, 1), (256, 1, 1), shared=8000, cooperative=True),
        ),
        ({"grid": "4", "shared": ""}, LaunchConfig((4, 1, 1), (256, 1, 1))),
    ],
)
def test_texts_become_a_configuration(fields, config):
    assert read(**fields) == (config, [])


@pytest.mark.parametrize("cluster", ["", "2", "2,1,1"])
def test_a_cluster_that_the_kernel_declares_rounds_the_grid_and_is_not_repeated(cluster):
    config, problems = read(form(cluster=(2, 1, 1)), cover="n*5", block="1000", cluster=cluster)
    assert (config, problems) == (LaunchConfig((6, 1, 1), (1000, 1, 1)), [])


@pytest.mark.parametrize(
    ("fields", "where", "message"),
    [
        ({}, "grid", "Nothing says how many blocks there are."),
        ({"grid": "4", "cover": "n"}, "grid", "Both a grid of 4 and a cover of n are given."),
        ({"grid": "0"}, "grid", "A grid of 0 "),
        ({"grid": "-1,1"}, "grid", "A grid of -1 "),
        ({"grid": "1,2,3,4"}, "grid", "A grid has one to three numbers, '1,2,3,4' has 4."),
        ({"grid": "1", "block": ""}, "block", "A block has one to three numbers, '' has 0."),
        ({"grid": "1", "block": "16x16"}, "block", "'16x16' is not a number."),
        ({"grid": "1", "block": "m"}, "block", "no number 'm'."),
        ({"grid": "1,"}, "grid", "no number."),
        ({"cover": "n-1000"}, "cover", "A cover of 0 "),
        ({"cover": "n", "block": "0"}, "block", "A block of 0 "),
        ({"grid": "1", "shared": "lots"}, "shared", "no number 'lots'."),
        ({"grid": "1", "cluster": "2.5"}, "cluster", "'2.5' is 2.5, "),
    ],
)
def test_what_makes_no_sense_is_told_of_its_field(fields, where, message):
    _, problems = read(**fields)
    assert [(problem.where, message in problem.message) for problem in problems] == [(where, True)]


def test_a_missing_grid_is_answered_with_what_to_write():
    _, (problem,) = read()
    assert problem.remedy == (
        "Write a grid such as 128, or a cover such as n for one thread per element."
    )


def test_a_missing_grid_of_tiles_is_not_counted_in_threads():
    _, (problem,) = read(form(block=128))
    assert problem.remedy == (
        "Write a grid such as 128: a block for each tile, however many elements that has."
    )


def test_all_faults_are_told_at_once():
    config, problems = read(block="x", cluster="y", shared="z", cover="q")
    assert config is None
    assert [problem.where for problem in problems] == ["block", "cluster", "shared", "cover"]


def test_another_cluster_than_the_kernel_declares_is_refused():
    _, (problem,) = read(form(cluster=(2, 1, 1)), grid="4", cluster="4")
    assert problem.message == (
        "The kernel declares clusters of 2,1,1, which a launch cannot change."
    )
