import pytest

from jitstudio.gui.docking.layouts import BY_NAME, LAYOUTS
from tests.gui.docking.conftest import NAMES
from tests.gui.driver import pause


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_each_layout_has_each_pane_once(layout):
    placed = [name for area in layout.areas for group in area.groups for name in group]
    assert sorted(placed) == sorted(NAMES)
    assert layout.hidden < set(placed)
    assert len({area.side for area in layout.areas}) == len(layout.areas)
    assert all(0.1 < area.share < 0.7 for area in layout.areas)


def test_the_panes_of_the_window_are_those_of_the_layouts(driver):
    names = {dock.objectName() for dock in driver.panes.docks}
    assert names == {f"{name}Dock" for name in NAMES}


@pytest.mark.parametrize(
    ("name", "front"),
    [
        ("edit", {"ptx", "problems"}),
        ("compare", {"ptx", "sass", "problems"}),
        ("launch", {"launch", "problems"}),
        ("teach", {"pipeline", "ptx"}),
    ],
)
def test_what_a_layout_shows(scene, name, front):
    scene.stage.choose(name)
    assert scene.stage.layout is BY_NAME[name]
    assert scene.front() == front


def test_compare_has_three_columns_of_one_width(scene):
    scene.stage.choose("compare")
    pause(20)
    columns = [scene.centre, scene.docks["ptx"], scene.docks["sass"]]
    lefts = [column.geometry().left() for column in columns]
    assert lefts == sorted(lefts)
    assert max(c.width() for c in columns) - min(c.width() for c in columns) < 30


def test_teach_has_the_pipeline_on_top_of_all(scene):
    scene.stage.choose("teach")
    pause(20)
    top = scene.docks["pipeline"].geometry()
    assert top.width() == scene.window.width()
    assert top.bottom() < scene.centre.geometry().top()
    assert top.bottom() < scene.docks["ptx"].geometry().top()
