from jitstudio.gui.features.help.pages import page_for
from jitstudio.manual import INDEX


def test_the_innermost_pane_decides_and_the_index_is_for_the_rest():
    assert page_for(["", "kernelsTable", "kernelsView", "window"]) == "kernels"
    assert page_for(["findingsTable", "reportTabs", "reportView"]) == "report"
    assert page_for(["optionsEdit", "editorTabs"]) == "options"
    assert page_for([]) == page_for(["toolbar"]) == INDEX
