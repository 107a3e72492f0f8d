import pytest

from jitstudio.gui.features.launch.results.plots import PlotParts, TwoPlots
from jitstudio.gui.kit.theme import set_current_theme


@pytest.fixture
def drawn():
    return []


def make(qtbot, drawn):
    def parts(name):
        return PlotParts(name, "Time", "Count", lambda _plot, worn: drawn.append((name, worn.dark)))

    plots = TwoPlots(parts("first"), parts("second"))
    qtbot.addWidget(plots)
    plots.resize(600, 300)
    return plots


@pytest.fixture
def plots(qtbot, drawn):
    return make(qtbot, drawn)


def test_the_second_comes_a_turn_later_and_is_drawn_once(qtbot, theme, drawn):
    plots = make(qtbot, drawn)
    plots.draw()
    assert plots.second is None
    assert drawn == [("first", theme.dark)]
    qtbot.waitUntil(lambda: plots.second is not None)
    assert drawn == [("first", theme.dark), ("second", theme.dark)]
    plots.show()
    assert plots.second.accessibleName() == "second"


def test_both_wear_another_theme(plots, qtbot, drawn, light, dark):
    qtbot.waitUntil(lambda: plots.second is not None)
    drawn.clear()
    assert drawn == []
    for worn in (light, dark):
        set_current_theme(worn)
    assert drawn == [("first", False), ("second", False), ("first", True), ("second", True)]


def test_both_have_the_same_room(plots, qtbot):
    plots.show()
    qtbot.waitUntil(lambda: plots.second is not None)
    assert abs(plots.first.width() - plots.second.width()) <= 1


def test_a_narrow_dock_has_one_below_the_other(plots, qtbot):
    qtbot.waitUntil(lambda: plots.second is not None)
    plots.show()
    assert plots.second.geometry().left() > plots.first.geometry().right()
    plots.resize(300, 600)
    qtbot.waitUntil(lambda: plots.second.geometry().top() > plots.first.geometry().bottom())
