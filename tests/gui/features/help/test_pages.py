import re

import pytest

from jitstudio.gui.features.help.pages import INDEX, help_pages, page_for
from jitstudio.gui.shell.commands.table import ACTIONS
from jitstudio.paths import resource

PAGES = help_pages()
_LINK = re.compile(r"\]\((\w+):(\w+)\)")


@pytest.mark.parametrize("page", PAGES.values(), ids=lambda page: page.name)
def test_a_page_has_a_title_and_leads_only_to_what_there_is(page):
    assert page.text.startswith(f"# {page.title}\n")
    assert set(page.commands) <= {spec.id for spec in ACTIONS}
    assert "{" not in page.with_commands(lambda name: name)
    for scheme, name in _LINK.findall(page.text):
        assert scheme == "help"
        assert name in PAGES


def test_every_file_is_a_page():
    assert {path.stem for path in resource("help").iterdir()} == set(PAGES)


def test_the_innermost_pane_decides_and_the_index_is_for_the_rest():
    assert page_for(["", "kernelsTable", "kernelsView", "window"]) == "kernels"
    assert page_for(["findingsTable", "reportTabs", "reportView"]) == "report"
    assert page_for(["optionsEdit", "editorTabs"]) == "options"
    assert page_for([]) == page_for(["toolbar"]) == INDEX


def test_a_command_is_said_in_the_words_of_the_window():
    text = PAGES["launch"].with_commands(lambda name: f"<{name}>")
    assert "<runAction> builds first" in text
