"""The list of problems: its tab counts, and comes forward, in a real window."""

from PySide6.QtWidgets import QTabBar

from jitstudio.core.code import CodeKind
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
