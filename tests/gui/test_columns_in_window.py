"""Columns, peaks and bars beside the source in a window with real tools."""

import pytest
from PySide6.QtWidgets import QApplication

from jitstudio.core.code import CodeKind
from jitstudio.gui.features.correlation import interleaved
from jitstudio.gui.listing.listing_view import ListingView
from jitstudio.gui.state import constant_namings
from jitstudio.gui.state.settings_table import INTERLEAVED
from jitstudio.listing.lines import LineClass
from tests.gui.driver import pause
from tests.support import SAMPLES


def with_histogram(driver):
    """The window with a kernel and its header, its SASS read."""
    driver.start([SAMPLES / "histogram.cu", SAMPLES / "atomic_ops.cuh"])
    documents = driver.state.documents
    documents.current = next(one for one in documents if one.name == "histogram.cu")
    driver.settle()
    driver.shell.layout.bring_up(sass(driver))
    driver.wait(lambda: sass(driver).columns.cells)
    return driver


@pytest.fixture(scope="module")
def histogram(shared_driver):
    return with_histogram(shared_driver)


@pytest.fixture
def own_histogram(driver):
    """The same for a test that edits it."""
    return with_histogram(driver)


def sass(driver):
    return driver.listings[CodeKind.SASS]


def trigger(driver, name):
    driver.window.frame.actions[name].trigger()


def told(driver):
    return driver.shell.status.currentMessage()


def bars(driver, name):
    documents = driver.state.documents
    document = next(one for one in documents if one.name == name)
    return driver.editors.page_of(document).editor.pressure


def test_a_column_names_the_constants_that_instructions_read(own_histogram):
    pane, inspection = sass(own_histogram), own_histogram.state.disassembly.current
    (function,) = inspection.code.functions
    bank = inspection.code.constants.parameters[function.name]
    first = f"c[0x0][{bank.base:#x}]"
    line = next(n for n, text in enumerate(pane.code_view.text.lines) if first in text)
    pane.columns.chosen.emit(pane.columns.choice.show("names", True))
    own_histogram.wait(lambda: pane.columns.cells.row(line).names)
    declared = (SAMPLES / "histogram.cu").read_text().partition("histogram(")[2]
    name = declared.partition(",")[0].split()[-1].lstrip("*")
    assert pane.columns.cells.row(line).names == name


def test_names_are_drawn_and_what_was_printed_is_copied_found_and_a_key_away(histogram):
    view, inspection = sass(histogram).code_view, histogram.state.disassembly.current
    (function,) = inspection.code.functions
    bank = inspection.code.constants.parameters[function.name]
    histogram.wait(lambda: view.text.names)
    declared = (SAMPLES / "histogram.cu").read_text().partition("histogram(")[2].partition(")")[0]
    names = [part.split()[-1].lstrip("*") for part in declared.split(",")]
    raw = {
        f"c[0x0][{bank.base + p.offset:#x}]": n for p, n in zip(bank.parameters, names, strict=True)
    }
    lines = [n for n, line in enumerate(view.text.lines) if any(x in line for x in raw)]
    assert len(lines) >= len(names)
    for number in lines:
        line = view.text.lines[number]
        shown = "".join(text for _, text in view.text.pieces(number, (0, len(line))))
        for place, name in raw.items():
            line = line.replace(place, name)
        assert shown == line
    # The text itself stays.
    number, place = lines[0], next(x for x in raw if x in view.text.lines[lines[0]])
    assert place in view.search_lines(number, 1)[0]
    view.caret.select((number, 0), (number + 1, 0))
    view.copy()
    assert place in QApplication.clipboard().text()
    named = view.grab().toImage()
    labels = view.visibility.filters
    histogram.trigger("rawSassAction")
    assert not view.text.names
    assert not view.visibility.filters
    assert view.grab().toImage() != named
    histogram.trigger("rawSassAction")
    assert view.visibility.filters == labels == {LineClass.LABEL}
    assert [*view.text.names] == lines


