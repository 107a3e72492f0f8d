"""Source, PTX and SASS tied together in a real window, by real tools."""

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QAction, QMouseEvent, QTextCursor
from PySide6.QtWidgets import QApplication

from jitstudio.analysis.correlation.hues import PLAIN
from jitstudio.core.code import CodeKind
from jitstudio.core.request import LinkMode
from tests.gui.driver import pause

PRODUCT = "value * value + 1.0f"
CALL = "out[i] = user_transform(in[i])"


def ready(driver):
    """Wait until what is shown is tied together."""
    inspections, correlations = driver.workspace.inspections, driver.workspace.correlations
    driver.wait(lambda: inspections.current is not None)
    driver.wait(lambda: correlations.tied and correlations.tied.inspection is inspections.current)
    pause(20)


@pytest.fixture
def linked(started):
    """The two-module sample, linked by LTO, with its SASS in sight."""
    started.show_output("SASS")
    started.open_sample("Link by PTX or LTO")
    ready(started)
    return started


def open_tab(driver, name):
    document = driver.workspace.documents.named(name)
    driver.workspace.documents.current = document
    return document


def line_with(driver, name, text):
    """The line, from 0, of a tab or listing that holds a text."""
    if name in ("ptxView", "sassView"):
        lines = driver.listing(name).text.lines
    else:
        lines = driver.workspace.documents.named(name).text.toPlainText().split("\n")
    (line,) = (n for n, one in enumerate(lines) if text in one)
    return line


def go_to(driver, name, text):
    """Put the cursor of a tab there, with the keyboard."""
    open_tab(driver, name)
    driver.panes.tabs.page.go_to(line_with(driver, name, text) + 1, 1)
    pause(20)


def hue(driver, name, text):
    line = line_with(driver, name, text)
    if name in ("ptxView", "sassView"):
        return driver.listing(name).bands.hue(line)
    open_tab(driver, name)
    return driver.editor.bands.hue(line)


def told(driver):
    return driver.panes.status.currentMessage()


def test_the_inlined_line_has_one_colour_in_all_three_texts(linked):
    colour = hue(linked, "user_transform.cu", PRODUCT)
    assert colour != PLAIN
    assert hue(linked, "sassView", "FFMA") == colour
    assert hue(linked, "ptxView", "fma.rn.f32") == colour
    assert hue(linked, "apply_transform.cu", CALL) == hue(linked, "sassView", "STG.E") != colour
    assert hue(linked, "user_transform.cu", "What the user") == PLAIN


def test_ctrl_f10_leads_from_text_to_text_and_back(linked):
    go_to(linked, "user_transform.cu", PRODUCT)
    linked.trigger("correlateAction")
    ptx = linked.listing("ptxView")
    assert ptx.hasFocus()
    assert "fma.rn.f32" in ptx.text.lines[ptx.line - 1]
    linked.trigger("correlateAction")
    sass = linked.listing("sassView")
    assert sass.hasFocus()
    assert "FFMA" in sass.text.lines[sass.line - 1]
    linked.wait(lambda: told(linked) == "user_transform.cu:5, inlined at apply_transform.cu:14")
    open_tab(linked, "vector_add.cu")
    sass.setFocus()
    linked.trigger("correlateAction")
    assert linked.document.name == "user_transform.cu"
    assert linked.editor.hasFocus()
    assert linked.editor.position() == (line_with(linked, "user_transform.cu", PRODUCT) + 1, 1)


def test_in_the_tab_of_the_caller_the_way_back_is_the_call(linked):
    open_tab(linked, "apply_transform.cu")
    sass = linked.listing("sassView")
    sass.go_to(line_with(linked, "sassView", "FFMA") + 1)
    sass.setFocus()
    linked.trigger("correlateAction")
    assert linked.document.name == "apply_transform.cu"
    assert linked.editor.position()[0] == line_with(linked, "apply_transform.cu", CALL) + 1


