import re
import time
from statistics import median

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QToolButton

from jitstudio.analysis.control_flow import EdgeKind
from jitstudio.core.code import CodeKind
from jitstudio.gui.features.graph.scene import look_of
from jitstudio.gui.features.graph.view import GraphView, step
from jitstudio.gui.kit.diagrams.canvas import Way
from jitstudio.gui.kit.theme import set_current_theme
from jitstudio.listing.lines import NOWHERE
from tests.gui.graphs import loops_picture, row_picture


@pytest.mark.parametrize(
    ("block", "way", "expected"),
    [
        (0, Way.DOWN, 1),
        (1, Way.UP, 0),
        (3, Way.DOWN, 4),
        # The edge back to the head leads up, but it is no way down.
        (2, Way.DOWN, 3),
        (0, Way.UP, 0),
        (3, Way.FIRST, 0),
        (0, Way.LAST, 6),
        (-1, Way.DOWN, 0),
        (99, Way.LEFT, 0),
    ],
)
def test_arrows_follow_the_edges_up_and_down(block, way, expected):
    picture = loops_picture()
    assert step(picture.graph, picture.layout, block, way) == expected


def test_arrows_lead_to_blocks_beside_each_other():
    picture = loops_picture()
    left, right = sorted((5, 6), key=lambda block: picture.layout.boxes[block].x)
    assert step(picture.graph, picture.layout, left, Way.RIGHT) == right
    assert step(picture.graph, picture.layout, right, Way.LEFT) == left
    assert step(picture.graph, picture.layout, right, Way.RIGHT) == right


def test_every_block_can_be_walked_to():
    picture = loops_picture()
    seen, todo = set(), [0]
    while todo:
        if (block := todo.pop()) not in seen:
            seen.add(block)
            todo += [step(picture.graph, picture.layout, block, way) for way in Way]
    assert seen == set(range(7))


@pytest.fixture
def view(qtbot):
    view = GraphView()
    qtbot.addWidget(view)
    view.resize(700, 600)
    view.show()
    return view


@pytest.fixture
def canvas(view):
    view.show_reading(loops_picture())
    view.canvas.setFocus()
    return view.canvas


def told(signal):
    came = []
    signal.connect(came.append)
    return came


def press(canvas, *keys):
    for key in keys:
        QTest.keyClick(canvas, key)


def place_of(canvas, block):
    x, y, *_ = canvas.picture.layout.boxes[block]
    return canvas.mapFromScene(QPointF(x + 5, y + 5))


def pixels(view):
    view.repaint()
    return view.canvas.viewport().grab().toImage()


def test_without_a_graph_the_pane_says_how_to_get_one(view):
    view.canvas.set_hint("Build something")
    assert view.canvas.accessibleDescription() == "Build something"
    shown = pixels(view)
    view.canvas.set_hint("")
    assert pixels(view) != shown
    assert not any(b.isEnabled() for b in view.findChildren(QToolButton))


def test_a_graph_is_shown_with_how_much_there_is_of_it(view):
    empty = pixels(view)
    view.show_reading(loops_picture())
    assert pixels(view) != empty
    assert all(b.isEnabled() for b in view.findChildren(QToolButton))
    assert view.canvas.current == NOWHERE


def test_the_colours_of_loops_and_ways_back_are_drawn(view, canvas, light):
    canvas.resetTransform()
    canvas.fit()
    image = pixels(view)
    look = look_of(light)
    ratio = image.devicePixelRatio()
    for block, depth in ((0, 0), (1, 1), (2, 2)):
        box = canvas.picture.layout.boxes[block]
        place = canvas.mapFromScene(QPointF(box.x + 4, box.bottom - 4))
        color = image.pixelColor(round(place.x() * ratio), round(place.y() * ratio))
        assert color.name() == look.block(depth)[0].name()


def test_the_keyboard_walks_and_opens(canvas):
    chosen, activated = told(canvas.block_chosen), told(canvas.block_activated)
    press(canvas, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_End, Qt.Key.Key_Return)
    assert chosen == [0, 1, 6]
    assert activated == [6]
    assert canvas.accessibleDescription().startswith("Block LAST, 7 of 7")


def test_a_click_tells_of_a_block_and_a_drag_does_not(canvas):
    clicked = told(canvas.block_clicked)
    canvas.fit()
    place = place_of(canvas, 2)
    QTest.mouseClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert (clicked, canvas.current) == ([2], 2)
    QTest.mousePress(canvas.viewport(), Qt.MouseButton.LeftButton, pos=place)
    QTest.mouseRelease(canvas.viewport(), Qt.MouseButton.LeftButton, pos=place + QPoint(0, 40))
    assert clicked == [2]
    QTest.mouseClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(2, 2))
    assert clicked == [2]


