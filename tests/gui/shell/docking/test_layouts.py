import pytest
from PySide6.QtCore import Qt

from jitstudio.gui.shell.docking.layouts import BY_NAME, LAYOUTS, DockSide
from tests.gui.driver import pause
from tests.gui.shell.docking.conftest import NAMES


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_each_layout_has_each_pane_once(layout):
    placed = [name for area in layout.areas for group in area.groups for name in group]
    assert sorted(placed) == sorted(NAMES)
    assert layout.hidden < set(placed)
    # At the left the forms are one above the other.
    sides = [area.side for area in layout.areas if area.side is not DockSide.LEFT]
    assert len(set(sides)) == len(sides)
    assert all(0.1 < area.share < 0.7 for area in layout.areas)


def test_the_panes_of_the_window_are_those_of_the_layouts(driver):
    names = {dock.objectName() for dock in driver.shell.layout.docks}
    assert names == {f"{name}Dock" for name in NAMES}


@pytest.mark.parametrize(
    ("name", "front"),
    [
        ("edit", {"ptx", "problems"}),
        ("compare", {"compare", "problems"}),
        ("read", {"ptx", "sass", "problems"}),
        ("launch", {"launch", "problems"}),
        ("teach", {"pipeline", "ptx"}),
    ],
)
def test_what_a_layout_shows(scene, name, front):
    scene.stage.choose(name)
    assert scene.stage.layout is BY_NAME[name]
    assert scene.front() == front


def test_read_has_three_columns_and_compare_a_wide_one(scene):
    scene.window.resize(1440, 900)
    scene.stage.choose("read")
    pause(20)
    columns = [scene.centre, scene.docks["ptx"], scene.docks["sass"]]
    lefts = [column.geometry().left() for column in columns]
    assert lefts == sorted(lefts)
    parts = [column.width() / scene.window.width() for column in columns]
    assert parts == pytest.approx([0.31, 0.296, 0.394], abs=0.02)
    scene.stage.choose("compare")
    pause(20)
    assert scene.docks["compare"].is_in_front
    assert scene.docks["compare"].width() / scene.window.width() == pytest.approx(0.69, abs=0.02)


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_every_part_of_a_window_grows_and_shrinks_with_it(scene, layout):
    def parts():
        size = scene.window.size()
        placed = [scene.docks[name] for name in sorted(scene.front())]
        return [
            part
            for widget in (scene.centre, *placed)
            for part in (widget.width() / size.width(), widget.height() / size.height())
        ]

    scene.window.resize(1440, 900)
    scene.stage.choose(layout.name)
    pause(20)
    before = parts()
    for width, height in ((3840, 2160), (1420, 700), (1600, 1000)):
        scene.window.resize(width, height)
        pause(20)
        assert parts() == pytest.approx(before, abs=0.05), width
    # What the user makes of it is kept in proportion, too, and given up for a second choice.
    front = next(name for name in sorted(scene.front()) if name != "problems")
    moved = [0.4 * scene.window.width(), 0.3 * scene.window.height()]
    for length, across in zip(moved, Qt.Orientation, strict=True):
        scene.window.resizeDocks([scene.docks[front]], [round(length)], across)
    pause(20)
    by_hand = parts()
    assert by_hand != pytest.approx(before, abs=0.05)
    scene.window.resize(2400, 1400)
    pause(20)
    assert parts() == pytest.approx(by_hand, abs=0.05)
    scene.stage.share_space()
    pause(20)
    assert parts() == pytest.approx(before, abs=0.05)


def is_stacked(scene):
    ptx, sass = (scene.docks[name].geometry() for name in ("ptx", "sass"))
    assert scene.front() == {"ptx", "sass", "problems"}
    if ptx.right() < sass.left():
        assert ptx.top() == sass.top()
        return False
    assert (ptx.left(), ptx.width()) == (sass.left(), sass.width())
    assert ptx.bottom() < sass.top()
    assert ptx.height() == pytest.approx(sass.height(), abs=30)
    assert ptx.width() / scene.window.width() == pytest.approx(0.58, abs=0.02)
    return True


