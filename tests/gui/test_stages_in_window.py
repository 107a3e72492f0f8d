"""Captured kernels in a real window: their representations, tied to PTX and SASS."""

import pytest

from jitstudio.analysis.correlation.hues import PLAIN
from jitstudio.core.captured import KernelLanguage, unpack
from jitstudio.core.code import CodeKind
from jitstudio.gui.state.documents import Document
from tests.gui.driver import Driver, pause
from tests.support import SAMPLES

L = KernelLanguage
KERNEL = unpack((SAMPLES / "triton_swiglu.jitkernel").read_bytes())


@pytest.fixture(scope="module")
def captured(shared_driver):
    """The Triton sample, tied together, with its SASS in sight."""
    driver = shared_driver
    driver.start()
    driver.show_output("SASS")
    driver.open_sample("Triton")
    disassembly, correlations = driver.state.disassembly, driver.state.correlations
    driver.wait(lambda: disassembly.current is not None)
    driver.wait(lambda: correlations.tied and correlations.tied.inspection is disassembly.current)
    pause(20)
    return driver


def line_with(view, text):
    (line,) = (n for n, one in enumerate(view.text.lines, 1) if text in one)
    return line


def hue(view, text):
    return view.line_colours.hue(line_with(view, text) - 1)


def matched(view):
    return [view.text.lines[line].strip() for line in view.line_colours.matched]


def test_a_kernel_is_shown_from_where_it_begins(captured):
    page = captured.editors.page
    page.show_stage(L.PYTHON)
    assert page.view.text.lines[page.view.line - 1].startswith("def swiglu(")


def test_all_representations_are_there_as_they_are(captured):
    page = captured.editors.page
    titles = [page.bar.tabText(at) for at in range(page.bar.count())]
    assert titles == ["Python", "Triton IR", "TritonGPU IR", "LLVM IR", "Details"]
    for language in (L.TTIR, L.LLVM_IR, L.PYTHON):
        page.show_stage(language)
        assert page.stage is language
        assert page.view.toPlainText() == KERNEL.representation(language).text.rstrip("\n")
    page.bar.setCurrentIndex(page.bar.count() - 1)
    details = page.view.text.lines
    assert any(line.split() == ["num_warps", KERNEL.facts["num_warps"]] for line in details)
    page.show_stage(L.PYTHON)
    assert "swiglu, made by Triton 3.6.0 for sm_90" in page.banner.text()


def test_one_line_has_one_colour_in_all_of_them(captured):
    page, store = captured.editors.page, "tl.store(out_ptr"
    page.show_stage(L.PYTHON)
    colour = hue(page.view, store)
    assert colour != PLAIN
    assert hue(page.view, "import torch") == PLAIN
    for language, text in ((L.TTIR, "tt.store"), (L.TTGIR, "tt.store")):
        page.show_stage(language)
        assert hue(page.view, text) == colour
    sass = captured.listing("sassView")
    stores = [n for n, line in enumerate(sass.text.lines) if " STG." in line]
    assert {sass.line_colours.hue(line) for line in stores} == {colour}


def test_another_representation_shows_the_same_line(captured):
    page = captured.editors.page
    page.show_stage(L.PYTHON)
    page.go_to(line_with(page.view, "tl.load(up_ptr"), 1)
    pause(20)
    sass = captured.listing("sassView")
    here = matched(sass)
    assert sum("LDG.E.128" in line for line in here) == 2
    page.show_stage(L.TTGIR)
    pause(20)
    at_caret = page.view.text.lines[page.view.line - 1]
    assert "%up_ptr" in at_caret
    page.go_to(line_with(page.view, "%up_9 = tt.load"), 1)
    pause(20)
    assert matched(sass) == here
    page.show_stage(L.PYTHON)
    assert "tl.load(up_ptr" in page.view.text.lines[page.view.line - 1]


def test_a_listing_leads_to_what_is_shown_of_the_kernel(captured):
    page = captured.editors.page
    page.show_stage(L.TTIR)
    captured.trigger("focusSassAction")
    sass = captured.listing("sassView")
    (line, *_) = (n for n, one in enumerate(sass.text.lines, 1) if " STG." in one)
    sass.go_to(line)
    pause(20)
    captured.trigger("showInSourceAction")
    pause(20)
    assert page.view.hasFocus()
    assert "%out_ptr" in page.view.text.lines[page.view.line - 1]
    captured.trigger("showInSourceAction")
    assert page.stage is L.PYTHON
    assert "tl.store(out_ptr" in page.view.text.lines[page.view.line - 1]
    page.show_stage(L.TTIR)
    page.go_to(line_with(page.view, "tt.store"), 1)
    pause(20)
    ptx = captured.listing("ptxView")
    assert any("st.global" in line for line in matched(ptx))
    captured.trigger("correlateAction")
    pause(20)
    assert ptx.hasFocus()


