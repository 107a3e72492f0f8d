"""The list of problems: its tab counts, and comes forward, in a real window."""

from PySide6.QtWidgets import QTabBar

from jitstudio.core.code import CodeKind
from jitstudio.core.result import Outcome
from jitstudio.gui.shell.docking.dock import PaneDock
from jitstudio.gui.state.documents import Document

GOOD = 'extern "C" __global__ void k(int* p) { *p = 1; }\n'
UNUSED = 'extern "C" __global__ void k(int* p) { int unused; *p = 1; }\n'
BAD = 'extern "C" __global__ void k(int* p) { int unused; *p = missing; }\n'


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
