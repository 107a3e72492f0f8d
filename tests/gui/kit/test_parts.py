import pytest

from jitstudio.gui.kit.parts import ShorteningLabel, WholeLabel


def colors(label):
    shown = label.grab().toImage()
    return {shown.pixel(x, y) for x in range(shown.width()) for y in range(shown.height())}


@pytest.mark.parametrize(("share", "drawn"), [(1.0, True), (0.5, True), (0.05, False)])
def test_a_line_is_shortened_and_goes_where_no_word_has_room(qtbot, share, drawn):
    label = ShorteningLabel("vector_addition.cu")
    qtbot.addWidget(label)
    label.resize(int(label.sizeHint().width() * share), label.sizeHint().height())
    assert (len(colors(label)) > 1) is drawn
    assert label.minimumSizeHint().width() == 1


@pytest.mark.parametrize(("share", "drawn"), [(1.0, True), (0.8, False)])
def test_a_number_is_not_shortened(qtbot, share, drawn):
    label = WholeLabel("19,024 lines")
    qtbot.addWidget(label)
    label.resize(int(label.sizeHint().width() * share), label.sizeHint().height())
    assert (len(colors(label)) > 1) is drawn
