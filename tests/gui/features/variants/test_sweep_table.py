import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextDocumentFragment
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox

from jitstudio.gui.features.variants.sweep_rows import sweep_chart
from jitstudio.gui.features.variants.sweep_table import SweepTable
from jitstudio.gui.kit.late import Late
from jitstudio.gui.kit.lazy_widget import LazyWidget
from tests.gui.launches import sweep


@pytest.fixture
def view(qtbot, theme):
    view = SweepTable()
    qtbot.addWidget(view)
    view.set_theme(theme)
    view.resize(900, 300)
    view.show()
    return view


def first_column(view):
    model = view.table.model()
    return [model.index(n, 0).data() for n in range(model.rowCount())]


def test_says_what_will_appear(view):
    assert view.table.hint.startswith("No sweep has been run yet.")


def test_tells_the_best(view):
    view.show_sweep(sweep())
    assert view.facts == "8 of 10 variants ran and are right · best: block=256 T=float"


def test_what_failed_can_be_left_out(view):
    view.show_sweep(sweep())
    view.findChild(QCheckBox, "sweepHideFailed").click()
    assert first_column(view) == ["1", "3", "4", "5", "6", "7", "8", "9"]


def test_times_sort_as_numbers(view):
    view.show_sweep(sweep())
    view.table.sortByColumn(6, Qt.SortOrder.AscendingOrder)
    assert first_column(view)[0] == "5"
    assert first_column(view)[-1] == "10"


def test_enter_asks_for_a_variant(view, qtbot):
    view.show_sweep(sweep())
    view.table.selectRow(2)
    with qtbot.waitSignal(view.variant_activated) as asked:
        QTest.keyClick(view.table, Qt.Key.Key_Return)
    assert asked.args[0].variant.label == "block=128 T=float"


def test_is_saved_as_csv(view, tmp_path):
    view.show_sweep(sweep())
    view.save(str(tmp_path / "s.csv"))
    lines = (tmp_path / "s.csv").read_text().split("\n")
    assert lines[0].startswith("block,T,outcome,registers")
    told = []
    view.told.connect(told.append)
    view.save(str(tmp_path / "no" / "s.csv"))
    assert told[0].startswith("The sweep cannot be saved:")


def test_is_plotted_with_a_line_for_each_type(qtbot, theme):
    plot = LazyWidget(Late.SWEEP_PLOT, "Nothing yet")
    qtbot.addWidget(plot)
    plot.set_theme(theme)
    plot.resize(600, 300)
    plot.show()
    assert plot.hint == "Nothing yet"
    plot.show_value(sweep_chart(sweep()))
    qtbot.waitUntil(lambda: plot.content is not None, timeout=20_000)
    legend = QTextDocumentFragment.fromHtml(plot.content.legend.text()).toPlainText()
    assert legend.split() == ["●", "float", "■", "double"]
    assert plot.content.legend.geometry().top() > plot.content.plot.geometry().bottom()
