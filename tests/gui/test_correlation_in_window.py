"""Source, PTX and SASS tied together in a real window, by real tools."""

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QAction, QMouseEvent, QTextCursor
from PySide6.QtWidgets import QApplication

from jitstudio.analysis.correlation.hues import PLAIN
from jitstudio.core.code import CodeKind
from jitstudio.core.request import LinkMode
from jitstudio.gui.kit.text_limits import LONGEST_LINE
from tests.gui.driver import pause

PRODUCT = "value * value + 1.0f"
CALL = "out[i] = user_transform(in[i])"


def ready(driver):
    """Wait until what is shown is tied together."""
    disassembly, correlations = driver.state.disassembly, driver.state.correlations
    driver.wait(lambda: disassembly.current is not None)
    driver.wait(lambda: correlations.tied and correlations.tied.inspection is disassembly.current)
    pause(20)


def with_link(driver):
    """The two-module sample, linked by LTO, with its SASS in sight."""
    driver.show_output("SASS")
    driver.open_sample("Link by PTX or LTO")
    ready(driver)
    return driver


@pytest.fixture(scope="module")
def linked(shared_driver):
    shared_driver.start()
    return with_link(shared_driver)


@pytest.fixture
def own_linked(driver):
    """The same for a test that changes it."""
    driver.start()
    return with_link(driver)


def open_tab(driver, name):
    document = driver.state.documents.named(name)
    driver.state.documents.current = document
    return document


def line_with(driver, name, text):
    """The line, from 0, of a tab or listing that holds a text."""
    if name in ("ptxView", "sassView"):
        lines = driver.listing(name).text.lines
    else:
        lines = driver.state.documents.named(name).text.toPlainText().split("\n")
    (line,) = (n for n, one in enumerate(lines) if text in one)
    return line


def go_to(driver, name, text):
    """Put the cursor of a tab there, with the keyboard."""
    open_tab(driver, name)
    driver.editors.page.go_to(line_with(driver, name, text) + 1, 1)
    pause(20)


def hue(driver, name, text):
    line = line_with(driver, name, text)
    if name in ("ptxView", "sassView"):
        return driver.listing(name).line_colours.hue(line)
    open_tab(driver, name)
    return driver.editor.line_colours.hue(line)


def told(driver):
    return driver.shell.status.currentMessage()


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
    linked.files.new_header()
    header = linked.document
    sass.setFocus()
    linked.trigger("correlateAction")
    assert linked.document.name == "user_transform.cu"
    assert linked.editor.hasFocus()
    assert linked.editor.position() == (line_with(linked, "user_transform.cu", PRODUCT) + 1, 1)
    linked.state.documents.remove(header)
    ready(linked)


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
    go_to(linked, "apply_transform.cu", "A library kernel")
    sass, ptx = linked.listing("sassView"), linked.listing("ptxView")
    fused = line_with(linked, "sassView", "FFMA")
    sass.show_line(fused)
    point(sass, fused)
    assert list(sass.line_colours.matched) == [fused]
    assert list(linked.editor.line_colours.matched) == [
        line_with(linked, "apply_transform.cu", CALL)
    ]
    assert [ptx.text.lines[n].split()[0] for n in ptx.line_colours.matched] == ["fma.rn.f32"]
    # Without the mouse it is the line of the cursor that counts.
    QApplication.sendEvent(sass.viewport(), QEvent(QEvent.Type.Leave))
    assert list(linked.editor.line_colours.matched) != [
        line_with(linked, "apply_transform.cu", CALL)
    ]


def test_the_line_of_the_cursor_shows_all_that_was_made_of_it(linked):
    go_to(linked, "apply_transform.cu", CALL)
    sass = linked.listing("sassView")
    matched = [sass.text.lines[n] for n in sass.line_colours.matched]
    # What was inlined by the call is made of it, too.
    assert sum("FFMA" in line for line in matched) == 1
    assert sum("STG.E" in line for line in matched) == 1
    go_to(linked, "apply_transform.cu", "A library kernel")
    assert list(sass.line_colours.matched) == []


def test_other_panes_follow_the_cursor_where_that_is_wanted(own_linked):
    sass = own_linked.listing("sassView")
    own_linked.window.resize(1200, 420)
    pause(50)
    go_to(own_linked, "apply_transform.cu", CALL)
    # The listing has come up at its kernel.
    begun = (sass.line, sass.verticalScrollBar().value())
    line = line_with(own_linked, "sassView", "STG.E")
    assert sass.below(line) > sass.viewport().height()
    own_linked.trigger("followCursorAction")
    go_to(own_linked, "apply_transform.cu", "A library kernel")
    go_to(own_linked, "apply_transform.cu", "void apply_transform")
    go_to(own_linked, "apply_transform.cu", CALL)
    first = sass.line_colours.matched[0]
    assert 0 < sass.below(first) <= sass.viewport().height()
    # Nobody's cursor was moved but the user's.
    assert sass.line == begun[0]
    assert sass.verticalScrollBar().value() != begun[1]
    assert own_linked.editor.hasFocus()
    assert own_linked.state.preferences.value("listings.follow") is True