def test_keys_zoom_and_show_all(canvas):
    canvas.resetTransform()
    press(canvas, Qt.Key.Key_Plus)
    assert canvas.transform().m11() == pytest.approx(1.2)
    press(canvas, Qt.Key.Key_Minus, Qt.Key.Key_Minus)
    assert canvas.transform().m11() == pytest.approx(1 / 1.2)
    for _ in range(40):
        press(canvas, Qt.Key.Key_Plus)
    assert canvas.transform().m11() <= 3.0
    press(canvas, Qt.Key.Key_0)
    shown = canvas.mapToScene(canvas.viewport().rect()).boundingRect()
    layout = canvas.picture.layout
    assert shown.width() >= layout.width
    assert shown.height() >= layout.height


@pytest.mark.parametrize(("turn", "factor"), [(120, 1.2), (-120, 1 / 1.2)])
def test_ctrl_and_the_wheel_zoom(canvas, turn, factor):
    canvas.resetTransform()
    at = QPointF(50, 50)
    event = QWheelEvent(
        at,
        canvas.viewport().mapToGlobal(at),
        QPoint(),
        QPoint(0, turn),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.ControlModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(canvas.viewport(), event)
    assert canvas.transform().m11() == pytest.approx(factor)


def test_a_marked_block_comes_into_sight(view):
    view.show_reading(row_picture(60))
    canvas = view.canvas
    canvas.mark(55)
    assert canvas.viewport().rect().contains(place_of(canvas, 55))
    canvas.mark(0)
    assert canvas.viewport().rect().contains(place_of(canvas, 0))


def test_the_next_picture_of_a_kernel_leaves_the_view_where_it_is(view):
    view.show_reading(row_picture(60))
    view.canvas.mark(50)
    view.canvas.zoom_out()
    before = view.canvas.mapToScene(0, 0)
    view.show_reading(row_picture(60))
    assert view.canvas.mapToScene(0, 0) == before
    view.show_reading(loops_picture())
    seen = view.canvas.viewport().rect()
    assert all(seen.contains(place_of(view.canvas, block)) for block in range(7))


def test_kind_and_kernel_are_chosen(view, qtbot):
    kinds, kernels = told(view.kind_chosen), told(view.kernel_chosen)
    view.show_kernels((("_Z1kv", "k()"), ("f", "f")), "f")
    combo = view.findChild(QComboBox, "graphKernel")
    assert combo.currentText() == "f"
    assert kernels == []
    combo.setFocus()
    QTest.keyClick(combo, Qt.Key.Key_Up)
    QTest.keyClick(view.findChild(QComboBox, "graphKindCombo"), Qt.Key.Key_Down)
    assert (kinds, kernels) == ([CodeKind.PTX], ["_Z1kv"])


def test_it_is_drawn_in_both_themes(view, canvas, dark_theme):
    before = pixels(view)
    set_current_theme(dark_theme)
    after = pixels(view)
    assert after.pixelColor(1, 1).name() == dark_theme.code.background.name()
    assert before != after


@pytest.mark.bench
@pytest.mark.parametrize("scale", [0.01, 0.1, 0.3, 0.5, 1.0])
def test_a_thousand_blocks_are_painted_smoothly(view, scale):
    view.resize(1400, 900)
    view.show_reading(row_picture(1000))
    canvas = view.canvas
    canvas.resetTransform()
    canvas.scale(scale, scale)
    took = []
    for block in range(0, 90, 10):
        canvas.mark(500 + block)
        canvas.viewport().update()
        start = time.thread_time()
        canvas.viewport().repaint()
        took.append(time.thread_time() - start)
    # Some 5 ms where nothing else runs.
    assert median(took) < 0.05


def test_each_depth_has_a_colour_and_deeper_ones_begin_anew(theme):
    look = look_of(theme)
    frames = [look.block(depth)[1].name() for depth in range(5)]
    assert len(set(frames)) == 5
    assert look.block(5) == look.block(1)


def test_ways_back_stand_out_and_kinds_of_edges_differ(theme):
    look = look_of(theme)
    routes = loops_picture().layout.routes
    back = {look.edge(route).name() for route in routes if route.is_back}
    forth = {look.edge(route).name() for route in routes if not route.is_back}
    assert back == {theme.marks.error.name()}
    assert not back & forth
    assert len({color.name() for color in look.edges.values()}) == len(EdgeKind)


def test_code_can_be_read_on_every_block(theme):
    look = look_of(theme)
    for fill in (look.fill, *look.loop_fills):
        for text in (look.text, look.title):
            assert contrast(text, fill) >= 4.5


def test_a_picture_gets_colours_that_svg_knows(theme):
    colors = look_of(theme).svg
    told = (colors.ground, colors.back, *colors.edges.values(), *colors.loops, *colors.loop_fills)
    assert all(re.fullmatch("#[0-9a-f]{6}", color) for color in told)


def contrast(one, other):
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(color):
    parts = (color.redF(), color.greenF(), color.blueF())
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
