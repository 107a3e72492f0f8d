"""Other words for what the window names."""

import pytest

from jitstudio.gui.shell.commands.actions import ACTIONS
from jitstudio.gui.shell.pane_registry import PANES
from jitstudio.gui.shell.synonyms import SYNONYMS, also_called
from jitstudio.gui.state.settings_table import SETTINGS

TITLES = [
    *(spec.text.replace("&", "") for spec in ACTIONS),
    *(setting.title for setting in SETTINGS),
    *(pane.title for pane in PANES),
]


def test_each_row_is_about_something_that_is_there():
    for said, others in SYNONYMS:
        assert any(others in also_called(title) for title in TITLES), said


@pytest.mark.parametrize(
    "word",
    ["godbolt", "profile", "debug", "share", "print", "pdf", "dark mode", "macros", "benchmark"],
)
def test_words_of_other_programs_find_something(word):
    assert any(word in also_called(title) for title in TITLES)


def test_words_are_whole():
    assert "preferences" in also_called("&Settings…".replace("&", ""))
    assert "font size" in also_called("Zoom in")
    assert also_called("Catalogue") == ""
