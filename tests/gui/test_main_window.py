"""The main job in a real window with a real worker: write, build, break, mend, read."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QAction, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QFileDialog, QTabWidget, QWidget

from jitstudio.core.code import CodeKind
from jitstudio.core.request import LinkMode
from jitstudio.core.result import Outcome
from jitstudio.gui.state.documents import Document
from jitstudio.gui.theme import ThemeMode
from jitstudio.gui.widgets.editor_tabs import EditorTabs
from jitstudio.gui.widgets.link_view import LinkView
from jitstudio.gui.widgets.log_view import LogView
from jitstudio.gui.widgets.names_view import NamesView
from jitstudio.gui.widgets.problems_view import ProblemsView
from jitstudio.gui.widgets.status_line import StatusLine
from tests.gui.driver import Driver
from tests.support import CRASHING_IR, ENDLESS_TEMPLATES, SLOW_CUDA


@pytest.fixture
def driver(qapp, tmp_path):
    driver = Driver(qapp, tmp_path)
    yield driver
    driver.close()


@pytest.fixture
def started(driver):
    driver.start()
    return driver


def open_text(driver, name: str, kind: CodeKind, text: str):
    """Open a tab with this text; gives back the result of its first build."""
    document = Document(name, kind, text.encode())
    return driver.next_result(lambda: driver.workspace.documents.add(document))


def test_first_start_shows_a_built_sample(started):
    assert started.document.name == "vector_add.cu"
    assert ".visible .entry vector_add(" in started.listing("ptxView").toPlainText()
    assert "LDG.E" in started.listing("sassView").toPlainText()
    assert started.find(StatusLine, "statusBar").state.startswith("Built in ")


def test_the_parts_have_the_names_that_tools_look_for(started):
    for kind, name in (
        (EditorTabs, "editorTabs"),
        (QTabWidget, "outputTabs"),
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
        assert len(started.window.findChildren(kind, name)) == 1, name


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
    for pane in started.window.panes.outputs.values():
        assert pane.output.listings
        assert 'line 9: identifier "c" is undefined' in pane.output.stale
    problems = started.find(ProblemsView, "problemsView").model
    assert problems.rowCount() == 1
    (mark,) = [placed.mark for placed in started.editor.marks.alive()]
    assert (mark.line, mark.message) == (9, 'identifier "c" is undefined')
    assert "Build failed" in started.find(StatusLine, "statusBar").state

    started.next_result(started.editor.undo)
    assert not any(pane.output.stale for pane in started.window.panes.outputs.values())
    assert problems.rowCount() == 0
    assert not started.editor.marks.alive()


def test_a_problem_leads_to_its_line(started):
    started.next_result(lambda: started.replace("a[i] + b[i]", "a[i] + c[i]"))
    started.editor.go_to(1)
    started.trigger("nextProblemAction")
    assert started.editor.position() == (9, 25)
    assert QApplication.focusWidget() is started.editor


def test_quick_edits_build_the_newest_only(started):
    started.workspace.settings.auto_build = False
    seen = len(started.results)
    for number in range(12):
        started.replace("a[i]" if number == 0 else f"{number - 1}.5f", f"{number}.5f")
        started.trigger("buildAction")
        QTest.qWait(15)
    started.wait(lambda: not started.workspace.studio.is_building)
    results = started.results[seen:]
    assert results[-1].ok
    # 11.5f in hexadecimal, as PTX writes it.
    assert "0f41380000" in started.listing("ptxView").toPlainText()
    assert len(results) < 12


def test_a_build_that_hangs_can_be_cancelled_and_the_next_one_works(started):
    started.workspace.settings.auto_build = False
    started.editor.setPlainText(SLOW_CUDA)
    started.trigger("buildAction")
    cancel = started.find(QAction, "cancelAction")
    assert cancel.isEnabled()
    QTest.qWait(800)
    assert started.workspace.studio.is_building
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
    QTest.qWait(500)
    assert started.workspace.studio.is_building
    begin = time.perf_counter()
    started.type("// typed meanwhile")
    assert time.perf_counter() - begin < 2.0
    assert "// typed meanwhile" in started.editor.toPlainText()
    started.workspace.settings.auto_build = False
    started.trigger("cancelAction")
    started.settle()


def test_ir_that_kills_libnvvm_is_told_and_the_next_build_works(started):
    started.workspace.settings.auto_build = False
    started.choose_arch("sm_100")
    open_document = Document("deadly.ll", CodeKind.LLVM_IR, CRASHING_IR.encode())
    started.workspace.documents.add(open_document)
    result = started.next_result(lambda: started.trigger("buildAction"))
    assert result.outcome is Outcome.CRASHED
    assert result.crash is not None
    assert result.crash.signal == signal.SIGILL.name
    problems = started.find(ProblemsView, "problemsView").model
    assert "libNVVM" in problems.index(0, 0).data()
    assert open_document.content.decode() == CRASHING_IR
    started.workspace.documents.current = started.workspace.documents.named("vector_add.cu")
    assert started.next_result(lambda: started.trigger("buildAction")).ok


def test_a_killed_worker_is_replaced(started):
    pid = started.workspace.service.worker_pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    time.sleep(0.2)
    assert started.next_result(lambda: started.trigger("buildAction")).ok
    assert started.workspace.service.worker_pid != pid


def test_another_target(started):
    result = started.next_result(lambda: started.choose_arch("sm_120"))
    assert result.ok
    assert ".target sm_120" in started.listing("ptxView").toPlainText()


def test_a_senseless_target_is_refused_in_words(started):
    started.choose_arch("sm_ninety")
    assert "sm_ninety" in started.window.panes.notice.text
    assert started.find(QComboBox, "archCombo").currentText() == "sm_90"


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


def test_an_unclosed_quote_in_the_options_is_told(started):
    result = started.next_result(lambda: started.set_options('-DX="a'))
    assert result.outcome is Outcome.REFUSED
    assert result.diagnostics


def test_lowered_names_of_the_sample_and_of_one_more(started):
    started.open_sample("SAXPY")
    names = started.find(NamesView, "namesView")
    rows = [names.model.index(row, 1).data() for row in range(names.model.rowCount())]
    assert rows == ["_Z5saxpyIfEvT_PKS0_PS0_i", "_Z5saxpyIdEvT_PKS0_PS0_i"]
    result = started.next_result(lambda: names.model.add("saxpy<int>"))
    assert [name.lowered for name in result.lowered_names][-1] == "_Z5saxpyIiEvT_PKS0_PS0_i"
    assert "_Z5saxpyIiEvT_PKS0_PS0_i" in started.listing("ptxView").toPlainText()


def test_a_header_tab_is_found_by_include_and_its_edits_rebuild_the_kernel(started):
    assert started.open_sample("Histogram").ok
    header = started.workspace.documents.named("atomic_ops.cuh")
    started.workspace.documents.current = header
    result = started.next_result(lambda: started.editor.setPlainText("#error not today\n"))
    assert result.outcome is Outcome.FAILED
    (diagnostic, *_) = result.diagnostics
    assert diagnostic.file == "atomic_ops.cuh"
    assert "not today" in diagnostic.message


def test_the_broken_sample_shows_its_two_errors(started):
    result = started.open_sample("A broken kernel")
    assert [d.severity.value for d in result.diagnostics] == ["error", "error"]
    assert len(started.editor.marks.alive()) == 2


def test_link_by_lto_and_by_ptx(started):
    result = started.open_sample("Link by PTX or LTO")
    assert result.ok
    started.show_output("SASS")
    inlined = started.listing("sassView").toPlainText()
    assert "CALL" not in inlined
    link = started.find(LinkView, "linkView")
    result = started.next_result(lambda: link.link_mode_changed.emit(LinkMode.PTX))
    assert result.ok
    assert "CALL" in started.listing("sassView").toPlainText()
    assert link.link_mode is LinkMode.PTX


def test_a_module_that_is_opened_takes_part_in_the_link_at_once(started):
    started.open_sample("Link by PTX or LTO")
    broken = Document("broken.cu", CodeKind.CUDA, b"__global__ void k() { nothing; }")
    result = started.next_result(lambda: started.workspace.documents.add(broken))
    assert result.outcome is Outcome.FAILED
    assert {d.file for d in result.diagnostics} == {"broken.cu"}


def test_a_module_taken_out_of_the_link_is_missed(started):
    started.open_sample("Link by PTX or LTO")
    link = started.find(LinkView, "linkView")
    row = next(m for m in link.model.modules if m.name == "user_transform.cu")
    result = started.next_result(lambda: link.inclusion_changed.emit(row.key, False))
    assert result.outcome is Outcome.FAILED
    assert any("user_transform" in d.message for d in result.diagnostics)


@pytest.mark.parametrize("title", ["LLVM IR, typed", "LLVM IR, opaque", "Two PTX"])
def test_the_other_samples_build(started, title):
    assert started.open_sample(title).ok
    assert ".entry" in started.listing("ptxView").toPlainText() or title == "Two PTX"
    assert "EXIT" in started.listing("sassView").toPlainText()


def test_each_tab_keeps_its_own_output(started):
    started.workspace.settings.auto_build = False
    open_text_later = Document("second.ptx", CodeKind.PTX, b".version 8.0\n.target sm_75\n")
    started.workspace.documents.add(open_text_later)
    assert started.listing("sassView").toPlainText() == ""
    started.workspace.documents.current = started.workspace.documents.named("vector_add.cu")
    assert "LDG.E" in started.listing("sassView").toPlainText()


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("empty.cu", b"", "empty"),
        ("latin.cu", b"// caf\xe9\n__global__ void k() {}\n", "UTF-8"),
        ("nul.cu", b"__global__ void k() {}\0", "NUL"),
        ("missing.cu", b'#include "nowhere.h"\n', "nowhere.h"),
        (
            "endless.cu",
            ENDLESS_TEMPLATES.encode(),
            "excessive recursion",
        ),
        ("long.cu", b"// " + b"x" * 10_000_000 + b"\n__global__ void k() {}\n", ""),
    ],
)
def test_bad_input_is_told_in_words_and_the_next_build_works(
    started, tmp_path, name, content, told
):
    path = tmp_path / name
    path.write_bytes(content)
    result = started.next_result(lambda: started.window.files.open_paths([path]))
    assert told in " ".join(d.message for d in result.diagnostics)
    assert result.ok is (told == "")
    started.workspace.documents.remove(started.document)
    started.settle()
    assert started.next_result(lambda: started.trigger("buildAction")).ok


def test_an_old_refusal_makes_room_for_the_next_build(started):
    started.workspace.documents.remove(started.document)
    started.settle()
    status = started.find(StatusLine, "statusBar")
    assert status.currentMessage().startswith("There is nothing to build")
    assert started.next_result(lambda: started.trigger("newCudaAction")).ok
    assert status.currentMessage() == ""
    assert status.state.startswith("Built in ")


def test_a_refusal_is_not_overwritten_by_the_build_before_it(started):
    started.workspace.settings.auto_build = False
    started.editor.setPlainText(SLOW_CUDA)
    started.trigger("buildAction")
    started.workspace.settings.options = '-DX="a'
    result = started.next_result(lambda: started.trigger("buildAction"))
    assert result.outcome is Outcome.REFUSED
    assert not started.find(QAction, "cancelAction").isEnabled()
    QTest.qWait(300)
    assert started.results[-1] is result


def test_closing_the_tab_ends_its_build(started):
    started.workspace.settings.auto_build = False
    started.editor.setPlainText(SLOW_CUDA)
    started.trigger("buildAction")
    assert started.workspace.studio.is_building
    started.workspace.documents.remove(started.document)
    assert not started.workspace.studio.is_building
    assert started.next_result(
        lambda: (started.trigger("newCudaAction"), started.trigger("buildAction"))
    ).ok


def test_the_place_of_the_editors_tells_what_to_do_where_none_is(started):
    tabs = started.find(EditorTabs, "editorTabs")
    started.workspace.documents.remove(started.document)
    picture = tabs.grab().toImage()
    ground = picture.pixelColor(2, picture.height() - 2)
    middle = range(picture.height() // 2 - 40, picture.height() // 2 + 40)
    colors = {picture.pixelColor(x, y).name() for y in middle for x in range(picture.width())}
    assert colors - {ground.name()}


def test_a_file_that_is_not_there_is_told(started, tmp_path):
    started.window.files.open_paths([tmp_path / "gone.cu"])
    assert "gone.cu" in started.window.panes.notice.text


def test_files_dropped_on_the_window_open(started, tmp_path):
    path = tmp_path / "dropped.cu"
    path.write_text('extern "C" __global__ void dropped() {}\n')
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    event = QDropEvent(
        QPointF(10, 10),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    result = started.next_result(lambda: started.window.dropEvent(event))
    assert [kernel.name for kernel in result.kernels] == ["dropped"]


TYPES_AND_DIES = """
import os, signal, sys
from pathlib import Path
from jitstudio.gui.app import make_application
from tests.gui.driver import Driver
driver = Driver(make_application(), Path(sys.argv[1]))
driver.start()
driver.type("// not saved anywhere ")
driver.workspace.session.save()
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_was_typed_is_back_after_a_kill(qapp, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", TYPES_AND_DIES, str(tmp_path)], timeout=90, check=False
    )
    assert done.returncode == -signal.SIGKILL
    driver = Driver(qapp, tmp_path)
    driver.start()
    assert driver.document.content.startswith(b"// not saved anywhere")
    assert driver.document.is_modified
    driver.close()