def test_bands_follow_edits_and_an_edited_line_says_so(own_linked):
    own_linked.state.settings.auto_build = False
    colour = hue(own_linked, "user_transform.cu", PRODUCT)
    cursor = QTextCursor(own_linked.editor.document())
    cursor.insertText("// one line more\n")
    assert (
        own_linked.editor.line_colours.hue(line_with(own_linked, "user_transform.cu", PRODUCT))
        == colour
    )
    own_linked.replace("1.0f", "2.0f")
    line = line_with(own_linked, "user_transform.cu", "+ 2.0f")
    assert own_linked.editor.line_colours.hue(line) == PLAIN
    go_to(own_linked, "user_transform.cu", "+ 2.0f")
    own_linked.trigger("correlateAction")
    assert own_linked.editor.hasFocus()
    assert "edited since the build" in told(own_linked)
    go_to(own_linked, "user_transform.cu", "one line more")
    own_linked.trigger("correlateAction")
    assert "edited since the build" in told(own_linked)
    go_to(own_linked, "apply_transform.cu", "A library kernel")
    own_linked.trigger("correlateAction")
    assert "Nothing matches this line" in told(own_linked)


def test_colours_are_switched_in_the_menu_and_stay_so(linked):
    action = linked.find(QAction, "bandsAction")
    assert action.isChecked()
    action.trigger()
    assert hue(linked, "sassView", "FFMA") == PLAIN
    assert hue(linked, "user_transform.cu", PRODUCT) == PLAIN
    assert linked.state.preferences.value("listings.bands") is False
    linked.state.preferences.set_value("listings.bands", True)
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
    assert sass.line_colours.hue(first) == hue(linked, "sassView", "LDG.E")
    linked.trigger("previousMatchAction")
    assert sass.line_colours.hue(sass.line - 1) == hue(linked, "sassView", "LDG.E")
    go_to(linked, "apply_transform.cu", "int i = blockIdx.x")
    linked.trigger("nextMatchAction")
    assert linked.editor.line_colours.hue(linked.editor.position()[0] - 1) != PLAIN


DOUBLE = f"""\
// {"-" * LONGEST_LINE}
.version 8.0
.target sm_75
.address_size 64
.visible .entry double_it(.param .u64 data)
{{
    .reg .u64 %data;
    .reg .f32 %x;
    ld.param.u64 %data, [data];
    ld.global.f32 %x, [%data];
    add.f32 %x, %x, %x;
    st.global.f32 [%data], %x;
    ret;
}}
"""


@pytest.mark.usefixtures("driver")
def test_ptx_that_is_the_source_is_tied_to_its_sass_also_where_it_is_too_wide_to_edit(
    started, tmp_path
):
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
    # The same where only a listing can show it.
    (tmp_path / "wide.ptx").write_text(DOUBLE)
    started.next_result(lambda: started.files.open_paths([tmp_path / "wide.ptx"]))
    ready(started)
    view = started.editors.page.view
    started.wait(lambda: view.line_count)
    (line,) = (n for n, words in enumerate(view.text.lines) if "add.f32" in words)
    assert view.line_colours.hue(line) == hue(started, "sassView", "FADD") != PLAIN
    assert view.line_colours.hue(0) == PLAIN
    point(view, line)
    assert ["FADD" in sass.text.lines[n] for n in sass.line_colours.matched] == [True]
    # From there to SASS, and back.
    view.go_to(line + 1)
    view.setFocus()
    started.trigger("correlateAction")
    assert sass.hasFocus()
    assert "FADD" in sass.text.lines[sass.line - 1]
    view.go_to(1)
    started.trigger("correlateAction")
    assert view.hasFocus()
    assert view.line == line + 1
    started.wait(lambda: list(view.line_colours.matched) == [line])
    started.trigger("nextMatchAction")
    assert view.line != line + 1
    assert view.line_colours.hue(view.line - 1) != PLAIN


def test_a_link_by_ptx_shows_the_ptx_of_the_module(own_linked):
    own_linked.next_result(lambda: setattr(own_linked.state.settings, "link", LinkMode.PTX))
    ready(own_linked)
    go_to(own_linked, "user_transform.cu", PRODUCT)
    own_linked.trigger("correlateAction")
    pane = own_linked.listings[CodeKind.PTX]
    assert pane.listing.name == "user_transform.cu"
    assert "fma.rn.f32" in pane.code_view.text.lines[pane.code_view.line - 1]
    own_linked.trigger("correlateAction")
    sass = own_linked.listing("sassView")
    assert "FFMA" in sass.text.lines[sass.line - 1]


