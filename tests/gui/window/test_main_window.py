"""The main job in a real window with a real worker: write, build, break, mend, read."""

import os
import signal
import time
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QDockWidget, QLineEdit, QWidget

from jitstudio.core.code import CodeKind
from jitstudio.core.result import Outcome
from jitstudio.gui.editor.editor_tabs import EditorTabs
from jitstudio.gui.features.link.view import LinkView
from jitstudio.gui.features.log.view import LogView
from jitstudio.gui.features.names.view import NamesView
from jitstudio.gui.features.problems.view import ProblemsView
from jitstudio.gui.shell.status_line import StatusLine
from jitstudio.gui.state.documents import Document
from tests.gui.driver import pause
from tests.support import CRASHING_IR, ENDLESS_TEMPLATES, SLOW_CUDA


def test_first_start_shows_a_built_sample(started):
    assert started.document.name == "vector_add.cu"
    assert ".visible .entry vector_add(" in started.listing("ptxView").toPlainText()
    assert "LDG.E" in started.listing("sassView").toPlainText()
    assert started.find(StatusLine, "statusBar").state.startswith("Built in ")


def test_the_parts_have_the_names_that_tools_look_for(started):
    for kind, name in (
        (EditorTabs, "editorTabs"),
        (QDockWidget, "ptxDock"),
        (QDockWidget, "sassDock"),
        (QDockWidget, "problemsDock"),
        (QComboBox, "archCombo"),
        (QWidget, "optionsEdit"),
        (QAction, "buildAction"),
        (QAction, "cancelAction"),
        (QAction, "autoBuildAction"),
        (QWidget, "ptxView"),
        (QWidget, "sassView"),
        (ProblemsView, "problemsView"),
        (LogView, "logView"),
        (NamesView, "namesView"),
        (LinkView, "linkView"),
        (StatusLine, "statusBar"),
    ):
        part = started.find(kind, name)
        assert started.window.findChildren(kind, name) == [part]


def test_typing_builds_by_itself(started):
    edit = lambda: started.replace("a[i] + b[i]", "a[i] * b[i]")  # noqa: E731
    result = started.next_result(edit)
    assert result.outcome is Outcome.BUILT
    assert "mul.f32" in started.listing("ptxView").toPlainText()
    assert "FMUL" in started.listing("sassView").toPlainText()


def test_break_it_then_mend_it(started):
    before = started.listing("ptxView").toPlainText()
    started.next_result(lambda: started.replace("a[i] + b[i]", "a[i] + c[i]"))

    assert started.listing("ptxView").toPlainText() == before
    for pane in started.listings.values():
        assert pane.output.listings
        assert pane.is_old
    assert 'line 9: identifier "c" is undefined' in started.state.outputs.old_reason.failed.reason
    problems = started.find(ProblemsView, "problemsView").model
    assert problems.rowCount() == 1
    (mark,) = [placed.mark for placed in started.editor.marks.alive()]
    assert (mark.line, mark.message) == (9, 'identifier "c" is undefined')
    assert "Build failed" in started.find(StatusLine, "statusBar").state

    started.next_result(started.editor.undo)
    assert not any(pane.is_old for pane in started.listings.values())
    assert problems.rowCount() == 0
    assert not started.editor.marks.alive()


def test_a_problem_leads_to_its_line(started):
    started.next_result(lambda: started.replace("a[i] + b[i]", "a[i] + c[i]"))
    started.editor.go_to(1)
    started.trigger("nextProblemAction")
    assert started.editor.position() == (9, 25)
    assert QApplication.focusWidget() is started.editor


def test_quick_edits_build_the_newest_only(started):
    started.state.settings.auto_build = False
    seen = len(started.results)
    for number in range(12):
        started.replace("a[i]" if number == 0 else f"{number - 1}.5f", f"{number}.5f")
        started.trigger("buildAction")
        pause(0)
    started.wait(lambda: not started.state.build_controller.is_building)
    results = started.results[seen:]
    assert results[-1].ok
    # 11.5f in hexadecimal, as PTX writes it.
    assert "0f41380000" in started.listing("ptxView").toPlainText()
    assert len(results) < 12


