import pytest

from jitstudio.core.code import CodeKind
from jitstudio.gui.listing.output_pane import OutputPane
from jitstudio.gui.services.build_service import Listing
from jitstudio.gui.state.outputs import Output

_SASS = (
    ".text.first:",
    "\t.type first,@function",
    "first:",
    "/*0000*/ EXIT ;",
    ".section .text.second",
    "\t.type second,@function",
    ".text.second:",
    "second:",
    "/*0000*/ EXIT ;",
)


@pytest.fixture
def pane(qtbot, theme):
    made = OutputPane(CodeKind.SASS, "sassView", theme)
    qtbot.addWidget(made)
    made.resize(600, 400)
    return made


def test_it_goes_to_a_kernel_as_soon_as_its_functions_are_known(pane, qtbot):
    with qtbot.waitSignal(pane.code.read):
        pane.show_output(Output((Listing(CodeKind.SASS, "k.cu", _SASS),)))
        pane.go_to_kernel("k.cu", "second")
        assert pane.code_view.line == 1
    assert pane.code_view.line == 7
    pane.code_view.go_to(1)
    pane.go_to_kernel("k.cu", "second")
    assert pane.code_view.line == 7


def test_a_kernel_that_is_nowhere_is_not_waited_for_in_another_listing(pane, qtbot):
    with qtbot.waitSignal(pane.code.read):
        pane.show_output(Output((Listing(CodeKind.SASS, "k.cu", _SASS[:4]),)))
    pane.go_to_kernel("k.cu", "second")
    with qtbot.waitSignal(pane.code.read):
        pane.show_output(Output((Listing(CodeKind.SASS, "k.cu", _SASS),)))
    assert pane.code_view.line == 1
