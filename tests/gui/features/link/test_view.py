from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QRadioButton, QToolButton

from jitstudio.core.request import LinkMode
from jitstudio.gui.features.link.view import LinkView
from jitstudio.gui.kit.fonts import LETTERS
from tests.gui.results import APPLY, LINK_RESULT, MODULES, SCALE, USER


@pytest.fixture
def view(qtbot):
    view = LinkView()
    qtbot.addWidget(view)
    view.set_modules(MODULES)
    view.resize(800, 300)
    view.show()
    return view


def radio(view, mode):
    return view.findChild(QRadioButton, f"linkMode-{mode.value}")


def button(view, text):
    return next(b for b in view.findChildren(QToolButton) if b.text() == text)


def label(view, name):
    return view.findChild(QLabel, name)


def test_carries_its_name(view):
    assert view.objectName() == "linkView"


def test_focus_goes_to_the_choice_that_is_made(view):
    view.activateWindow()
    view.setFocus()
    assert radio(view, LinkMode.NONE).hasFocus()
    view.set_link_mode(LinkMode.LTO)
    view.setFocus()
    assert radio(view, LinkMode.LTO).hasFocus()


@pytest.mark.parametrize("mode", [LinkMode.PTX, LinkMode.LTO])
def test_a_choice_is_told(view, qtbot, mode):
    with qtbot.waitSignal(view.link_mode_changed) as changed:
        radio(view, mode).click()
    assert changed.args == [mode]
    assert radio(view, mode).isChecked()


def test_a_choice_made_elsewhere_is_shown_and_not_told(view, qtbot):
    with qtbot.assertNotEmitted(view.link_mode_changed):
        view.set_link_mode(LinkMode.LTO)
    assert radio(view, LinkMode.LTO).isChecked()
    assert not radio(view, LinkMode.NONE).isChecked()
    assert view.model.index(0, 2).data() == "LTO-IR"


def test_every_choice_says_what_it_means(view):
    meanings = [radio(view, mode).accessibleDescription() for mode in LinkMode]
    assert all(meanings)
    shown = {part.text() for part in view.findChildren(QLabel)}
    assert set(meanings) <= shown


def test_space_unticks_the_chosen_module(view, qtbot):
    view.table.setCurrentIndex(view.model.index(1, 0))
    with qtbot.waitSignal(view.inclusion_changed) as changed:
        QTest.keyClick(view.table, Qt.Key.Key_Space)
    assert changed.args == [USER.key, False]


def test_alt_and_arrows_move_the_chosen_module(view, qtbot):
    view.table.setCurrentIndex(view.model.index(0, 0))
    with qtbot.waitSignal(view.order_changed) as changed:
        QTest.keyClick(view.table, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    assert changed.args == [(USER.key, APPLY.key, SCALE.key)]
    assert view.table.currentIndex().row() == 1
    with qtbot.waitSignal(view.order_changed) as changed:
        QTest.keyClick(view.table, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert changed.args == [(APPLY.key, USER.key, SCALE.key)]


def test_the_keys_that_move_belong_to_the_table_alone(view):
    contexts = {action.shortcutContext() for action in view.table.actions()}
    assert contexts == {Qt.ShortcutContext.WidgetShortcut}
    assert button(view, "Move up").shortcut().isEmpty()


@pytest.mark.parametrize(
    ("row", "up", "down"), [(0, False, True), (1, True, True), (2, True, False)]
)
def test_only_moves_that_lead_somewhere_are_offered(view, row, up, down):
    view.table.selectRow(row)
    assert (button(view, "Move up").isEnabled(), button(view, "Move down").isEnabled()) == (
        up,
        down,
    )


def test_the_chosen_module_stays_chosen_when_others_come_and_go(view):
    view.table.selectRow(1)
    view.set_modules((SCALE, APPLY, USER))
    assert view.table.currentIndex().row() == 2
    view.set_modules((SCALE,))
    assert not view.table.selectionModel().hasSelection()


def test_a_link_of_nothing_is_warned_of(view):
    view.set_link_mode(LinkMode.PTX)
    assert not label(view, "linkWarning").isVisible()
    view.set_modules(tuple(replace(module, included=False) for module in MODULES))
    assert label(view, "linkWarning").isVisible()
    assert label(view, "linkWarning").text().startswith("No module is ticked")
    view.set_link_mode(LinkMode.NONE)
    assert not label(view, "linkWarning").isVisible()


def test_shows_what_the_link_came_to_and_the_way_to_its_sass(view, qtbot):
    sass = view.findChild(QPushButton, "showLinkedSass")
    assert not sass.isEnabled()
    assert sass.toolTip() == "There is no linked SASS yet."
    view.show_result(LINK_RESULT)
    assert label(view, "linkResult").text().startswith("Linked by nvJitLink in 1,012.4 ms")
    with qtbot.waitSignal(view.linked_sass_requested):
        sass.click()
    view.show_result(None)
    assert not label(view, "linkResult").isVisible()
    assert not sass.isEnabled()


def test_files_can_be_asked_for(view, qtbot):
    with qtbot.waitSignal(view.files_requested):
        button(view, "Add file…").click()


def test_says_why_the_list_is_empty(view):
    view.set_modules(())
    assert view.table.hint.startswith("No modules are open.")


def test_the_modules_stand_beside_or_below_the_choice(view):
    choice = radio(view, LinkMode.LTO)
    assert view.table.mapTo(view, view.table.pos()).x() > choice.geometry().right()
    view.resize(400, 700)
    QApplication.processEvents()
    bottom = choice.mapTo(view, choice.rect().bottomLeft()).y()
    assert view.table.mapTo(view, view.table.rect().topLeft()).y() > bottom


def test_rings_and_ticks_can_be_made_out(view, theme):
    image = radio(view, LinkMode.NONE).grab().toImage()
    ground = theme.ui.window.lightness()
    contrast = max(
        abs(image.pixelColor(x, y).lightness() - ground)
        for x in range(16)
        for y in range(image.height())
    )
    assert contrast > 60


def test_larger_letters_put_the_buttons_below_each_other(view, qtbot):
    view.resize(350, 600)
    view.show()
    compare = view.findChild(QPushButton, "compareLinks")
    try:
        LETTERS.set_zoom(1.25)
        qtbot.waitUntil(lambda: compare.width() >= compare.sizeHint().width())
        assert compare.y() > view.findChild(QPushButton, "showLinkedSass").y()
    finally:
        LETTERS.set_zoom(1.0)