def test_read_has_sass_below_ptx_in_a_narrow_window(scene, make_scene):
    scene.window.resize(1440, 900)
    scene.stage.choose("read")
    shown = []
    for width in (1440, 1024, 1440, 1024):
        scene.window.resize(width, 800)
        pause(50)
        shown.append(is_stacked(scene))
    assert shown == [False, True, False, True]
    # In a low one each would have a few lines.
    scene.window.resize(1024, 580)
    pause(50)
    assert not is_stacked(scene)
    scene.window.resize(1024, 800)
    pause(50)
    assert is_stacked(scene)
    # Groups keep their tabs.
    assert {d.objectName() for d in scene.stage.group(scene.docks["sass"])} >= {"reportDock"}
    scene.stage.save()
    scene.window.close()
    # Left in a narrow window, come back to in a wide one.
    other = make_scene()
    other.stage.restore()
    other.window.resize(1440, 900)
    other.window.show()
    pause(50)
    assert (other.stage.layout.name, is_stacked(other)) == ("read", False)


def test_what_the_user_made_of_it_in_a_window_of_one_width_stays(scene):
    scene.window.resize(1440, 900)
    scene.stage.choose("read")
    pause(50)
    side = Qt.DockWidgetArea.RightDockWidgetArea
    scene.window.addDockWidget(side, scene.docks["sass"], Qt.Orientation.Vertical)
    pause(50)
    places = scene.places()
    scene.window.resize(1500, 900)
    scene.window.resize(1440, 900)
    pause(50)
    assert scene.places().keys() == places.keys()
    assert scene.docks["ptx"].geometry().bottom() < scene.docks["sass"].geometry().top()


def test_forms_share_the_height_that_they_have(scene):
    scene.window.resize(1440, 900)
    scene.stage.choose("teach")
    pause(20)
    for names in (("lessons",), ("lessons", "build")):
        scene.stage.uncover(scene.docks[names[-1]].content)
        pause(50)
        heights = [scene.docks[name].height() for name in names]
        assert min(heights) == pytest.approx(max(heights), abs=30)
    # What the user makes of that stays as long as each can be seen.
    docks = [scene.docks[name] for name in ("build", "lessons")]
    scene.window.resizeDocks(docks, [500, 300], Qt.Orientation.Vertical)
    pause(20)
    scene.docks["lessons"].hide()
    scene.stage.uncover(scene.docks["lessons"].content)
    pause(50)
    assert docks[0].height() > docks[1].height() + 50


def test_heights_at_the_left_stay_where_a_pane_opens_elsewhere(scene):
    scene.window.resize(1440, 900)
    scene.stage.choose("teach")
    forms = [scene.docks[name] for name in ("lessons", "build")]
    for dock in forms:
        scene.stage.uncover(dock.content)
    pause(50)
    scene.window.resizeDocks(forms, [2000, 1], Qt.Orientation.Vertical)
    pause(20)
    heights = [dock.height() for dock in forms]
    assert 2 * 2 * min(heights) < sum(heights)
    for name in ("problems", "report"):
        scene.docks[name].hide()
        scene.stage.uncover(scene.docks[name].content)
        pause(50)
        assert scene.docks[name].is_in_front
        assert [dock.height() for dock in forms] == heights
    # What opens there as a strip shares the height.
    scene.docks["build"].hide()
    scene.stage.uncover(scene.docks["build"].content)
    pause(50)
    assert forms[0].height() == pytest.approx(forms[1].height(), abs=30)


def test_a_pane_that_opens_leaves_the_editors_room(scene):
    scene.window.resize(1440, 900)
    scene.stage.choose("edit")
    pause(20)
    for _ in range(2):
        scene.stage.uncover(scene.docks["lessons"].content)
        pause(20)
        assert scene.centre.width() == pytest.approx(480, abs=5)
        assert scene.docks["ptx"].width() > scene.centre.width()
        scene.stage.share_space()
        pause(20)
        assert scene.centre.width() == pytest.approx(480, abs=5)
        # Once more: it is not taken twice.
        scene.docks["lessons"].hide()
        pause(20)


def test_teach_has_the_pipeline_on_top_of_all(scene):
    scene.stage.choose("teach")
    pause(20)
    top = scene.docks["pipeline"].geometry()
    assert top.width() == scene.window.width()
    assert top.bottom() < scene.centre.geometry().top()
    assert top.bottom() < scene.docks["ptx"].geometry().top()
