"""The list of problems in a real window: counted, brought forward, filled by builds and runs."""

from dataclasses import replace

from PySide6.QtWidgets import QTabBar

from jitstudio.core.code import CodeKind
from jitstudio.core.launch.device import SIMULATOR
from jitstudio.core.result import Outcome
from jitstudio.gui.shell.docking.dock import PaneDock
from jitstudio.gui.state.documents import Document

GOOD = 'extern "C" __global__ void k(int* p) { *p = 1; }\n'
UNUSED = 'extern "C" __global__ void k(int* p) { int unused; *p = 1; }\n'
BAD = 'extern "C" __global__ void k(int* p) { int unused; *p = missing; }\n'

RACE = """\
extern "C" __global__ void reduce(const float* a, float* out) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    for (int d = 32; d > 0; d >>= 1)
        if (t < d)
            s[t] += s[t + d];
    if (t == 0)
        out[blockIdx.x] = s[0];
}
"""
DOUBLE = """\
extern "C" __global__ void twice(const int* a, int* out) {
    int i = threadIdx.x;
    out[i] = 3 * a[i];
}
"""


def add(driver, text):
    document = Document("k.cu", CodeKind.CUDA, text.encode())
    driver.next_result(lambda: driver.state.documents.add(document))
    return document


def tabs(driver):
    """The titles of all tabs of panes."""
    bars = driver.window.findChildren(QTabBar, "paneTabs")
    return {bar.tabText(index) for bar in bars for index in range(bar.count())}


def test_the_tab_counts_errors_and_warnings(started):
    document = add(started, UNUSED)
    assert "Problems (1)" in tabs(started)
    started.next_result(lambda: started.replace("1;", "missing;"))
    assert "Problems (2)" in tabs(started)
    # Another tab has a list of its own.
    started.state.documents.current = started.state.documents.named("vector_add.cu")
    assert "Problems" in tabs(started)
    started.state.documents.current = document
    assert "Problems (2)" in tabs(started)
    started.next_result(lambda: started.replace("int unused; *p = missing;", "*p = 1;"))
    assert "Problems" in tabs(started)


def test_it_comes_forward_once_when_the_text_no_longer_builds(started):
    driver = started
    add(driver, GOOD)
    problems, log = (driver.find(PaneDock, f"{name}Dock") for name in ("problems", "log"))
    driver.show_output("Log")
    driver.editor.setFocus()
    assert driver.next_result(lambda: driver.replace("1;", "missing;")).outcome is Outcome.FAILED
    assert problems.is_in_front
    assert driver.editor.hasFocus()
    # Someone who types on has seen it.
    driver.show_output("Log")
    assert driver.next_result(lambda: driver.replace("missing;", "absent;")).diagnostics
    assert log.is_in_front
    # Who builds wants to see it again.
    driver.next_result(lambda: driver.trigger("buildAction"))
    assert problems.is_in_front
    driver.show_output("Log")
    assert driver.next_result(lambda: driver.replace("absent;", "1;")).ok
    assert log.is_in_front
    assert not driver.next_result(lambda: driver.replace("1;", "missing;")).ok
    assert problems.is_in_front
    assert driver.next_result(lambda: driver.replace("missing;", "1;")).ok
    problems.close()
    assert not driver.next_result(lambda: driver.replace("1;", "missing;")).ok
    driver.next_result(lambda: driver.trigger("buildAction"))
    assert problems.isHidden()


def simulate(driver, text, *arguments, expectations=()):
    """Run a kernel of 64 threads in the simulator."""
    add(driver, text)
    form = driver.launch_form()
    launches = driver.state.launches
    driver.wait(lambda: launches.devices is not None)
    driver.wait(lambda: form.form is not None and form.form.lowered in text)
    launches.choose_device(SIMULATOR)
    values = {"arguments": arguments, "grid": "1", "cover": "", "block": "64"}
    specs = driver.state.launch_specs
    specs.edit(replace(specs.spec, **values, expectations=expectations))
    return driver.launch()


def rows(driver):
    """File, line and tool of each problem."""
    model = driver.pane("problems").table.model()
    return [
        tuple(model.index(row, column).data() for column in (1, 2, 4))
        for row in range(model.rowCount())
    ]


def marked(driver):
    return {line + 1 for line in driver.editor.marks.by_line()}


def test_a_race_of_a_run_is_a_problem_until_it_is_mended(started):
    driver = started
    result = simulate(driver, RACE, ("a", "64:range"), ("out", "1:out"))
    (race,) = result.simulation.races
    assert rows(driver) == [("k.cu", str(race.second.line), "Simulator")]
    assert marked(driver) == {race.second.line} == {8}
    assert "Problems (1)" in tabs(driver)
    driver.trigger("nextProblemAction")
    assert driver.editor.textCursor().blockNumber() == 7
    # Another text is looked at, and this one again.
    first = driver.document
    driver.state.documents.current = driver.state.documents.named("vector_add.cu")
    driver.wait(lambda: not rows(driver))
    driver.state.documents.current = first
    driver.wait(lambda: rows(driver))
    # A failed build is of other lines, and the run not of its text.
    failed = driver.next_result(lambda: driver.replace("int t", "\nint t = missing;\nint t"))
    assert [row[2] for row in rows(driver)] == ["NVRTC"] * len(failed.diagnostics)
    driver.trigger("undoAction")
    driver.wait(lambda: [row[2] for row in rows(driver)] == ["Simulator"])
    assert driver.next_result(lambda: driver.replace("s[t + d];", "s[t + d], __syncthreads();")).ok
    assert rows(driver) == []
    assert marked(driver) == set()


def test_a_failed_check_leads_to_the_line_that_writes_until_the_next_run(started):
    driver = started
    expectations = ("out = 2 * a",)
    arguments = (("a", "64:range"), ("out", "64:out"))
    result = simulate(driver, DOUBLE, *arguments, expectations=expectations)
    # Three times nothing is right.
    assert [check.wrong for check in result.checks] == [63]
    assert rows(driver) == [("k.cu", "3", "Simulator")]
    counts = []
    driver.state.launches.running_changed.connect(lambda _: counts.append(len(rows(driver))))
    driver.launch()
    # Gone when the next begins, there again at its end.
    assert counts[0] == 0
    assert rows(driver) == [("k.cu", "3", "Simulator")]
    assert driver.next_result(lambda: driver.replace("3 * a", "2 * a")).ok
    assert rows(driver) == []
    assert driver.launch().ok
    assert rows(driver) == []
