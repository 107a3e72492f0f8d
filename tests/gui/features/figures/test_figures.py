"""The strip of key figures: what it shows of real builds and runs, and where its figures lead."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from jitstudio.analysis.key_figures import Figure
from jitstudio.core.code import CodeKind
from jitstudio.gui.features.figures.strip import FiguresStrip
from tests.gui.driver import pause

SPILLING = """extern "C" __global__ void __launch_bounds__(1024) busy(float *data) {
    float kept[100];
    for (int i = 0; i < 100; ++i) kept[i] = data[i * 1024 + threadIdx.x];
    __syncthreads();
    for (int round = 0; round < 4; ++round)
        for (int i = 0; i < 100; ++i) kept[i] = kept[i] * kept[(i * 7 + 3) % 100] + kept[99 - i];
    for (int i = 0; i < 100; ++i) data[i * 1024 + threadIdx.x] = kept[i];
}

extern "C" __global__ void light(float *data) {
    data[threadIdx.x] += 1;
}
"""


def strip(driver):
    return driver.editors.page.strip_room.findChild(FiguresStrip)


def counted(driver):
    """Waits until the machine code of the newest build is read; returns the texts of the strip."""
    disassembly, outputs = driver.state.disassembly, driver.state.outputs
    driver.wait(
        lambda: (
            disassembly.current is not None and disassembly.current.result is outputs.good.result
        )
    )
    pause(50)
    return strip(driver).texts


def click(driver, figure):
    QTest.mouseClick(strip(driver).button(figure), Qt.MouseButton.LeftButton)
    pause(50)


@pytest.fixture
def spilling(started, tmp_path):
    path = tmp_path / "busy.cu"
    path.write_text(SPILLING)
    started.next_result(lambda: started.files.open_paths([path]))
    started.wait(lambda: len(started.state.launch_specs.forms) == 2)
    started.editor.go_to(2)
    counted(started)
    return started


def test_the_figures_are_those_of_the_build_and_of_its_machine_code(started):
    name, *texts = counted(started)
    kernel = started.state.outputs.good.result.kernels[0]
    function = started.state.disassembly.function
    assert (name, kernel.name) == ("vector_add", "vector_add")
    assert texts == [
        f"{kernel.resources.registers} regs",
        "0 spills",
        "100 % occupancy",
        f"{function.code_length} instr",
    ]
    assert "limited" not in strip(started).button(Figure.OCCUPANCY).toolTip().lower()


def test_an_edit_shows_what_it_changes_and_a_comment_nothing(started):
    before = counted(started)
    started.next_result(lambda: started.replace("a[i] + b[i]", "a[i] / b[i] + sqrtf(a[i])"))
    after = counted(started)
    count = started.state.disassembly.function.code_length
    was = int(before[-1].split()[0].replace(",", ""))
    assert after[-1] == f"{count:,} instr (+{count - was:,})"
    assert f"{was:,} in the build before." in strip(started).button(Figure.INSTRUCTIONS).toolTip()
    started.next_result(lambda: started.replace("{\n", "{ // more\n"))
    assert counted(started) == after


def test_the_baseline_is_compared_with_too(started):
    counted(started)
    started.trigger("pinBaselineAction")
    started.next_result(lambda: started.replace("a[i] + b[i]", "a[i] / b[i]"))
    counted(started)
    instructions = strip(started).button(Figure.INSTRUCTIONS)
    # The build before is the baseline.
    assert "(+" in instructions.text()
    assert "baseline" not in instructions.text()
    started.next_result(lambda: started.replace("a[i] / b[i]", "a[i] / b[i] / a[i]"))
    counted(started)
    assert "since baseline" in instructions.text()
    baselines = started.state.baselines
    assert f"in the baseline {baselines.chosen.name}." in instructions.accessibleDescription()
    baselines.remove(baselines.chosen)
    pause(50)
    assert "baseline" not in instructions.text()


def test_errors_leave_the_last_good_figures_in_grey(started):
    good = counted(started)
    started.next_result(lambda: started.replace("sum[i] =", "total[i] ="))
    assert strip(started).texts == good
    started.wait(lambda: strip(started).content.note == "last good build")
    registers = strip(started).button(Figure.REGISTERS)
    assert registers.shown.is_old
    assert "last good build" in registers.accessibleDescription()
    assert 'identifier "total" is undefined' in registers.accessibleDescription()
    started.next_result(started.editor.undo)
    counted(started)
    assert not registers.shown.is_old
    assert strip(started).content.note == ""


def test_spills_alarm_and_lead_to_their_finding(spilling):
    resources = spilling.state.outputs.good.result.resources_of("busy")
    assert resources.spill_stores > 0
    spills = strip(spilling).button(Figure.SPILLS)
    assert spills.text() == f"{resources.spill_stores} B spilled"
    assert "color" in spills.styleSheet()
    click(spilling, Figure.SPILLS)
    report = spilling.pane("report")
    assert report.isVisible()
    findings = report.overview.findings
    spilling.wait(lambda: findings.table.current is not None)
    assert findings.table.current.rule == "spills"


def test_of_several_kernels_the_one_at_the_cursor_is_shown_and_all_are_listed(spilling):
    assert strip(spilling).texts[0] == "busy"
    spilling.editor.go_to(11)
    spilling.wait(lambda: strip(spilling).texts[0] == "light")
    assert strip(spilling).texts[2] == "0 spills"
    strip(spilling)._on_list_wanted()
    entries = strip(spilling)._menu.actions()
    assert [entry.isChecked() for entry in entries] == [False, True]
    assert entries[0].text().startswith("busy · ")
    assert " B spilled · " in entries[0].text()
    entries[0].trigger()
    spilling.wait(lambda: strip(spilling).texts[0] == "busy")
    assert spilling.state.launch_specs.form.title == "busy"


def test_occupancy_leads_to_its_limits_with_the_block_of_the_launch(spilling):
    specs = spilling.state.launch_specs
    assert specs.form.title == "busy"
    specs.edit(replace(specs.spec, block="1024"))
    pause(50)
    occupancy = strip(spilling).button(Figure.OCCUPANCY)
    assert "1,024 threads per block" in occupancy.accessibleDescription()
    click(spilling, Figure.OCCUPANCY)
    page = spilling.pane("report").occupancy
    spilling.wait(lambda: page.isVisible() and page.rows)
    assert page.threads.number == 1024
    share = occupancy.text().split()[0]
    assert f"{share}%" in page.words


def test_instructions_lead_to_sass(spilling):
    spilling.trigger("focusReportAction")
    click(spilling, Figure.INSTRUCTIONS)
    sass = spilling.listings[CodeKind.SASS]
    assert sass.isVisible()
    spilling.wait(lambda: "busy" in sass.code.code.lines[sass.code_view.line - 1])


def test_a_run_adds_its_checks_and_sectors_and_leads_to_them(started):
    driver = started
    driver.launch_form()
    result = driver.launch()
    if result.simulation is None:
        pytest.skip("a GPU counts no sectors")
    counted(driver)
    texts = {figure: strip(driver).button(figure).text() for figure in Figure}
    assert texts[Figure.SECTORS] == f"{result.simulation.total.sectors:,} sectors"
    assert texts[Figure.CHECKS] == "1 check holds"
    for figure, view in ((Figure.CHECKS, "result"), (Figure.SECTORS, "counts")):
        driver.trigger("focusSassAction")
        click(driver, figure)
        results = driver.pane("launch").results
        assert results.tabs.currentWidget() is getattr(results, view)
        assert results.isVisible()
    driver.next_result(lambda: driver.replace("a[i] + b[i]", "a[i] - b[i]"))
    counted(driver)
    checks = strip(driver).button(Figure.CHECKS)
    assert checks.shown.is_old
    driver.launch()
    pause(50)
    assert checks.text() == "▲ 1 of 1 checks failed"
    assert not checks.shown.is_old


def test_a_run_is_shown_over_its_own_text_whatever_is_looked_at_when_it_ends(started, tmp_path):
    driver, launches = started, started.state.launches
    counted(driver)
    own, documents = driver.document, driver.state.documents
    path = tmp_path / "twin.cu"
    path.write_bytes(own.content.replace(b"+ b[i]", b"- b[i]"))
    driver.next_result(lambda: driver.files.open_paths([path]))
    twin = driver.document
    documents.current = own
    driver.settle()
    driver.launch_form()
    driver.wait(lambda: launches.sources[0].name == own.name)
    ended = []
    launches.finished.connect(ended.append)
    driver.trigger("runAction")
    driver.wait(lambda: launches._running is not None)
    documents.current = twin
    driver.wait(lambda: ended)
    counted(driver)
    assert strip(driver).texts[0] == "vector_add"
    assert not [text for text in strip(driver).texts if "check" in text]
    documents.current = own
    driver.settle()
    counted(driver)
    checks = strip(driver).button(Figure.CHECKS)
    assert checks.text() in strip(driver).texts
    assert not checks.shown.is_old


def test_a_run_is_old_where_the_text_was_built_again_while_it_ran(started):
    counted(started)
    started.launch_form()
    launches, ended = started.state.launches, []
    before = started.state.outputs.good
    started.trigger("runAction")
    started.wait(lambda: launches._running is not None)
    launches.finished.connect(ended.append)
    # The build is there before the run ends, as with a kernel that takes long.
    launches._running.finished.disconnect(launches._on_finished)
    results = []
    launches._running.finished.connect(results.append)
    started.next_result(lambda: started.replace("a[i] + b[i]", "a[i] - b[i]"))
    started.wait(lambda: results)
    launches._on_finished(results[0])
    counted(started)
    assert ended
    assert launches.launched is before
    assert strip(started).button(Figure.CHECKS).shown.is_old


def test_what_matters_least_goes_where_there_is_no_room(spilling):
    shown = strip(spilling)
    every = shown.texts
    shown.parentWidget().layout().setEnabled(False)
    try:
        shown.resize(260, shown.height())
        narrow = shown.texts
        assert 1 < len(narrow) < len(every)
        # The alarm stays longest, and the tip of the name has all.
        assert any("spilled" in text for text in narrow)
        assert every[-1] in shown._kernel.toolTip()
    finally:
        shown.parentWidget().layout().setEnabled(True)
        shown.resize(shown.parentWidget().size())


def test_the_keyboard_reaches_the_figures(spilling):
    spilling.window.activateWindow()
    spilling.trigger("focusFiguresAction")
    assert QApplication.focusWidget() is strip(spilling)._kernel
    spilling.press(Qt.Key.Key_Right)
    focus = QApplication.focusWidget()
    assert focus is strip(spilling).button(Figure.REGISTERS)
    assert focus.accessibleName() == focus.text()
    assert "registers of 32 bits" in focus.accessibleDescription()
    spilling.press(Qt.Key.Key_Space)
    pause(50)
    assert spilling.pane("report").isVisible()


def test_one_strip_is_in_sight(started):
    over_sass = started.listings[CodeKind.SASS].findChild(FiguresStrip)
    started.trigger("focusSassAction")
    assert strip(started).isVisible()
    assert not over_sass.isVisible()
    started.trigger("maximiseAction")
    pause(50)
    assert over_sass.isVisible()
    assert over_sass.texts == strip(started).texts
    started.trigger("maximiseAction")
    pause(50)
    assert not over_sass.isVisible()