def test_a_build_that_hangs_can_be_cancelled_and_the_next_one_works(started):
    started.state.settings.auto_build = False
    started.editor.setPlainText(SLOW_CUDA)
    started.trigger("buildAction")
    cancel = started.find(QAction, "cancelAction")
    assert cancel.isEnabled()
    pause(800)
    assert started.state.build_controller.is_building
    result = started.next_result(cancel.trigger)
    assert result.outcome is Outcome.CANCELLED
    assert not cancel.isEnabled()
    started.editor.setPlainText('extern "C" __global__ void again() {}')
    result = started.next_result(lambda: started.trigger("buildAction"))
    assert result.ok
    assert "again" in started.listing("ptxView").toPlainText()


def test_typing_does_not_wait_for_a_build(started):
    started.editor.setPlainText(SLOW_CUDA)
    started.trigger("buildAction")
    pause(500)
    assert started.state.build_controller.is_building
    begin = time.perf_counter()
    started.type("// typed meanwhile")
    # Far less than the build takes.
    assert time.perf_counter() - begin < 10
    assert "// typed meanwhile" in started.editor.toPlainText()
    started.state.settings.auto_build = False
    started.trigger("cancelAction")
    started.settle()


def test_ir_that_kills_libnvvm_is_told_and_the_next_build_works(started):
    started.state.settings.auto_build = False
    started.choose_arch("sm_100")
    open_document = Document("deadly.ll", CodeKind.LLVM_IR, CRASHING_IR.encode())
    started.state.documents.add(open_document)
    result = started.next_result(lambda: started.trigger("buildAction"))
    assert result.outcome is Outcome.CRASHED
    assert result.crash is not None
    assert result.crash.signal == signal.SIGILL.name
    problems = started.find(ProblemsView, "problemsView").model
    assert "libNVVM" in problems.index(0, 0).data()
    assert open_document.content.decode() == CRASHING_IR
    started.state.documents.current = started.state.documents.named("vector_add.cu")
    assert started.next_result(lambda: started.trigger("buildAction")).ok


def test_a_killed_worker_is_replaced(started):
    pid = started.state.service.worker_pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    time.sleep(0.2)
    assert started.next_result(lambda: started.trigger("buildAction")).ok
    assert started.state.service.worker_pid != pid


def test_another_target(started):
    result = started.next_result(lambda: started.choose_arch("sm_120"))
    assert result.ok
    assert ".target sm_120" in started.listing("ptxView").toPlainText()


def test_a_senseless_target_is_refused_in_words(started):
    started.choose_arch("sm_ninety")
    assert "sm_ninety" in started.shell.notices.text
    assert started.find(QComboBox, "archCombo").currentText() == "sm_75"


def test_the_targets_are_those_of_nvrtc(started):
    combo = started.find(QComboBox, "archCombo")
    assert combo.findText("sm_75") >= 0
    assert combo.findText("sm_120") >= 0
    assert combo.findText("sm_52") < 0


def test_options_reach_the_compiler_and_a_wrong_one_is_told(started):
    assert started.next_result(lambda: started.set_options("-lineinfo")).ok
    assert ".loc" in started.listing("ptxView").toPlainText()
    result = started.next_result(lambda: started.set_options("--no-such-option"))
    assert result.outcome is Outcome.FAILED
    log = started.find(LogView, "logView")
    assert log.stage is not None
    assert "--no-such-option" in log.stage.options
    assert "unrecognized option" in log.stage.error_log


