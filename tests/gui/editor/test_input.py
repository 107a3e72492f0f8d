import pytest

from jitstudio.gui.editor.input import refusal
from jitstudio.gui.limits import LARGEST_TEXT, LONGEST_LINE


@pytest.mark.parametrize(
    "text", ["", "int x;\n", "x" * LONGEST_LINE, ("x" * LONGEST_LINE + "\n") * 3]
)
def test_what_an_editor_can_show_is_taken(text):
    assert refusal(text) is None


def test_a_long_line_is_refused_with_its_number():
    reason = refusal("short\n" + "x" * (LONGEST_LINE + 1))
    assert reason.startswith("Line 2 of the text is too long to edit here: it has 20,001 ")


def test_a_large_text_is_refused_with_its_size():
    assert "1,000,001 characters" in refusal("x\n" * (LARGEST_TEXT // 2) + "x")