def test_find_goes_to_the_view_that_has_the_keyboard(started):
    started.window.activateWindow()
    started.trigger("focusPtxAction")
    started.trigger("findAction")
    bar = started.window.panes.outputs[CodeKind.PTX].find_bar
    assert bar.isVisible()
    QTest.keyClicks(bar.field, "ld.param")
    started.wait(lambda: "of 4" in bar.status)
    QTest.keyClick(bar.field, Qt.Key.Key_Escape)
    assert not bar.isVisible()
    assert QApplication.focusWidget() is started.listing("ptxView")


def test_logs_are_set_in_the_font_of_code(started):
    log = started.find(LogView, "logView")
    for name in ("logInfo", "logErrors", "logOptions"):
        font = log.findChild(QWidget, name).font()
        assert font.families()[0] == started.editor.font().families()[0]


def test_zoom_is_the_same_in_all_code(started):
    before = started.editor.font_size
    started.trigger("zoomInAction")
    assert started.editor.font_size == before + 1
    assert started.listing("sassView").font_size == before + 1
    assert started.workspace.preferences.font_size == before + 1


def test_a_change_of_theme_reaches_everything(started):
    started.keeper.set_mode(ThemeMode.DARK)
    assert started.editor.theme.dark
    assert started.window.palette().window().color() == started.keeper.theme.ui.window


