import subprocess
import sys

import pytest

from jitstudio.gui.features.launch.models.launch_text import headline
from jitstudio.gui.features.launch.results.launch_results import LaunchResults
from tests.gui.launches import H200, RAN, WRONG
from tests.gui.rich_text import plain

START = """
import sys
import jitstudio.gui.features.launch.results.launch_results
import jitstudio.gui.features.variants.table
print([name for name in ("numpy", "pyqtgraph", "ml_dtypes") if name in sys.modules])
"""


@pytest.fixture
def results(qtbot):
    results = LaunchResults()
    for _ in results.fill():
        pass
    qtbot.addWidget(results)
    results.resize(900, 400)
    results.show()
    return results


def titles(results):
    return [results.tabs.tabText(n) for n in range(results.tabs.count())]


def test_nothing_heavy_is_imported_before_there_is_a_result(environment):
    done = subprocess.run(
        [sys.executable, "-c", START], capture_output=True, text=True, env=environment, check=True
    )
    assert done.stdout == "[]\n"


def test_has_a_pane_for_each_question(results):
    assert titles(results) == ["Result", "Buffers", "Timing", "Counts", "Console"]


def test_a_result_is_shown_in_every_pane(results):
    results.show_result(RAN, H200)
    assert results.result.headline.mark == "success"
    assert results.timing.figures[0].name == "Median"
    assert results.console.text == RAN.console
    assert titles(results)[4] == "Console •"
    results.show_result(None)
    assert results.console.text == ""
    assert titles(results)[4] == "Console"


def test_a_launch_that_went_wrong_is_marked_at_its_tab(results):
    marked = []
    for result in (RAN, WRONG, None):
        results.show_result(result, H200)
        marked.append((results.tabs.tabIcon(0).isNull(), results.tabs.tabToolTip(0)))
    (_, shown), (is_bare, words), last = marked
    assert (shown, last, is_bare) == ("", (True, ""), False)
    assert plain(words) == [f"{WRONG.kernel}: {headline(WRONG)}"]
    results.show_result(WRONG, H200)
    results.show_progress("compiling")
    assert results.tabs.tabIcon(0).isNull()


def test_what_was_printed_live_is_not_printed_again(results):
    results.begin()
    results.append_console("block 0 says 1\n")
    results.show_progress("checking")
    results.show_result(RAN, H200)
    assert results.console.text == "block 0 says 1\n"
    results.show_result(RAN, H200)
    assert results.console.text == RAN.console


def test_places_are_passed_on(results, qtbot):
    results.show_result(WRONG, H200)
    with qtbot.waitSignal(results.location_activated) as gone:
        results.result.location_activated.emit("k.cu", 3)
    assert gone.args == ["k.cu", 3]
