"""The Passes pane, with real films."""

import pytest
from PySide6.QtCore import Qt

from jitstudio.gui.features.passes.model import PassesPage

LOOP = """extern "C" __global__ void scale(float a, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 4; ++k) sum += x[i * 4 + k] * a;
    if (i < n) y[i] = sum;
}
"""
CALLED = """template <int N> __device__ __noinline__ float dot(const float *a) {
    float sum = 0;
    for (int i = 0; i < N; ++i) sum += a[i];
    return sum;
}
__global__ void norm(const float *a, float *b) { *b = dot<4>(a); }
"""
PATIENCE = 80
pytestmark = pytest.mark.usefixtures("driver")


@pytest.fixture
def window(start, tmp_path):
    path = tmp_path / "loop.cu"
    path.write_text(LOOP)
    driver = start(path)
    driver.shell.layout.bring_up_pane("passes")
    return driver


def filmed(driver):
    view = driver.pane("passes")
    view.film.click()
    driver.wait(lambda: view.readings, PATIENCE)
    return view


@pytest.mark.slow
def test_the_passes_of_the_text_are_listed(window):
    view = window.pane("passes")
    assert view.hint.startswith("What each pass of the optimiser changes")
    window.choose_arch("sm_90")
    filmed(window)
    assert not view.hint
    names = [change.name for change in view.steps.rows]
    assert "Promote Memory to Register" in names
    unrolling = names.index("Unroll loops")
    view.slider.setValue(unrolling)
    assert view.steps.current is view.steps.rows[unrolling]
    window.wait(lambda: _added(view) >= 3)
    # Each instruction leads to its pass, and to its line of the source.
    view.pages.setCurrentIndex(view.pages.findData(PassesPage.LINES))
    fused = next(at for at, x in enumerate(view.lines.rows) if x.text.startswith("fma.rn"))
    view.lines.choose(fused)
    assert view.steps.current.name.endswith("Pattern Instruction Selection")
    view.lines.setFocus()
    window.press(Qt.Key.Key_Return)
    assert window.editor.textCursor().blockNumber() + 1 == 5
    remarks = [(remark.line, remark.message) for remark in view.remarks.rows]
    assert (5, "completely unrolled loop with 4 iterations") in remarks
    assert view.pages.findData(PassesPage.BACK_END) < 0
    # The film is of an older text once that changes.
    window.replace("k < 4", "k < 8")
    window.wait(lambda: not window.state.outputs.is_behind)
    view.film.click()
    view.stop.setFocus()
    window.press(Qt.Key.Key_Escape)
    window.wait(lambda: not view.stop.isVisible(), PATIENCE)


def _added(view):
    """How many loads the shown pass adds."""
    if view.shown is None:
        return 0
    _, comparison = view.shown
    left, right = (
        "".join(side).count("ld.global.f32") for side in (comparison.left, comparison.right)
    )
    return right - left


@pytest.mark.slow
def test_the_back_end_of_newer_targets(window):
    window.choose_arch("sm_100")
    view = filmed(window)
    assert "cannot be distinguished" in view.notes
    view.pages.setCurrentIndex(view.pages.findData(PassesPage.BACK_END))
    view.back_end.choose(1)
    window.wait(lambda: view.shown and view.shown[0] is view.back_end.rows[1])
    assert {change.unit for change in view.back_end.rows} == {"scale"}
    # The pass is readable in a narrow pane: rather the unit is left out.
    letter = view.back_end.fontMetrics().horizontalAdvance("0")
    for width in (50, 90):
        view.back_end.resize(width * letter, 200)
        assert view.back_end.columnWidth(0) >= 33 * letter
        assert view.back_end.isColumnHidden(1) is (width == 50)


@pytest.mark.slow
def test_functions_are_named_as_in_c(start, tmp_path):
    path = tmp_path / "k.cu"
    path.write_text(CALLED)
    driver = start(path)
    driver.shell.layout.bring_up_pane("passes")
    view = filmed(driver)
    units = {change.unit for change in view.steps.rows}
    assert "function (dot<4>)" in units
    assert not any("_Z" in unit for unit in units)


def test_what_has_no_passes_says_so(start, tmp_path):
    path = tmp_path / "broken.cu"
    path.write_text("__global__ void k() { nothing; }")
    driver = start(path)
    driver.shell.layout.bring_up_pane("passes")
    view = driver.pane("passes")
    view.film.click()
    driver.wait(lambda: "is undefined" in view.hint, PATIENCE)
