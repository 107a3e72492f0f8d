"""The picture in its pane: looked at, walked through, clicked on, saved."""

from dataclasses import replace
from itertools import product

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QImage, QWheelEvent
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QToolButton

from jitstudio.core.code import CodeKind
from jitstudio.core.tools import Tool
from jitstudio.gui.features.pipeline.graph import (
    GridPosition,
    Node,
    NodeRole,
    NodeState,
    Pipeline,
    PipelineLayout,
    pipeline_of,
)
from jitstudio.gui.features.pipeline.scene import PictureError, look_of, mark_of
from jitstudio.gui.features.pipeline.view import PipelineView, step
from jitstudio.gui.kit.diagrams.canvas import Way, mixed
from jitstudio.gui.kit.icons import icon
from jitstudio.gui.kit.theme import current_theme, set_current_theme
from tests.gui.driver import pause
from tests.gui.kit.test_theme import READABLE, VISIBLE, contrast
from tests.support import cuda, request

LAYOUT = PipelineLayout(
    {
        "source": GridPosition(0, 0.5),
        "run": GridPosition(1, 0.5),
        "high": GridPosition(2, 0),
        "low": GridPosition(2, 1),
        "last": GridPosition(4, 1),
    },
    {},
)


@pytest.mark.parametrize(
    ("start", "way", "end"),
    [
        ("source", Way.RIGHT, "run"),
        ("run", Way.RIGHT, "high"),
        ("high", Way.DOWN, "low"),
        ("low", Way.UP, "high"),
        ("low", Way.RIGHT, "last"),
        ("last", Way.LEFT, "low"),
        ("last", Way.RIGHT, "last"),
        ("run", Way.DOWN, "run"),
        ("run", Way.FIRST, "source"),
        ("run", Way.LAST, "last"),
        ("", Way.LEFT, "source"),
    ],
)
def test_each_key_leads_to_the_nearest_node_that_way(start, way, end):
    assert step(LAYOUT, start, way) == end


ONE = pipeline_of(request(cuda("", "k.cu"), emit="ptx,sass,cubin"), launch=True)
NVRTC = "NVRTC:k.cu:ptx+cubin"


def in_state(pipeline, key, state, **words):
    return pipeline.changed(
        lambda node: replace(node, state=state, **words) if node.key == key else node
    )


@pytest.fixture
def view(qtbot):
    view = PipelineView()
    qtbot.addWidget(view)
    view.resize(900, 220)
    view.show()
    return view


@pytest.fixture
def activated(view):
    nodes = []
    view.activated.connect(nodes.append)
    return nodes


def press(view, *keys):
    for key in keys:
        QTest.keyClick(view.canvas, key)


def current(view):
    return view.canvas.current.title


def test_before_the_first_build_it_says_what_will_be_here(view):
    assert view.canvas.accessibleDescription().startswith("The build will be drawn here")
    assert not any(button.isEnabled() for button in view.findChildren(QToolButton))
    ground = current_theme().ui.base.rgb()
    image = view.canvas.grab().toImage()
    colors = {image.pixel(x, y) for x in range(image.width()) for y in range(image.height())}
    assert len(colors) > 2
    assert ground in colors


def test_arrows_walk_enter_opens_and_the_place_is_told(view, activated):
    view.show_pipeline(ONE)
    view.canvas.setFocus()
    assert current(view) == "k.cu"
    key = Qt.Key
    walked = []
    for pressed in (key.Key_Right, key.Key_Right, key.Key_Down, key.Key_Right, key.Key_Right):
        press(view, pressed)
        walked.append(current(view))
    assert walked == ["NVRTC", "k.ptx", "k.cubin", "nvdisasm", "k.sass"]
    press(view, key.Key_Down, key.Key_Down)
    assert current(view) == "Launch"
    assert "Launch of the kernel" in view.canvas.accessibleDescription()
    press(view, key.Key_Return)
    press(view, key.Key_Home, key.Key_Space)
    assert [node.title for node in activated] == ["Launch", "k.cu"]
    press(view, key.Key_End, key.Key_Left)
    assert current(view) == "nvdisasm"