def point(view, line):
    at = QPointF(view.margin_width + 40, view.below(line) - 3)
    event = QMouseEvent(
        QEvent.Type.MouseMove,
        at,
        view.viewport().mapToGlobal(at),
        Qt.MouseButton.NoButton,
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(view.viewport(), event)


def test_the_mouse_shows_what_matches_in_the_other_texts(linked):
    open_tab(linked, "apply_transform.cu")
    sass, ptx = linked.listing("sassView"), linked.listing("ptxView")
    fused = line_with(linked, "sassView", "FFMA")
    sass.show_line(fused)
    point(sass, fused)
    assert list(sass.bands.matched) == [fused]
    assert list(linked.editor.bands.matched) == [line_with(linked, "apply_transform.cu", CALL)]
    assert [ptx.text.lines[n].split()[0] for n in ptx.bands.matched] == ["fma.rn.f32"]
    # Without the mouse it is the line of the cursor that counts.
    QApplication.sendEvent(sass.viewport(), QEvent(QEvent.Type.Leave))
    assert list(linked.editor.bands.matched) != [line_with(linked, "apply_transform.cu", CALL)]


def test_the_line_of_the_cursor_shows_all_that_was_made_of_it(linked):
    go_to(linked, "apply_transform.cu", CALL)
    sass = linked.listing("sassView")
    matched = [sass.text.lines[n] for n in sass.bands.matched]
    # What was inlined by the call is made of it, too.
    assert sum("FFMA" in line for line in matched) == 1
    assert sum("STG.E" in line for line in matched) == 1
    go_to(linked, "apply_transform.cu", "A library kernel")
    assert list(sass.bands.matched) == []


def test_other_panes_follow_the_cursor_where_that_is_wanted(linked):
    sass = linked.listing("sassView")
    linked.window.resize(1200, 420)
    pause(50)
    go_to(linked, "apply_transform.cu", CALL)
    assert sass.verticalScrollBar().value() == 0
    line = line_with(linked, "sassView", "STG.E")
    assert sass.below(line) > sass.viewport().height()
    linked.trigger("followCursorAction")
    go_to(linked, "apply_transform.cu", "A library kernel")
    go_to(linked, "apply_transform.cu", "void apply_transform")
    go_to(linked, "apply_transform.cu", CALL)
    first = sass.bands.matched[0]
    assert 0 < sass.below(first) <= sass.viewport().height()
    # Nobody's cursor was moved but the user's.
    assert sass.line == 1
    assert linked.editor.hasFocus()
    assert linked.workspace.preferences.value("listings.follow") is True


def test_bands_follow_edits_and_an_edited_line_says_so(linked):
    linked.workspace.settings.auto_build = False
    colour = hue(linked, "user_transform.cu", PRODUCT)
    cursor = QTextCursor(linked.editor.document())
    cursor.insertText("// one line more\n")
    assert linked.editor.bands.hue(line_with(linked, "user_transform.cu", PRODUCT)) == colour
    linked.replace("1.0f", "2.0f")
    line = line_with(linked, "user_transform.cu", "+ 2.0f")
    assert linked.editor.bands.hue(line) == PLAIN
    go_to(linked, "user_transform.cu", "+ 2.0f")
    linked.trigger("correlateAction")
    assert linked.editor.hasFocus()
    assert "edited since the build" in told(linked)
    go_to(linked, "user_transform.cu", "one line more")
    linked.trigger("correlateAction")
    assert "edited since the build" in told(linked)
    go_to(linked, "apply_transform.cu", "A library kernel")
    linked.trigger("correlateAction")
    assert "Nothing matches this line" in told(linked)


def test_colours_are_switched_in_the_menu_and_stay_so(linked):
    action = linked.find(QAction, "bandsAction")
    assert action.isChecked()
    action.trigger()
    assert hue(linked, "sassView", "FFMA") == PLAIN
    assert hue(linked, "user_transform.cu", PRODUCT) == PLAIN
    assert linked.workspace.preferences.value("listings.bands") is False
    linked.workspace.preferences.set_value("listings.bands", True)
    assert action.isChecked()
    assert hue(linked, "sassView", "FFMA") != PLAIN


def test_matching_blocks_are_stepped_through(linked):
    sass = linked.listing("sassView")
    open_tab(linked, "apply_transform.cu")
    sass.go_to(line_with(linked, "sassView", "LDG.E") + 1)
    sass.setFocus()
    linked.trigger("nextMatchAction")
    # All of the call's code is one block, but for what stands between.
    first = sass.line - 1
    assert sass.bands.hue(first) == hue(linked, "sassView", "LDG.E")
    linked.trigger("previousMatchAction")
    assert sass.bands.hue(sass.line - 1) == hue(linked, "sassView", "LDG.E")
    go_to(linked, "apply_transform.cu", "int i = blockIdx.x")
    linked.trigger("nextMatchAction")
    assert linked.editor.bands.hue(linked.editor.position()[0] - 1) != PLAIN


def test_ptx_that_is_the_source_is_tied_to_its_sass(started):
    started.show_output("SASS")
    started.open_sample("Two PTX modules")
    ready(started)
    go_to(started, "multiply.ptx", "mul.f32")
    assert hue(started, "multiply.ptx", "mul.f32") == hue(started, "sassView", "FMUL") != PLAIN
    started.trigger("correlateAction")
    sass = started.listing("sassView")
    assert sass.hasFocus()
    assert "FMUL" in sass.text.lines[sass.line - 1]
    open_tab(started, "scale.ptx")
    sass.setFocus()
    started.trigger("correlateAction")
    assert started.document.name == "multiply.ptx"
    assert "mul.f32" in started.editor.textCursor().block().text()


def test_a_link_by_ptx_shows_the_ptx_of_the_module(linked):
    linked.next_result(lambda: setattr(linked.workspace.settings, "link", LinkMode.PTX))
    ready(linked)
    go_to(linked, "user_transform.cu", PRODUCT)
    linked.trigger("correlateAction")
    pane = linked.panes.outputs[CodeKind.PTX]
    assert pane.listing.name == "user_transform.cu"
    assert "fma.rn.f32" in pane.code_view.text.lines[pane.code_view.line - 1]
    linked.trigger("correlateAction")
    sass = linked.listing("sassView")
    assert "FFMA" in sass.text.lines[sass.line - 1]


def test_a_header_that_is_a_tab_is_a_source_like_others(started):
    started.show_output("SASS")
    started.open_sample("Histogram")
    ready(started)
    go_to(started, "atomic_ops.cuh", "atomicAdd(bin, 1u)")
    assert hue(started, "atomic_ops.cuh", "atomicAdd(bin, 1u)") != PLAIN
    started.trigger("correlateAction")
    ptx = started.listing("ptxView")
    assert "atom.shared" in ptx.text.lines[ptx.line - 1]
    # Without the tab the code has the colour of the call.
    call = "accumulate(&bins[bin], local[bin])"
    assert hue(started, "ptxView", "atom.global") != hue(started, "histogram.cu", call)
    started.workspace.documents.remove(started.workspace.documents.named("atomic_ops.cuh"))
    started.wait(
        lambda: hue(started, "ptxView", "atom.global") == hue(started, "histogram.cu", call)
    )
