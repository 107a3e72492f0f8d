import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QSpinBox, QToolButton

from jitstudio.core.options import find
from jitstudio.core.options.parsing import refusal
from jitstudio.core.tools import Tool
from jitstudio.gui.features.options.model import FLAG, TOOLS, VALUE
from jitstudio.gui.features.options.view import OptionsForm

REGISTERS = "--maxrregcount"


@pytest.fixture
def form(qtbot):
    form = OptionsForm()
    qtbot.addWidget(form)
    form.resize(1200, 600)
    form.show()
    form.activateWindow()
    return form


@pytest.fixture
def told(form):
    """Every text that the form tells as the user's."""
    texts = []
    form.text_changed.connect(texts.append)
    return texts


def choose(form, flag):
    """Make an option the current one, as a click on its name does."""
    spec = find(flag)[0]
    form.tree.setFocus()
    tree, model = form.tree, form.tree.model()
    for row in range(model.rowCount()):
        group = model.index(row, 0)
        for child in range(model.rowCount(group)):
            tree.setCurrentIndex(model.index(child, 0, group))
            if tree.current_spec is spec:
                return tree.currentIndex()
    raise LookupError(flag)


def click_value(form, flag):
    index = choose(form, flag).siblingAtColumn(VALUE)
    form.tree.scrollTo(index)
    rect = form.tree.visualRect(index)
    place = rect.topLeft()
    place += type(place)(12, rect.height() // 2)
    QTest.mouseClick(
        form.tree.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place
    )


def editor(form, kind):
    return form.tree.viewport().findChild(kind)


def field(form, name):
    return form.findChild(QLineEdit, name)


def label(form, name):
    return form.findChild(QLabel, name)


def button(form, text):
    return next(b for b in form.findChildren(QToolButton) if b.text() == text)


def test_a_click_ticks_a_flag(form, told):
    click_value(form, "-lineinfo")
    assert told == ["-lineinfo"]
    click_value(form, "-lineinfo")
    assert told == ["-lineinfo", ""]


@pytest.mark.parametrize("key", [Qt.Key.Key_Space, Qt.Key.Key_Return])
def test_a_key_ticks_a_flag(form, told, key):
    choose(form, "-lineinfo")
    QTest.keyClick(form.tree, key)
    assert told == ["-lineinfo"]


def test_truth_is_chosen_from_default_on_and_off(form, told):
    click_value(form, "-ftz")
    combo = editor(form, QComboBox)
    assert [combo.itemText(i) for i in range(combo.count())] == ["default (off)", "on", "off"]
    assert combo.accessibleName() == "Flush denormals to zero"
    QTest.keyClick(combo, Qt.Key.Key_Down)
    assert told == ["-ftz=true"]


def test_a_number_has_the_default_below_its_least(form, told, qtbot):
    form.set_text("-G")
    choose(form, REGISTERS)
    QTest.keyClick(form.tree, Qt.Key.Key_Return)
    spin = editor(form, QSpinBox)
    assert spin.text() == "default"
    spin.selectAll()
    QTest.keyClicks(spin, "48")
    QTest.keyClick(spin, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: told == ["-G --maxrregcount=48"])


def test_several_values_are_typed_with_spaces_between(form, told, qtbot):
    form.set_text("-DA -lineinfo -DB=2")
    choose(form, "-D")
    QTest.keyClick(form.tree, Qt.Key.Key_F2)
    line = editor(form, QLineEdit)
    assert line.text() == "A B=2"
    line.setText("A 'B=a b'")
    QTest.keyClick(line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: told == ["-DA '-DB=a b' -lineinfo"])


def test_escape_leaves_a_value_as_it_was(form, told, qtbot):
    form.set_text("--std=c++20")
    choose(form, "--frandom-seed")
    QTest.keyClick(form.tree, Qt.Key.Key_F2)
    QTest.keyClicks(editor(form, QLineEdit), "7")
    QTest.keyClick(editor(form, QLineEdit), Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: editor(form, QLineEdit) is None)
    assert told == []


def test_del_and_the_button_reset_the_chosen_option(form, told):
    form.set_text("-lineinfo -ftz=true --bogus")
    choose(form, "-ftz")
    QTest.keyClick(form.tree, Qt.Key.Key_Delete)
    choose(form, "-lineinfo")
    assert button(form, "Reset").isEnabled()
    button(form, "Reset").click()
    assert told == ["-lineinfo --bogus", "--bogus"]
    assert not button(form, "Reset").isEnabled()
    assert not button(form, "Reset all").isEnabled()


def test_reset_all_keeps_what_the_list_does_not_have(form, told):
    form.set_text("-lineinfo --bogus -ftz=1")
    button(form, "Reset all").click()
    assert told == ["--bogus"]


def test_other_options_have_a_field_of_their_own(form, told):
    form.set_text("-lineinfo --bogus=1 nvrtc:-G")
    other = field(form, "otherOptions")
    assert other.text() == "--bogus=1 nvrtc:-G"
    other.setText("--bogus=2")
    QTest.keyClick(other, Qt.Key.Key_Return)
    assert told == ["-lineinfo --bogus=2"]


def test_an_open_quote_among_the_others_stays_and_is_told(form, told):
    other = field(form, "otherOptions")
    other.setText("--bogus='")
    QTest.keyClick(other, Qt.Key.Key_Return)
    assert told == []
    assert other.text() == "--bogus='"
    assert "Check the quotes" in label(form, "optionsMessage").text()


def test_a_text_that_cannot_be_read_disables_the_form_and_says_so(form, told):
    form.set_text("-DNAME='a")
    assert not form.tree.isEnabled()
    assert label(form, "optionsMessage").isVisible()
    assert "No closing quotation" in label(form, "optionsMessage").text()
    form.set_text("-DNAME='a'")
    assert form.tree.isEnabled()
    assert not label(form, "optionsMessage").isVisible()
    assert told == []


def test_an_option_that_jitstudio_sends_is_warned_of(form):
    form.set_text("-arch=sm_80")
    assert refusal(["-arch=sm_80"]) in label(form, "optionsMessage").text()
    assert field(form, "otherOptions").text() == "-arch=sm_80"


def test_a_search_leaves_what_fits_and_down_goes_there(form):
    form.setFocus()
    assert field(form, "optionsSearch").hasFocus()
    QTest.keyClicks(field(form, "optionsSearch"), "denormal")
    assert form.tree.model().rowCount() == 1
    QTest.keyClick(field(form, "optionsSearch"), Qt.Key.Key_Down)
    assert form.tree.hasFocus()
    assert form.tree.current_spec is find("-ftz")[0]


def test_the_help_of_the_chosen_option_is_shown(form):
    form.set_tools(frozenset({Tool.NVJITLINK}))
    choose(form, "-D")
    assert label(form, "optionTitle").text() == "Define a macro"
    assert label(form, "optionUsage").text() == "-D<text>"
    told = label(form, "optionHelp").text()
    assert "Defines a macro, as NAME or as NAME=VALUE." in told
    assert "this build: NVRTC." in told


def test_a_narrow_form_keeps_names_and_values(form):
    form.resize(420, 500)
    assert form.tree.isColumnHidden(FLAG)
    assert form.tree.isColumnHidden(TOOLS)
    assert not form.tree.isColumnHidden(VALUE)


def test_it_follows_the_tab_key_from_search_to_the_others(form):
    form.setFocus()
    met = []
    for _ in range(8):
        met.append(form.focusWidget().accessibleName())
        form.focusNextChild()
    for name in ("Search options", "Options", "Other options"):
        assert name in met