@pytest.mark.usefixtures("driver")
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
    started.state.documents.remove(started.state.documents.named("atomic_ops.cuh"))
    started.wait(
        lambda: hue(started, "ptxView", "atom.global") == hue(started, "histogram.cu", call)
    )


WITH_HEADERS = """\
#include "a/scale.cuh"
#include "b/scale.cuh"
#include "site-packages/factor.cuh"
extern "C" __global__ void k(float* out) {
    out[0] = scale_a(out[1]) + scale_b(out[2]);
    out[5] = factor_c();
#line 7 "gone.inc"
    out[3] = out[4] + 5.0f;
}
"""
SCALE = """\
#pragma once
#include "factor.cuh"
__device__ __forceinline__ float scale_{0}(float x) {{ return x * factor_{0}(); }}
"""
FACTOR = """\
#pragma once
__device__ __forceinline__ float factor_{0}() {{ return 3.0f * clock(); }}
"""


@pytest.fixture
def with_headers(driver, started, tmp_path):
    """A module with headers of one name in two folders, reached by a link."""
    for name in "ab":
        folder = tmp_path / "real" / name
        folder.mkdir(parents=True)
        (folder / "scale.cuh").write_text(SCALE.format(name))
        (folder / "factor.cuh").write_text(FACTOR.format(name))
    (folder / "factor.cuh").write_text('#line 9 "made.inc"\n' + FACTOR.format(name))
    library = tmp_path / "real" / "site-packages"
    library.mkdir()
    (library / "factor.cuh").write_text(FACTOR.format("c"))
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "k.cu").write_text(WITH_HEADERS)
    started.show_output("SASS")
    started.state.settings.options = f"-I{tmp_path / 'link'}"
    assert started.next_result(lambda: started.files.open_paths([tmp_path / "k.cu"])).ok
    ready(started)
    return started


def to_sass_of(driver, wanted):
    """Put the caret to the first SASS that comes from a file."""
    correlations, sass = driver.state.correlations, driver.listing("sassView")
    chains = (correlations.of_sass(line).chain for line in range(sass.line_count))
    line = next(n for n, chain in enumerate(chains) if chain and chain[0].file.endswith(wanted))
    sass.setFocus()
    sass.go_to(line + 1)


def jump_from(driver, wanted):
    to_sass_of(driver, wanted)
    driver.trigger("correlateAction")


def test_code_of_a_header_leads_to_its_file(with_headers, tmp_path):
    driver, sass = with_headers, with_headers.listing("sassView")
    real = (tmp_path / "real").resolve()
    # Following the cursor opens nothing.
    driver.state.preferences.set_value("listings.follow", True)
    to_sass_of(driver, "a/factor.cuh")
    driver.wait(lambda: list(driver.editor.line_colours.matched) == [4])
    assert driver.document.name == "k.cu"
    assert driver.state.documents.named("factor.cuh") is None
    jump_from(driver, "a/factor.cuh")
    assert driver.document.path == real / "a" / "factor.cuh"
    assert driver.editor.hasFocus()
    assert driver.editor.position() == (2, 1)
    assert told(driver).startswith(f"{driver.document.path} is open. Builds read")
    # It has its colours as soon as it is tied to the build, which is the same as before.
    driver.wait(lambda: driver.editor.line_colours.hue(1) != PLAIN)
    assert driver.editor.line_colours.hue(1) == sass.line_colours.hue(sass.line - 1)
    # Of a library's code one sees the call.
    jump_from(driver, "site-packages/factor.cuh")
    assert driver.document.name == "k.cu"
    assert driver.editor.position()[0] == 6
    # Of code in no file, the call that is in one.
    jump_from(driver, "made.inc")
    assert driver.document.path == real / "b" / "scale.cuh"
    assert driver.editor.position() == (3, 1)
    driver.wait(lambda: told(driver).startswith("made.inc:10 is in no"))
    driver.pane("problems").location_activated.emit(str(real / "b" / "factor.cuh"), 2, 1)
    assert driver.document.name == "b/factor.cuh"
    # With its namesake in a tab the compiler would take the wrong one.
    assert driver.next_result(driver.state.build_controller.build).ok
    # Where there is no call, either, the PTX.
    driver.wait(lambda: driver.state.disassembly.current is not None)
    ready(driver)
    jump_from(driver, "gone.inc")
    assert driver.listing("ptxView").hasFocus()
    driver.wait(lambda: told(driver).startswith("gone.inc:7 is in no"))