def test_a_click_opens_what_was_clicked_and_a_slip_does_not(view, activated):
    view.show_pipeline(ONE)
    canvas = view.canvas
    item = canvas.picture.item("sass:k.cu")
    middle = canvas.mapFromScene(item.sceneBoundingRect().center())
    QTest.mouseClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=middle)
    assert [node.title for node in activated] == ["k.sass"]
    QTest.mousePress(canvas.viewport(), Qt.MouseButton.LeftButton, pos=middle)
    QTest.mouseRelease(canvas.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(2, 2))
    QTest.mouseClick(canvas.viewport(), Qt.MouseButton.RightButton, pos=middle)
    assert len(activated) == 1


def test_a_build_of_the_same_shape_changes_in_place(view):
    view.show_pipeline(ONE)
    item = view.canvas.picture.item(NVRTC)
    place = item.pos()
    view.show_pipeline(in_state(ONE, NVRTC, NodeState.DONE, ms=34.0))
    assert view.canvas.picture.item(NVRTC) is item
    assert item.pos() == place
    assert item.facts == "34 ms"
    other = pipeline_of(request(cuda("", "other.cu"), emit="ptx"))
    view.show_pipeline(other)
    assert view.canvas.picture.item(NVRTC) is None


def test_time_is_told_while_something_runs_and_only_then(view):
    since = 0.0
    view.show_pipeline(in_state(ONE, NVRTC, NodeState.RUNNING, since=since))
    assert view.canvas.is_ticking
    item = view.canvas.picture.item(NVRTC)
    item.tick(since + 2.0)
    assert item.facts == "2.0 s"
    pause(150)
    assert item.facts != "2.0 s"
    view.show_pipeline(in_state(ONE, NVRTC, NodeState.DONE, ms=3.0))
    assert not view.canvas.is_ticking


def test_an_error_says_its_first_message_and_where_the_keyboard_should_start(view):
    failed = in_state(ONE, NVRTC, NodeState.FAILED, message="expected <a> thing")
    view.show_pipeline(replace(failed, problem="Build failed: expected <a> thing."))
    tip = view.canvas.picture.item(NVRTC).toolTip()
    assert "expected &lt;a&gt; thing" in tip
    summary = view.findChild(QLabel, "pipelineSummary")
    assert summary.text() == "Build failed: expected <a> thing."
    view.canvas.setFocus()
    assert current(view) == "NVRTC"


def scale(view):
    return view.canvas.transform().m11()


def turn_wheel(view, steps):
    middle = QPointF(view.canvas.viewport().rect().center())
    event = QWheelEvent(
        middle,
        view.canvas.viewport().mapToGlobal(middle),
        QPoint(),
        QPoint(0, 120 * steps),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.ControlModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view.canvas.viewport(), event)


def test_it_fits_until_it_is_zoomed_and_again_when_asked(view):
    view.show_pipeline(ONE)
    fitted = scale(view)
    view.resize(1500, 400)
    assert scale(view) > fitted
    turn_wheel(view, 1)
    zoomed = scale(view)
    view.resize(900, 220)
    assert scale(view) == pytest.approx(zoomed)
    press(view, Qt.Key.Key_Minus, Qt.Key.Key_Minus)
    assert scale(view) < zoomed
    press(view, Qt.Key.Key_0)
    assert scale(view) == pytest.approx(fitted)


def test_forty_modules_stay_large_enough_to_read_and_scroll(view):
    sources = (cuda("", f"module{number}.cu") for number in range(40))
    view.show_pipeline(pipeline_of(request(*sources, emit="sass", link="lto")))
    assert scale(view) >= 0.7
    assert view.canvas.verticalScrollBar().maximum() > 0
    view.canvas.go_to("cuda:module39.cu")
    item = view.canvas.picture.item("cuda:module39.cu")
    place = view.canvas.mapFromScene(item.sceneBoundingRect().center())
    assert view.canvas.viewport().rect().contains(place)


