"""The Report pane in a real window, with real tools and no GPU."""

import os
import signal

import pytest
from PySide6.QtWidgets import QPushButton

from jitstudio.core.code import CodeKind
from tests.gui.driver import Driver, pause

SOURCE = """\
extern "C" __global__ void first(float* p) { p[threadIdx.x] = 1; }
extern "C" __global__ void second(const float* a, float* b)
{
    b[threadIdx.x] = a[threadIdx.x * 64];
}
"""


def reported(driver: Driver):
    """The pane, once it is filled."""
    driver.trigger("focusReportAction")
    report = driver.pane("report")
    driver.wait(lambda: not report.hint)
    return report


def test_a_kernel_is_reported_on_and_its_findings_lead_to_the_source(started):
    report = started.pane("report")
    assert report.hint
    started.next_result(lambda: started.editor.setPlainText(SOURCE))
    report = reported(started)
    assert [report.kernels.itemText(n) for n in range(report.kernels.count())] != []
    started.state.disassembly.set_kernel("second")
    started.wait(lambda: report.overview.findings.findings)
    assert report.kernels.currentText() == "second"
    (finding,) = report.overview.findings.findings
    assert finding.rule == "strided"
    report.location_activated.emit(*finding.places[0])
    assert started.editor.textCursor().blockNumber() == 3


def test_the_kernels_of_the_build_are_listed_on_top_and_chosen_there(started):
    started.next_result(lambda: started.editor.setPlainText(SOURCE))
    report, kernels = reported(started), started.pane("kernels")
    assert report.isAncestorOf(kernels)
    assert [row.title for row in kernels.table.rows] == ["first", "second"]
    for row, title in enumerate(("first", "second")):
        kernels.table.clicked.emit(kernels.table.model().index(row, 0))
        started.wait(lambda title=title: report.kernels.currentText() == title)
        assert kernels.table.current.title == title
    # What the list has needs no second choice; the report stays in front.
    assert report.isVisible()
    assert not report.kernels.isVisible()
    started.editor.setFocus()
    started.trigger("focusKernelsAction")
    assert kernels.table.hasFocus()


def test_a_line_of_the_ptx_is_shown_where_the_source_is_not_known(started):
    report = reported(started)
    report.ptx_line_activated.emit(12)
    pane = started.listings[CodeKind.PTX]
    assert pane.isVisible()
    assert pane.code_view.caret.line == 11


def test_an_instruction_is_shown_in_the_sass(started):
    report = reported(started)
    started.wait(lambda: report.overview.figures)
    report.instruction_activated.emit(2)
    inspection = started.state.disassembly.current
    pane = started.listings[CodeKind.SASS]
    spot = inspection.rows.spot(pane.code_view.caret.line)
    assert spot.index == 2


@pytest.mark.usefixtures("driver")
def test_nothing_is_reported_while_nobody_looks(started):
    report = started.pane("report")
    assert not report.isVisible()
    # The code is known, so that it would have been reported on by now.
    started.wait(lambda: started.state.disassembly.current)
    pause(300)
    assert report.kernels.count() == 0
    reported(started)
    assert report.kernels.count() == 1


def test_the_report_stays_until_the_next_build_has_been_read(started):
    report, disassembly = reported(started), started.state.disassembly
    before, hints = disassembly.current, []
    disassembly.changed.connect(lambda: hints.append(report.hint))
    started.next_result(lambda: started.replace("a[i]", "2 * a[i]"))
    started.wait(lambda: disassembly.current not in (None, before))
    assert len(hints) > 1
    assert set(hints) == {""}


def test_nothing_stays_of_another_tab(started, tmp_path):
    report, documents = reported(started), started.state.documents
    first = documents.current
    path = tmp_path / "other.cu"
    path.write_text(SOURCE)
    started.files.open_paths([path])
    assert documents.current is not first
    assert report.hint
    started.wait(lambda: report.kernels.count() == 2 and not report.hint)
    documents.current = first
    assert report.hint == "Reading the SASS…"
    started.wait(lambda: not report.hint)
    assert report.kernels.count() == 1


@pytest.mark.usefixtures("driver")
def test_what_ended_the_reading_is_told(own_workers, started):
    report = reported(started)
    service, disassembly = started.state.analysis_service, started.state.disassembly
    # It is asked, and does not answer.
    os.kill(service.worker_pid, signal.SIGSTOP)
    started.next_result(lambda: started.editor.setPlainText(SOURCE))
    assert disassembly.is_reading
    pause(200)
    os.kill(service.worker_pid, signal.SIGKILL)
    started.wait(lambda: disassembly.problem)
    assert "SIGKILL" in report.hint
    # It can be had without another build.
    started.find(QPushButton, "readAgain").click()
    assert report.hint == "Reading the SASS…"
    started.wait(lambda: not report.hint)
    assert report.kernels.count() == 2
    assert started.shell.notices.text == ""