def test_the_results_can_be_saved(started, tmp_path, monkeypatch):
    folder = tmp_path / "results"
    folder.mkdir()
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(folder))
    started.trigger("saveOutputsAction")
    assert sorted(path.name for path in folder.iterdir()) == [
        "vector_add.cubin",
        "vector_add.ptx",
        "vector_add.sass",
    ]
    assert b"vector_add" in Path(folder, "vector_add.ptx").read_bytes()


def test_closing_ends_the_worker_and_the_thread(qapp, tmp_path):
    driver = Driver(qapp, tmp_path)
    driver.start()
    pid = driver.workspace.service.worker_pid
    begin = time.monotonic()
    driver.close()
    assert time.monotonic() - begin < 5
    assert not Path(f"/proc/{pid}").exists() or sys.platform != "linux"


def test_a_problem_in_a_header_on_disk_opens_it(started, tmp_path):
    (tmp_path / "broken.cuh").write_text("\n__device__ int f() { return oops; }\n")
    source = tmp_path / "uses.cu"
    source.write_text('#include "broken.cuh"\n__global__ void k(int* p) { *p = f(); }\n')
    result = started.next_result(lambda: started.window.files.open_paths([source]))
    assert not result.ok
    started.trigger("nextProblemAction")
    assert started.document.name == "broken.cuh"
    assert started.editor.position()[0] == 2


def test_closing_the_module_while_a_header_is_looked_at_builds_another_one(started):
    started.open_sample("Histogram")
    documents = started.workspace.documents
    documents.current = documents.named("atomic_ops.cuh")
    result = started.next_result(lambda: documents.remove(documents.named("histogram.cu")))
    assert [kernel.name for kernel in result.kernels] == ["vector_add"]


def test_a_sample_uses_its_header_even_where_that_was_edited(started):
    started.open_sample("Histogram")
    documents = started.workspace.documents
    documents.current = documents.named("atomic_ops.cuh")
    started.next_result(lambda: started.type("// mine "))
    documents.remove(documents.named("histogram.cu"))
    started.settle()
    assert started.open_sample("Histogram").ok
    assert [d.name for d in documents if d.is_header] == ["atomic_ops.cuh"]
