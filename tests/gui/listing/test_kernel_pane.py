import pytest
from PySide6.QtWidgets import QLabel

from jitstudio.gui.listing.kernel_pane import KernelPane

NAMES = (("_Z1kIfE", "k<float>"), ("_Z1kIdE", "k<double>"))


@pytest.fixture
def pane(qtbot):
    pane = KernelPane("opcodes")
    pane.set_content(QLabel("content", pane))
    qtbot.addWidget(pane)
    pane.show()
    return pane


def test_says_why_there_is_no_kernel_until_one_is_read(pane):
    content = pane.findChild(QLabel, "opcodesHint")
    pane.show_hint("Build it first.")
    assert (pane.hint, content.text()) == ("Build it first.",) * 2
    assert not pane.kernels.isVisible()
    pane.show_reading(())
    assert pane.hint == ""
    assert pane.kernels.isVisible()
    pane.show_hint("Reading the SASS…")
    assert pane.hint == "Reading the SASS…"


def test_a_kernel_is_chosen_by_its_lowered_name_and_only_by_the_user(pane, qtbot):
    pane.show_reading(())
    with qtbot.assertNotEmitted(pane.kernel_chosen):
        pane.show_kernels(NAMES, "_Z1kIdE")
    assert pane.kernels.currentText() == pane.kernels.accessibleDescription() == "k<double>"
    with qtbot.waitSignal(pane.kernel_chosen) as chosen:
        pane.kernels.setCurrentIndex(0)
        pane.kernels.activated.emit(0)
    assert chosen.args == ["_Z1kIfE"]
    pane.show_kernels((), "")
    assert not pane.kernels.isEnabled()
    assert pane.kernels.count() == 0
