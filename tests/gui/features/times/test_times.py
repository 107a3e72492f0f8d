"""The pane "Compile time", with a real trace."""

import pytest
from PySide6.QtCore import Qt

from jitstudio.gui.features.times.flame import title_of
from jitstudio.gui.features.times.view import TimesPage

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
    driver.press(Qt.Key.Key_Escape)
    assert view.flame.root is whole


def test_a_build_that_fails_says_so(start, tmp_path):
    path = tmp_path / "k.cu"
    path.write_text("__global__ void k() { nothing; }")
    driver = start(path)
    driver.shell.layout.bring_up_pane("times")
    view = driver.pane("times")
    view.measure.click()
    driver.wait(lambda: "is undefined" in view.hint, PATIENCE)