def test_options_that_are_half_typed_start_no_build(started):
    build_controller, settings = started.state.build_controller, started.state.settings
    edit = started.find(QLineEdit, "optionsEdit")
    edit.setFocus()
    started.replace("sum", "sum")
    assert build_controller.is_busy
    for typed in "--maxrregcount=":
        QTest.keyClicks(edit, typed)
        assert not build_controller.is_busy
    # What is typed is kept all the same, and a build that is asked for takes it.
    assert settings.options == "--maxrregcount="
    result = started.next_result(lambda: started.trigger("buildAction"))
    assert "--maxrregcount=" in result.stages[0].options
    result = started.next_result(lambda: QTest.keyClicks(edit, "32"))
    assert "--maxrregcount=32" in result.stages[0].options
    # Going on to something else ends it, too.
    QTest.keyClicks(edit, " -linein")
    assert not build_controller.is_busy
    started.editor.setFocus()
    QTest.keyClick(QApplication.activePopupWidget(), Qt.Key.Key_Escape)
    assert build_controller.is_busy
    started.settle()


def test_an_unclosed_quote_in_the_options_is_told(started):
    result = started.next_result(lambda: started.set_options('-DX="a'))
    assert result.outcome is Outcome.REFUSED
    assert result.diagnostics


BAD_INPUT = {
    "empty.cu": (b"", "empty"),
    "latin.cu": (b"// caf\xe9\n__global__ void k() {}\n\0", "UTF-8"),
    "nul.cu": (b"__global__ void k() {}\0", "NUL"),
    "missing.cu": (b'#include "nowhere.h"\n', "nowhere.h"),
    "endless.cu": (ENDLESS_TEMPLATES.encode(), "excessive recursion"),
    "long.cu": (b"// " + b"x" * 10_000_000 + b"\n__global__ void k() {}\n", ""),
}


def test_bad_input_is_told_in_words_and_the_next_build_works(started, tmp_path):
    for name, (content, told) in BAD_INPUT.items():
        path = tmp_path / name
        path.write_bytes(content)
        result = started.next_result(partial(started.files.open_paths, [path]))
        assert told in " ".join(d.message for d in result.diagnostics), name
        assert result.ok is (told == ""), name
        started.state.documents.remove(started.document)
        started.settle()
        assert started.next_result(lambda: started.trigger("buildAction")).ok, name


def test_an_old_refusal_makes_room_for_the_next_build(started):
    started.state.documents.remove(started.document)
    started.settle()
    status = started.find(StatusLine, "statusBar")
    assert "nothing to build: " in status.currentMessage()
    assert started.next_result(lambda: started.trigger("newCudaAction")).ok
    assert status.currentMessage() == ""
    assert status.state.startswith("Built in ")


def test_floating_panes_are_there_again_where_the_end_is_put_off(started, monkeypatch):
    dock = started.shell.layout.dock_of(started.pane("log"))
    dock.setFloating(True)
    projects = started.window.builder.context.projects
    # A question, while which events go on, and the answer "Cancel".
    monkeypatch.setattr(projects, "may_quit", lambda: bool(pause(50)))
    dock.close()
    started.window.close()
    assert not dock.isHidden()
    dock.setFloating(False)


def test_a_refusal_is_not_overwritten_by_the_build_before_it(started):
    started.state.settings.auto_build = False
    started.editor.setPlainText(SLOW_CUDA)
    started.trigger("buildAction")
    started.state.settings.options = '-DX="a'
    result = started.next_result(lambda: started.trigger("buildAction"))
    assert result.outcome is Outcome.REFUSED
    assert not started.find(QAction, "cancelAction").isEnabled()
    pause(300)
    assert started.results[-1] is result


def test_closing_the_tab_ends_its_build(started):
    started.state.settings.auto_build = False
    started.editor.setPlainText(SLOW_CUDA)
    started.trigger("buildAction")
    assert started.state.build_controller.is_building
    started.state.documents.remove(started.document)
    assert not started.state.build_controller.is_building
    assert started.next_result(
        lambda: (started.trigger("newCudaAction"), started.trigger("buildAction"))
    ).ok
