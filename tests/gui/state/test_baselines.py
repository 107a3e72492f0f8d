import pytest

from jitstudio.core.arch import Arch
from jitstudio.core.result import BuildResult, Outcome
from jitstudio.gui.state.baselines import Baselines
from jitstudio.gui.state.outputs import Built
from tests.support import GOOD


def built():
    return Built(GOOD, BuildResult(Outcome.BUILT, Arch(90)))


@pytest.fixture
def baselines(qapp):
    return Baselines()


def names(baselines):
    return [baseline.name for baseline in baselines.items]


def test_nothing_is_chosen_before_something_is_pinned(baselines):
    assert baselines.items == ()
    assert baselines.chosen is None


def test_the_newest_is_compared_with(baselines, qtbot):
    with qtbot.waitSignal(baselines.changed):
        first = baselines.pin(built(), "first")
    second = baselines.pin(built(), "second")
    assert baselines.items == (first, second)
    assert baselines.chosen is second
    with qtbot.waitSignal(baselines.changed):
        baselines.choose(first)
    assert baselines.chosen is first


def test_no_two_have_one_name(baselines):
    for _ in range(3):
        baselines.pin(built(), "k.cu")
    assert names(baselines) == ["k.cu", "k.cu (2)", "k.cu (3)"]
    baselines.rename(baselines.items[2], "k.cu")
    assert names(baselines) == ["k.cu", "k.cu (2)", "k.cu (3)"]


def test_another_name_is_of_the_same_result(baselines):
    pinned = baselines.pin(built(), "before")
    baselines.rename(pinned, "  fast  ")
    assert names(baselines) == ["fast"]
    assert baselines.chosen is baselines.items[0]
    assert baselines.items[0].built is pinned.built


@pytest.mark.parametrize("name", ["", "  ", "before"])
def test_no_name_changes_nothing(baselines, qtbot, name):
    pinned = baselines.pin(built(), "before")
    with qtbot.assertNotEmitted(baselines.changed):
        baselines.rename(pinned, name)


def test_its_neighbour_takes_the_place_of_one_that_is_removed(baselines):
    first, second, third = (baselines.pin(built(), name) for name in "abc")
    baselines.remove(third)
    assert baselines.chosen is second
    baselines.remove(first)
    assert baselines.chosen is second
    baselines.remove(second)
    assert baselines.chosen is None
    assert baselines.items == ()
