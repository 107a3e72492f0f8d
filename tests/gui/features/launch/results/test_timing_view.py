from dataclasses import replace

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from jitstudio.core.launch.result import Timing
from jitstudio.gui.features.launch.results.timing_view import TimingView
from tests.gui.launches import FAILED, H200, RAN


@pytest.fixture
def view(qtbot):
    view = TimingView()
    qtbot.addWidget(view)
    view.resize(1000, 400)
    view.show()
    return view


def test_says_what_will_appear(view):
    assert view.objectName() == "timingView"
    assert view.hint.startswith("Nothing has been timed yet.")
    view.show_result(replace(RAN, timing=None), H200)
    assert "Launches … timed" in view.hint
    view.show_result(FAILED, H200)
    assert "ended before" in view.hint


def test_shows_figures_and_draws_the_samples(view, qtbot, theme):
    view.show_result(RAN, H200)
    assert view.hint == ""
    assert [f.name for f in view.figures][-1] == "Bandwidth"
    qtbot.waitUntil(lambda: view.plots.content is not None, timeout=20_000)
    qtbot.waitUntil(lambda: view.plots.content.second is not None)
    points = view.plots.content.second.getPlotItem().listDataItems()[0].getData()[1]
    assert len(points) == 100
    ground = view.plots.grab().toImage().pixelColor(2, 2)
    assert ground == theme.ui.base


def test_equal_times_can_be_drawn(view, qtbot):
    view.show_result(replace(RAN, timing=Timing((0.0, 0.0))), None)
    qtbot.waitUntil(lambda: view.plots.content is not None, timeout=20_000)
    assert view.figures[0].text == "0 µs"


def test_can_be_copied_as_text_and_as_csv(view):
    view.show_result(replace(RAN, timing=Timing((1.0, 3.0))), H200)
    view.copy_text()
    text = QGuiApplication.clipboard().text()
    assert text.startswith("saxpy<float> on NVIDIA H200\nMedian:    2 ms\n")
    view.copy_csv()
    assert QGuiApplication.clipboard().text() == "launch,ms\n1,1.0\n2,3.0\n"


@pytest.mark.parametrize("result", [None, replace(RAN, timing=None), FAILED])
def test_without_times_the_clipboard_stays(view, result):
    QGuiApplication.clipboard().setText("kept")
    view.show_result(result, H200)
    view.copy_text()
    view.copy_csv()
    assert QGuiApplication.clipboard().text() == "kept"


def test_fits_into_a_narrow_dock(view):
    view.show_result(RAN, H200)
    view.resize(420, 500)
    QApplication.processEvents()
    assert view.width() == 420
