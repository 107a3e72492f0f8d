import pytest
from PySide6.QtCore import QSettings
from PySide6.QtGui import QAction

from jitstudio.core.code import CodeKind
from jitstudio.gui.listing.output_header import FilterButton, HiddenLines
from jitstudio.gui.state.preferences import Preferences
from jitstudio.listing.lines import LineClass


@pytest.mark.usefixtures("driver")
def test_filters_are_remembered_and_a_rebuild_stays_in_its_place(started, tmp_path):
    started.open_sample("SAXPY")
    ptx, sass = started.listing("ptxView"), started.listing("sassView")
    # Names in C++ come a moment after the listing.
    started.wait(lambda: ".entry saxpy<" in ptx.toPlainText())
    button = started.find(FilterButton, "ptxFilterButton")
    # Line tables are always made, and left out of sight at first.
    assert ptx.visibility.filters == {LineClass.DEBUG}
    locations = [n for n, line in enumerate(ptx.text.lines) if line.startswith("\t.loc\t")]
    assert len(locations) > 20
    assert not any(ptx.visibility.rows.shows(line) for line in locations)
    for of in ("Comment", "Directive"):
        button.menu().findChild(QAction, f"hide{of}Action").trigger()
    hidden = ptx.visibility.rows.hidden_count
    assert hidden > 50
    assert started.find(HiddenLines, "ptxHiddenLines").text() == f"{hidden} hidden"
    # So are labels that nothing jumps to.
    assert sass.visibility.filters == {LineClass.LABEL}

    # The place in the second kernel is kept when the first one grows.
    lines = ptx.toPlainText().split("\n")
    second = [n for n, line in enumerate(lines) if ".entry" in line][1]
    place = next(n for n in range(second, len(lines)) if "fma" in lines[n])
    ptx.visibility.toggle(next(n for n, line in enumerate(lines) if ".entry" in line))
    ptx.go_to(place + 1)
    head, row = lines[second], ptx.visibility.rows.row(place) - ptx.verticalScrollBar().value()
    started.editor.selectAll()
    text = started.editor.toPlainText()
    grown = 'extern "C" __global__ void aaa(float* p) { p[threadIdx.x] *= 2; p[0] += 1; }\n'
    started.next_result(lambda: started.editor.insertPlainText(grown + text))
    # The listing comes a moment after the result, and names in C++ one later.
    started.wait(lambda: ".entry aaa(" in ptx.toPlainText() and head in ptx.toPlainText())
    newer = ptx.toPlainText().split("\n")
    assert len(newer) > len(lines) + 10
    assert newer.index(head) < ptx.line - 1
    assert newer[ptx.line - 1] == lines[place]
    assert ptx.visibility.rows.row(ptx.line - 1) - ptx.verticalScrollBar().value() == row
    assert ptx.visibility.folds.toggled_names
    assert ptx.visibility.filters == {LineClass.COMMENT, LineClass.DIRECTIVE, LineClass.DEBUG}

    stored = Preferences(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat))
    assert stored.filters(CodeKind.PTX.value) == ptx.visibility.filters
    assert stored.filters(CodeKind.SASS.value) == {LineClass.LABEL}


def test_what_was_stored_by_others_is_read_with_care(tmp_path):
    store = QSettings(str(tmp_path / "other.ini"), QSettings.Format.IniFormat)
    preferences = Preferences(store)
    assert preferences.filters("ptx") == {LineClass.DEBUG}
    assert preferences.filters("sass") == {LineClass.LABEL}
    for value, filters in (
        ("DEBUG", {LineClass.DEBUG}),
        (["CODE", "nonsense", "COMMENT"], {LineClass.COMMENT}),
        (7, set()),
    ):
        store.setValue("filters/ptx", value)
        assert preferences.filters("ptx") == filters
    preferences.set_filters("ptx", frozenset())
    assert Preferences(store).filters("ptx") == frozenset()