def test_two_representations_show_what_belongs_together(captured):
    page, sass = captured.editors.page, captured.listing("sassView")
    page.show_stage(L.PYTHON)
    captured.trigger("besideAction")
    (first, _), (second, stage) = page.shown
    assert second.isVisible()
    assert stage is L.TTIR
    assert page.view is first
    page.go_to(line_with(first, "tl.load(up_ptr"), 1)
    pause(20)
    assert hue(second, "%up_9 = tt.load") == hue(first, "tl.load(up_ptr") != PLAIN
    assert "%up_9 = tt.load" in " ".join(matched(second))
    here = matched(sass)
    # The other one leads once it has the keyboard.
    second.go_to(line_with(second, "tt.store"))
    second.setFocus()
    pause(20)
    assert page.stage is L.TTIR
    assert matched(first) == ["tl.store(out_ptr + offsets, silu * up, mask=inside)"]
    assert any("STG." in line for line in matched(sass))
    page.show_stage(L.LLVM_IR)
    assert [stage for _, stage in page.shown] == [L.PYTHON, L.LLVM_IR]
    pause(20)
    assert second.line_colours.hue(second.line - 1) == hue(first, "tl.store(out_ptr")
    # From a listing, the tab's text is the one that had the keyboard last.
    captured.trigger("focusSassAction")
    captured.trigger("focusEditorAction")
    assert second.hasFocus()
    # The first one alone has the keyboard then.
    captured.trigger("besideAction")
    assert not second.isVisible()
    assert page.view is first
    assert first.hasFocus()
    page.go_to(line_with(first, "tl.load(up_ptr"), 1)
    pause(20)
    assert matched(sass) == here


def test_a_source_that_is_part_of_a_file_has_the_numbers_of_that_file(captured, qtbot):
    from jitstudio.core.captured import CapturedKernel, Representation, pack
    from jitstudio.gui.editor.captured_page import CapturedPage

    part = Representation(L.PYTHON, b"def k():\n    pass\n", "a.py", 41)
    document = Document("k.jitkernel", CodeKind.CAPTURED, pack(CapturedKernel("k", "x", (part,))))
    page = CapturedPage(document)
    qtbot.addWidget(page)
    qtbot.waitUntil(lambda: page.stage is L.PYTHON)
    assert page.view.text.first_number == 41
    page.go_to(2, 1)
    assert page.view.accessibleDescription() == "Line 42: pass"


def test_a_damaged_kernel_says_why_it_cannot_be_read(captured, qtbot):
    from jitstudio.gui.editor.captured_page import CapturedPage

    page = CapturedPage(Document("bad.jitkernel", CodeKind.CAPTURED, b"PK\x03\x04 no more"))
    qtbot.addWidget(page)
    qtbot.waitUntil(lambda: "it is damaged" in (page.view._hint or ""))
    assert page.stage is None
    assert not page.banner.text()


def test_a_copy_of_the_ptx_is_edited_and_saved_as_an_override(captured, tmp_path, monkeypatch):
    from PySide6.QtWidgets import QApplication, QPushButton

    from jitstudio.gui.features.hand_back.dialog import HandBackDialog
    from jitstudio.python.hand_back import OVERRIDE_KEY

    monkeypatch.setenv("TRITON_OVERRIDE_DIR", str(tmp_path))
    documents, kernel = captured.state.documents, captured.state.documents.current
    button = captured.editors.page.copy_button
    assert button.isVisible()
    result = captured.next_result(button.click)
    assert result.ok
    copy = documents.current
    assert (copy.name, copy.kind) == ("swiglu.ptx", CodeKind.PTX)
    assert copy.content.decode() == KERNEL.representation(L.PTX).text
    captured.trigger("usePtxAction")
    dialog = captured.find(HandBackDialog, "handBackDialog")
    assert "ir_override='swiglu.ptx'" in dialog.code.toPlainText()
    assert "in no file yet" in dialog.state.text()
    dialog.findChild(QPushButton, "handBackOverride").click()
    file = tmp_path / KERNEL.facts[OVERRIDE_KEY] / "swiglu.ptx"
    captured.wait(lambda: copy.path == file.resolve())
    assert file.read_bytes() == copy.content
    assert not dialog.state.text()
    dialog.findChild(QPushButton, "handBackCopy").click()
    assert "TRITON_KERNEL_OVERRIDE=1" in QApplication.clipboard().text()
    dialog.close()
    documents.remove(copy)
    documents.current = kernel


def test_two_representations_are_back_at_the_next_start(qapp, tmp_path):
    first = Driver(qapp, tmp_path)
    first.start()
    first.open_sample("Triton")
    page = first.editors.page
    first.wait(lambda: page.kernel is not None)
    first.trigger("besideAction")
    page.show_stage(L.TTGIR)
    shown = [stage for _view, stage in page.shown]
    assert set(shown) == {L.TTGIR, L.TTIR}
    first.close()
    second = Driver(qapp, tmp_path)
    second.start()
    again = second.editors.page
    second.wait(lambda: again.kernel is not None)
    assert [stage for _view, stage in again.shown] == shown
    # And one alone is one alone.
    second.trigger("besideAction")
    second.close()
    third = Driver(qapp, tmp_path)
    third.start()
    last = third.editors.page
    third.wait(lambda: last.kernel is not None)
    assert [stage for _view, stage in last.shown] == [shown[0], None]
    third.close()
