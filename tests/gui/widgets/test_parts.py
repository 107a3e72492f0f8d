import pytest

from jitstudio.gui.widgets.parts import ShorteningLabel


@pytest.mark.parametrize(("share", "drawn"), [(1.0, True), (0.5, True), (0.05, False)])
def test_a_line_is_shortened_and_goes_where_no_word_has_room(qtbot, share, drawn):
    label = ShorteningLabel("vector_addition.cu")
    qtbot.addWidget(label)
    label.resize(int(label.sizeHint().width() * share), label.sizeHint().height())
    shown = label.grab().toImage()
    colors = {shown.pixel(x, y) for x in range(shown.width()) for y in range(shown.height())}
    assert (len(colors) > 1) is drawn
    assert label.minimumSizeHint().width() == 1