def test_source_ptx_and_sass_stand_in_turn_and_are_tied_to_the_other_texts(histogram):
    pane, inspection = sass(histogram), histogram.state.disassembly.current
    (function,) = inspection.code.functions
    view, editor = histogram.find(ListingView, "interleavedView"), histogram.editor
    histogram.trigger("interleaveAction")
    histogram.wait(lambda: view.line_count and view.text.names)
    assert not pane.code_view.isVisible()
    lines = view.text.lines
    heads = [n for n, line in enumerate(lines) if not line.startswith(" ")]
    listed = sorted(line[8:] for line in lines if line.startswith(" " * 8))
    rows = inspection.rows.lines(function)[: function.code_length]
    assert listed == sorted(pane.code_view.text.lines[row] for row in rows)
    own = [n for n in heads if lines[n].startswith("histogram.cu:")]
    assert len(own) > 5
    for head in own:
        place, _, text = lines[head].partition("  ")
        number = int(place.partition(":")[2])
        assert editor.document().findBlockByNumber(number - 1).text().strip() == text
    # The caret marks the line of the source in the editor; jumps into the listing lead here.
    view.setFocus()
    view.go_to(own[2] + 2)
    number = int(lines[own[2]].partition("  ")[0].partition(":")[2])
    histogram.wait(lambda: editor.line_colours.is_matched(number - 1))
    pane.code_view.go_to(rows[3] + 1)
    assert lines[view.line - 1][8:] == pane.code_view.text.lines[rows[3]]
    # The next start shows it so, too.
    assert histogram.state.preferences.value(INTERLEAVED)
    histogram.trigger("interleaveAction")
    assert pane.code_view.isVisible()
    assert not view.isVisible()
    # What is read as the code goes away does not come after it.
    histogram.trigger("interleaveAction")
    histogram.state.disassembly.look_at(None)
    histogram.wait(lambda: histogram.state.correlations.tied is None)
    shown = view.text.lines
    pause(300)
    assert view.text.lines == shown
    assert len(shown) < 3
    histogram.trigger("interleaveAction")
    histogram.state.disassembly.look_at(pane.listing)
    histogram.wait(lambda: histogram.state.disassembly.current is not None)


def test_what_cannot_be_named_or_put_in_turn_is_told(histogram, monkeypatch):
    def fail(*_args):
        raise ValueError("no such line")

    monkeypatch.setattr(constant_namings, "named_listing", fail)
    monkeypatch.setattr(interleaved, "interleaved_text", fail)
    view = histogram.find(ListingView, "interleavedView")
    histogram.next_result(lambda: histogram.set_options("-lineinfo"))
    histogram.wait(lambda: "names cannot be read: no such line" in histogram.shell.notices.text)
    histogram.trigger("interleaveAction")
    histogram.wait(lambda: "no such line" in view.spoken_lines()[0])
    histogram.trigger("interleaveAction")
    histogram.shell.notices.withdraw("")
    monkeypatch.undo()
    histogram.next_result(lambda: histogram.set_options(""))


def test_the_instructions_have_columns(histogram):
    pane = sass(histogram)
    inspection = histogram.state.disassembly.current
    (function,) = inspection.code.functions
    line = inspection.rows.line(function, 0)
    assert pane.columns.gutter.isVisible()
    assert pane.columns.cells.words(line, pane.columns.choice.shown).startswith("Live 1, Stall ")
    marks = {mark.line for mark in pane.columns.peak_marks.marks}
    peaks = pane.columns.cells.heights(function).peaks
    assert marks == {inspection.rows.line(function, at) for at in peaks}


def test_f4_goes_from_peak_to_peak_and_says_what_holds_it(histogram):
    pane = sass(histogram)
    (function,) = histogram.state.disassembly.current.code.functions
    heights = pane.columns.cells.heights(function)
    lines = [pane.columns.cells.line(function, at) for at in heights.peaks]
    count = len(lines)
    assert count > 1
    pane.code_view.go_to(1)
    seen = []
    for number in range(1, count + 2):
        trigger(histogram, "nextPeakAction")
        seen.append(pane.code_view.caret.line)
        assert told(histogram).startswith(f"Peak {(number - 1) % count + 1} of {count}: ")
    assert seen == [*lines, lines[0]]
    trigger(histogram, "previousPeakAction")
    assert pane.code_view.caret.line == lines[-1]
    histogram.wait(lambda: "; most held by " in told(histogram))


