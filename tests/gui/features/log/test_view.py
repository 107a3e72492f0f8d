from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QSplitter

from jitstudio.gui.features.log.model import errors_text, whole_log
from jitstudio.gui.features.log.view import LogView
from jitstudio.gui.kit.fonts import CODE_FAMILY, LETTERS
from tests.gui.results import COMPILED, CRASHED, DISASSEMBLED, FAILED, LINKED_STAGE, WARNED

STAGES = (COMPILED, WARNED, LINKED_STAGE, DISASSEMBLED)


@pytest.fixture
def view(qtbot):
    view = LogView()
    qtbot.addWidget(view)
    view.resize(1000, 240)
    view.show()
    return view


def field(view, name):
    return view.findChild(QPlainTextEdit, name)


def test_carries_its_name(view):
    assert view.objectName() == "logView"


def test_focus_goes_to_the_table(view):
    view.activateWindow()
    view.setFocus()
    assert view.table.hasFocus()


def test_is_empty_before_a_build_and_says_why(view):
    assert view.table.hint.startswith("Nothing has been")
    assert view.stage is None
    assert not field(view, "logInfo").isVisible()


def test_shows_the_options_really_sent(view):
    view.model.set_rows((COMPILED,))
    assert field(view, "logOptions").toPlainText() == (
        "-arch=sm_90 '--include-path=/home/me/my project' '-DNAME=\"value\"'"
    )


def test_info_and_errors_have_a_part_each(view):
    view.model.set_rows(STAGES)
    view.table.selectRow(2)
    assert field(view, "logInfo").toPlainText() == "ptxas info    : 0 bytes gmem"
    assert field(view, "logErrors").toPlainText() == errors_text(STAGES[2])


def test_long_lines_go_on_below_and_none_is_cut(view, qtbot):
    view.model.set_rows((replace(FAILED, error_log=f"error: {'a_long_name ' * 60}"),))
    text = field(view, "logErrors")
    qtbot.waitUntil(lambda: text.document().size().height() > 2)
    assert text.document().size().width() <= text.width()
    assert field(view, "logInfo").lineWrapMode() == text.lineWrapMode()


def test_a_failed_stage_is_shown_by_itself(view, qtbot):
    with qtbot.waitSignal(view.stage_chosen) as chosen:
        view.model.set_rows((COMPILED, FAILED))
    assert chosen.args == [FAILED]
    assert view.table.currentIndex().row() == 1


def test_the_stage_that_the_user_chose_stays_chosen(view):
    view.model.set_rows(STAGES)
    view.table.selectRow(0)
    view.model.set_rows((LINKED_STAGE, COMPILED))
    assert view.stage is COMPILED
    view.model.set_rows((LINKED_STAGE,))
    assert view.stage is LINKED_STAGE
    view.model.set_rows(STAGES)
    assert view.stage is COMPILED


def test_a_stage_is_chosen_by_what_it_is(view):
    view.model.set_rows(STAGES)
    view.choose((COMPILED.tool, COMPILED.source, 0))
    assert view.stage is COMPILED
    view.choose((COMPILED.tool, "other.cu", 0))
    assert view.stage is COMPILED


def test_what_was_shown_by_itself_is_no_choice(view):
    view.model.set_rows((COMPILED, FAILED))
    assert view.stage is FAILED
    view.model.set_rows((COMPILED, WARNED))
    assert view.stage is WARNED


def test_a_build_that_ran_nothing_empties_the_details(view, qtbot):
    view.model.set_rows(STAGES)
    with qtbot.waitSignal(view.stage_chosen) as chosen:
        view.model.set_rows(())
    assert chosen.args == [None]
    assert field(view, "logOptions").toPlainText() == ""
    assert not field(view, "logInfo").isVisible()


def test_the_whole_log_is_copied(view):
    view.model.set_rows((CRASHED,))
    QTest.keyClick(view.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text() == whole_log(CRASHED)


def test_the_options_are_copied_from_the_context_menu(view):
    view.model.set_rows((WARNED,))
    commands = {action.text(): action for action in view.table.actions()}
    commands["Copy &options"].trigger()
    assert QApplication.clipboard().text() == "-arch=compute_90 -dlto"


def test_the_details_stand_beside_or_below(view):
    outer = view.findChild(QSplitter)
    view.model.set_rows(STAGES)
    QApplication.processEvents()
    assert outer.orientation() == Qt.Orientation.Horizontal
    assert all(size > 300 for size in outer.sizes())
    view.resize(400, 600)
    assert outer.orientation() == Qt.Orientation.Vertical
    assert all(size > 200 for size in outer.sizes())


@pytest.mark.parametrize("name", ["logOptions", "logInfo", "logErrors"])
def test_the_texts_can_be_selected_by_keyboard_and_not_changed(view, name):
    view.model.set_rows(STAGES)
    text = field(view, name)
    before = text.toPlainText()
    QTest.keyClicks(text, "x")
    assert text.toPlainText() == before
    assert text.textInteractionFlags() & Qt.TextInteractionFlag.TextSelectableByKeyboard


def test_tab_goes_from_the_stages_through_the_details(view):
    view.model.set_rows(STAGES)
    view.activateWindow()
    view.table.setFocus()
    reached = []
    for _ in range(5):
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        focus = QApplication.focusWidget()
        reached.append(focus.accessibleName())
    assert reached == ["Copy options", "Copy whole log", "Options sent", "Info", "Errors"]


def test_the_options_are_as_high_as_their_lines(view):
    options = field(view, "logOptions")
    heights = []
    for count in (1, 20, 400):
        view.model.set_rows((replace(COMPILED, options=("-lineinfo",) * count),))
        QApplication.processEvents()
        heights.append(options.height())
    assert heights[0] < heights[1] <= heights[2] < 120
    bar = Qt.ScrollBarPolicy
    assert options.verticalScrollBarPolicy() == bar.ScrollBarAsNeeded


def test_what_tools_said_is_shown_as_code(view, qtbot):
    fonts = [field(view, name).font() for name in ("logOptions", "logInfo", "logErrors")]
    assert {font.families()[0] for font in fonts} == {CODE_FAMILY}
    options = field(view, "logOptions")
    height = options.height()
    LETTERS.set_zoom(2)
    # The field is out of sight, behind the hint.
    qtbot.waitUntil(lambda: options.height() > 1.5 * height)
    LETTERS.set_zoom(1)
    qtbot.waitUntil(lambda: options.height() == height)
