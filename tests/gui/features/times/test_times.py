"""The pane "Compile time", with a real trace."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame

from jitstudio.analysis.time_trace import Span, TimedPart, TimeTrace
from jitstudio.commands.build_time import ModuleTime
from jitstudio.gui.features.times.flame import title_of
from jitstudio.gui.features.times.view import TimesPage, TimesView

pytestmark = pytest.mark.usefixtures("driver")
PATIENCE = 80


def _front_end(view):
    return next(span for span in view.flame.root.inner if title_of(span) == "CUDA C++ Front-End")


@pytest.mark.slow
def test_the_slowest_include_is_in_sight(start, tmp_path):
    functions = (f"__device__ int f{n}(int x) {{ return x * {n}; }}\n" for n in range(2000))
    (tmp_path / "slow.h").write_text("".join(functions))
    path = tmp_path / "k.cu"
    path.write_text('#include "slow.h"\n__global__ void k(int *p) { p[0] = f3(p[1]); }\n')
    driver = start(path)
    driver.shell.layout.bring_up_pane("times")
    view = driver.pane("times")
    assert view.hint.startswith("Where the compile time goes")
    view.measure.click()
    driver.wait(lambda: view.modules_shown, PATIENCE)
    assert not view.hint
    assert view.table.rows[0].name.endswith("slow.h")
    view.pages.setCurrentIndex(view.pages.findData(TimesPage.KERNELS))
    assert [part.name for part in view.table.rows] == ["k(int*)"]
    # By the keyboard from all of the work to the slowest piece within.
    view.flame.setFocus()
    driver.settle()
    whole = view.flame.root
    assert view.flame.current is whole
    driver.press(Qt.Key.Key_Down)
    assert view.flame.current.name == "CUDA C++ Front-End"
    driver.press(Qt.Key.Key_Down)
    assert view.flame.current is max(_front_end(view).inner, key=lambda span: span.ms)
    driver.press(Qt.Key.Key_Up)
    driver.press(Qt.Key.Key_Return)
    assert view.flame.root.name == "CUDA C++ Front-End"
    # Once more, and on what is around it, adds no row.
    driver.press(Qt.Key.Key_Return)
    assert [span.name for span in view.flame.above] == ["k.cu", "CUDA C++ Front-End"]
    driver.press(Qt.Key.Key_Escape)
    assert view.flame.root is whole
    # The times are of an older text once that changes.
    bar = view.findChild(QFrame, "staleBar")
    assert bar.isHidden()
    driver.replace("p[1]", "p[2]")
    driver.wait(lambda: not bar.isHidden(), PATIENCE)
    driver.wait(lambda: not driver.state.outputs.is_behind, PATIENCE)
    view.measure.click()
    driver.wait(bar.isHidden, PATIENCE)


def test_a_build_that_fails_says_so(start, tmp_path):
    path = tmp_path / "k.cu"
    path.write_text("__global__ void k() { nothing; }")
    driver = start(path)
    driver.shell.layout.bring_up_pane("times")
    view = driver.pane("times")
    view.measure.click()
    driver.wait(lambda: "is undefined" in view.hint, PATIENCE)


def test_what_has_no_trace_says_why(start):
    driver = start()
    driver.shell.layout.bring_up_pane("times")
    view = driver.pane("times")
    trace = TimeTrace((Span("LibNVVM", "", 0.0, 2.0),))
    kernels = (TimedPart("k", 1.0, 1.0, 1),)
    reason = "NVRTC 12.4 writes no trace of its time; NVRTC 12.5 and later do."
    view.show_times(
        (
            ModuleTime("a.cu", 2.0, trace),
            ModuleTime("b.cu", 3.0, kernels=kernels, problem=reason),
            ModuleTime("c.ptx", 4.0),
        )
    )
    assert view.status.startswith("a.cu: 2.0 ms")
    view.modules.setCurrentIndex(1)
    assert view.status == f"3 ms in tools. {reason}"
    view.modules.setCurrentIndex(2)
    assert view.hint == "The tools do not say where their 4 ms went."
    assert not view.status


def test_parts_are_summed_before_they_are_shown(start, tmp_path, monkeypatch):
    path = tmp_path / "k.cu"
    path.write_text("__global__ void k(int *p) { *p = 1; }")
    driver = start(path)
    driver.shell.layout.bring_up_pane("times")
    summed = []

    def show(_view, modules):
        summed.extend(vars(modules[0].trace))

    monkeypatch.setattr(TimesView, "show_times", show)
    driver.pane("times").measure.click()
    driver.wait(lambda: summed, PATIENCE)
    assert {"includes", "headers", "templates", "phases"} <= set(summed)