def test_without_sass_f4_says_what_to_do(driver):
    driver.start()
    driver.state.build_controller.hold()
    driver.wait(lambda: sass(driver).columns.cells is None)
    trigger(driver, "nextPeakAction")
    assert "build first" in told(driver)
    driver.state.outputs.expect(driver.document)
    trigger(driver, "nextPeakAction")
    assert told(driver) == "Being built…"


def test_the_choice_of_columns_is_remembered(histogram):
    pane = sass(histogram)
    pane.columns.chosen.emit(pane.columns.choice.show("encoding", True))
    assert "encoding:34@1" in histogram.state.preferences.columns
    assert [one.key for one in pane.columns.choice.shown][-1] == "encoding"
    pane.columns.chosen.emit(pane.columns.choice.show("encoding", False))


def test_columns_go_to_the_left_by_a_setting(histogram):
    pane = sass(histogram)
    histogram.state.preferences.set_value("listings.columns_left", True)
    assert pane.columns.gutter.x() < pane.code_view.viewport().x()
    histogram.state.preferences.set_value("listings.columns_left", False)
    assert pane.columns.gutter.x() > pane.code_view.viewport().x()


def test_the_source_has_bars_while_they_are_wanted(histogram):
    source, header = bars(histogram, "histogram.cu"), bars(histogram, "atomic_ops.cuh")
    assert source.width == 0
    trigger(histogram, "pressureAction")
    histogram.wait(lambda: source.bars)
    (function,) = histogram.state.disassembly.current.code.functions
    top = max(function.live[::4])
    assert max(bar.number for bar in source.bars.values()) == top
    assert max(bar.share for bar in source.bars.values()) == 1
    # The call, and what was inlined there.
    assert 20 in source.bars
    assert 12 in header.bars
    histogram.state.preferences.set_value("editor.pressure_measure", "total")
    assert max(bar.number for bar in source.bars.values()) > top
    trigger(histogram, "nextPeakAction")
    histogram.wait(lambda: any(bar.holds for bar in source.bars.values()))
    held = next(bar for bar in source.bars.values() if bar.holds)
    assert "At the peak it holds" in held.tip
    trigger(histogram, "pressureAction")
    assert (source.width, dict(source.bars)) == (0, {})
    histogram.state.preferences.set_value("editor.pressure_measure", "highest")


def test_another_build_brings_its_own_columns(own_histogram):
    pane = sass(own_histogram)
    before = pane.columns.cells
    page = own_histogram.editors.page
    page.editor.setPlainText(page.editor.toPlainText().replace("bin < 256", "bin < 128"))
    own_histogram.settle()
    own_histogram.wait(lambda: pane.columns.cells not in (None, before))
    pause(0)
    assert pane.columns.gutter.isVisible()


def test_bars_stay_with_their_lines_when_they_are_shown_anew_after_an_edit(own_histogram):
    source = bars(own_histogram, "histogram.cu")
    trigger(own_histogram, "pressureAction")
    own_histogram.wait(lambda: source.bars)
    before = {line: bar.number for line, bar in source.bars.items()}
    # No build follows, so that what is known is of the text before.
    own_histogram.state.settings.auto_build = False
    cursor = own_histogram.editor.textCursor()
    cursor.movePosition(cursor.MoveOperation.Start)
    cursor.insertText("// one\n// two\n")
    moved = {line + 2: number for line, number in before.items()}
    assert {line: bar.number for line, bar in source.bars.items()} == moved
    trigger(own_histogram, "nextPeakAction")
    own_histogram.wait(lambda: any(bar.holds for bar in source.bars.values()))
    assert {line: bar.number for line, bar in source.bars.items()} == moved
