"""The control-flow graph, while a window builds, is read, walked through and saved."""

from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel

from jitstudio.core.code import CodeKind
from jitstudio.gui.kit.dialogs import Dialogs
from tests.gui.driver import pause

SOURCE = """\
extern "C" __global__ void first(float* p, int n) {
    float sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (p[j] > sum) sum += p[j]; else if (p[j] < -100) break;
    p[threadIdx.x] = sum;
}
extern "C" __global__ void second(int* p) { p[threadIdx.x] = 1; }
"""


@pytest.fixture
def flow(start, tmp_path):
    """The window with the graph of this source."""
    path = tmp_path / "flow.cu"
    path.write_text(SOURCE)
    driver = start(path)
    driver.wait(lambda: driver.results)
    driver.trigger("focusGraphAction")
    driver.wait(lambda: picture(driver))
    return driver


def picture(driver):
    return driver.pane("graph").canvas.picture


def choose(driver, name, text):
    combo = driver.find(QComboBox, name)
    combo.setCurrentIndex(combo.findText(text))
    combo.activated.emit(combo.currentIndex())


def instruction_at_caret(driver):
    pane = driver.listings[CodeKind.SASS]
    spot = driver.state.disassembly.current.rows.spot(pane.code_view.line - 1)
    return spot.function.name, spot.index


def test_a_graph_leads_to_the_text_and_back(flow):
    driver = flow
    canvas = driver.pane("graph").canvas
    panes, disassembly = driver, driver.state.disassembly
    assert QApplication.focusWidget() is canvas
    choose(driver, "graphKernel", "first")
    driver.wait(lambda: picture(driver).graph.name == "first")
    assert disassembly.kernel == "first"
    assert [loop.depth for loop in picture(driver).graph.loops] == [1, 2]
    assert "2 loops, nested 2 deep" in driver.find(QLabel, "graphSummary").text()

    # The keyboard walks, and the caret of the text with it.
    driver.press(Qt.Key.Key_Home)
    driver.press(Qt.Key.Key_Down)
    blocks = picture(driver).graph.blocks
    assert canvas.current in picture(driver).graph.successors[0]
    assert instruction_at_caret(driver) == ("first", blocks[canvas.current].start)
    assert QApplication.focusWidget() is canvas

    # A click brings up the text; the caret there marks its block here.
    x, y, *_ = picture(driver).layout.boxes[2]
    canvas.mark(2)
    place = canvas.mapFromScene(QPointF(x + 5, y + 5))
    QTest.mouseClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=place)
    sass = panes.listings[CodeKind.SASS]
    driver.wait(sass.isVisible)
    assert instruction_at_caret(driver) == ("first", blocks[2].start)
    # Beside the graph, not in its place.
    assert canvas.isVisible()
    assert driver.shell.layout.group(driver.shell.layout.dock_of(sass)) == [
        driver.shell.layout.dock_of(sass)
    ]
    last = blocks[-1]
    sass.code_view.go_to(disassembly.current.rows.line(disassembly.function, last.start) + 1)
    driver.trigger("focusGraphAction")
    driver.wait(lambda: canvas.current == last.id)

    # Enter takes the keyboard along.
    driver.press(Qt.Key.Key_Home)
    driver.press(Qt.Key.Key_Return)
    assert QApplication.focusWidget() is sass.code_view
    assert instruction_at_caret(driver) == ("first", 0)


def test_ptx_has_a_graph_of_its_own_and_the_kernel_stays(flow):
    driver = flow
    canvas = driver.pane("graph").canvas
    choose(driver, "graphKernel", "first")
    choose(driver, "graphKindCombo", "PTX")
    driver.wait(lambda: picture(driver).kind is CodeKind.PTX)
    graph = picture(driver).graph
    assert graph.name == "first"
    assert [loop.depth for loop in graph.loops] == [1, 2]
    block = graph.loops[1].head
    ptx = driver.listings[CodeKind.PTX]
    driver.shell.layout.bring_up(canvas)
    canvas.mark(block)
    driver.press(Qt.Key.Key_Return)
    assert QApplication.focusWidget() is ptx.code_view
    assert ptx.code_view.line == graph.blocks[block].start + 1
    assert ptx.listing.lines[ptx.code_view.line - 1].startswith("$L__BB")

    driver.trigger("focusGraphAction")
    choose(driver, "graphKernel", "second")
    driver.wait(lambda: picture(driver).graph.name == "second")
    assert driver.state.disassembly.kernel == "second"
    choose(driver, "graphKindCombo", "SASS")
    driver.wait(lambda: picture(driver).kind is CodeKind.SASS)
    assert picture(driver).graph.name == "second"


def test_an_edit_draws_the_graph_anew(flow):
    driver = flow
    choose(driver, "graphKernel", "first")
    driver.wait(lambda: picture(driver).graph.name == "first")
    before = picture(driver)
    driver.next_result(lambda: driver.replace("i < n", "i < 1"))
    driver.wait(lambda: picture(driver) is not None and picture(driver) is not before)
    assert picture(driver).graph.name == "first"
    assert picture(driver).graph.loops == ()


def test_a_graph_is_saved_with_its_text_or_the_user_hears_why_not(flow, tmp_path, monkeypatch):
    driver = flow
    target = tmp_path / "graph.svg"
    places = [target, None, tmp_path / "no folder" / "graph.svg"]
    proposed = []
    monkeypatch.setattr(
        Dialogs, "file_to_save", lambda _, path: (proposed.append(path.name), places.pop(0))[1]
    )
    driver.trigger("exportGraphAction")
    driver.wait(target.exists)
    assert proposed == [f"{picture(driver).graph.name}.sass.svg"]
    drawn = ElementTree.parse(target).getroot()
    words = [text.text for text in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert "EXIT" in words
    driver.trigger("exportGraphAction")
    driver.trigger("exportGraphAction")
    driver.wait(driver.shell.notices.isVisible)


def test_without_code_the_pane_says_what_to_do(start, tmp_path):
    broken = tmp_path / "broken.cu"
    broken.write_text("nonsense")
    driver = start(broken)
    driver.trigger("focusGraphAction")
    pause(50)
    assert picture(driver) is None
    assert "Problems list says" in driver.pane("graph").canvas.accessibleDescription()
    driver.trigger("exportGraphAction")
    driver.wait(driver.shell.notices.isVisible)


def test_names_that_come_after_the_code_are_drawn(start, tmp_path):
    path = tmp_path / "flow.cu"
    path.write_text("__global__ void scaled(float* p) { if (p[0] > 0) p[threadIdx.x] = 1; }\n")
    driver = start(path)
    driver.wait(lambda: driver.results)
    driver.trigger("focusGraphAction")
    driver.wait(lambda: picture(driver) and entry_title(driver) == "scaled")
    sass = driver.listings[CodeKind.SASS].code
    sass.set_demangled(False)
    driver.wait(lambda: entry_title(driver) == "_Z6scaledPf")
    sass.set_demangled(True)
    driver.wait(lambda: entry_title(driver) == "scaled")


def entry_title(driver):
    shown = picture(driver)
    return shown.spell(shown.graph.blocks[0].name)