def test_both_themes_draw_it_in_their_colours(view, dark_theme, light):
    view.show_pipeline(in_state(ONE, NVRTC, NodeState.DONE))
    item = view.canvas.picture.item(NVRTC)
    assert item.look.line == light.marks.success
    set_current_theme(dark_theme)
    assert item.look.line == dark_theme.marks.success
    assert view.canvas.backgroundBrush().color() == dark_theme.ui.base


def test_the_picture_can_be_saved_and_copied(view, tmp_path):
    view.show_pipeline(ONE)
    svg, png = tmp_path / "build.svg", tmp_path / "build.png"
    view.save_picture(svg)
    view.save_picture(png)
    drawn = QSvgRenderer(str(svg))
    assert drawn.isValid()
    assert QImage(str(png)).size() == drawn.viewBox().size() * 2
    assert "nvdisasm" in svg.read_text()
    with pytest.raises(PictureError, match="cannot be written"):
        view.save_picture(tmp_path / "no folder" / "build.png")


def test_the_context_menu_opens_copies_and_saves(view, activated):
    view.show_pipeline(ONE)
    view.canvas.go_to(NVRTC)
    requested = []
    view.picture_requested.connect(lambda: requested.append(True))
    place = view.canvas.mapFromScene(view.canvas.picture.item(NVRTC).sceneBoundingRect().center())
    view.open_menu(view.canvas.viewport().mapToGlobal(place))
    (menu,) = view.findChildren(QMenu)
    actions = {action.text().replace("&", ""): action for action in menu.actions()}
    actions["Open NVRTC"].trigger()
    actions["Save picture…"].trigger()
    QGuiApplication.clipboard().clear()
    actions["Copy as picture"].trigger()
    assert [node.title for node in activated] == ["NVRTC"]
    assert requested == [True]
    assert not QGuiApplication.clipboard().image().isNull()
    menu.close()


def test_nothing_again_is_nothing_shown(view):
    view.show_pipeline(ONE)
    view.show_pipeline(Pipeline())
    assert view.canvas.current is None
    press(view, Qt.Key.Key_Right, Qt.Key.Key_Return)
    assert view.findChild(QLabel, "pipelineSummary").text() == ""


# ---- Words that can be read, whatever state they tell of

NODES = [
    Node("r", NodeRole.TOOL, "k.cu", "NVRTC", tool=Tool.NVRTC),
    Node("s", NodeRole.SOURCE, "k.cu", "k.cu", CodeKind.CUDA),
    Node("h", NodeRole.HEADER, "k.cuh", "k.cuh", CodeKind.CUDA),
    Node("l", NodeRole.LAUNCH, "", "Launch"),
]


def node_in(node, state):
    return Node(**{**vars(node), "state": state})


def test_both_lines_are_readable_on_their_ground(theme):
    for node, state in product(NODES, NodeState):
        look = look_of(node_in(node, state), theme)
        assert contrast(look.title, look.fill) >= READABLE, (node, state)
        assert contrast(look.facts, look.fill) >= READABLE, (node, state)


@pytest.mark.parametrize("state", NodeState, ids=lambda state: state.name)
def test_frames_and_marks_can_be_seen(qapp, theme, state):
    look = look_of(node_in(NODES[0], state), theme)
    assert contrast(look.line, theme.ui.base) >= VISIBLE
    name, color = mark_of(state, theme)
    assert contrast(color, theme.ui.base) >= VISIBLE
    assert not name or not icon(name, color).isNull()


def test_states_that_matter_differ_in_more_than_colour(light):
    telling = (
        NodeState.DONE,
        NodeState.CACHED,
        NodeState.FAILED,
        NodeState.STALE,
        NodeState.WAITING,
        NodeState.SKIPPED,
    )
    assert len({mark_of(state, light)[0] for state in telling}) == len(telling)


def test_mixing_goes_from_the_ground_to_the_colour(light):
    ground, color = light.ui.base, light.marks.error
    assert mixed(ground, color, 0.0).rgb() == ground.rgb()
    assert mixed(ground, color, 1.0).rgb() == color.rgb()
