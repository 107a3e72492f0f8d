from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QSize, Qt
from PySide6.QtGui import QFont, QFontDatabase, QFontInfo, QFontMetricsF, QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QPlainTextEdit, QWidget

from jitstudio.gui.kit import fonts
from jitstudio.gui.kit.fonts import (
    CODE_FAMILY,
    DEFAULT_SIZE,
    LARGEST,
    LETTERS,
    SMALLEST,
    FontError,
    FontZoom,
    code_font,
    fit_dialog,
    fit_strip,
    load_fonts,
    scaled,
    show_as_code,
    show_bold,
)
from jitstudio.gui.listing.listing_view import ListingView

# ---- Letters as they are at the first start, whatever a test has made of them


@contextmanager
def usual_letters() -> Iterator[None]:
    """Put size and family back in the end; they are those of the whole application."""
    try:
        yield
    finally:
        LETTERS.set_zoom(1.0)
        LETTERS.set_family(CODE_FAMILY)


ANOTHER = "DejaVu Sans Mono"


@pytest.fixture(autouse=True)
def _usual_letters(qapp):
    with usual_letters():
        yield


def test_the_bundled_font_is_used_for_code(qapp):
    assert CODE_FAMILY in QFontDatabase.families()
    assert QFontInfo(code_font()).family() == CODE_FAMILY
    assert QFontInfo(code_font()).fixedPitch()
    assert code_font().pointSizeF() == DEFAULT_SIZE


def test_all_letters_are_equally_wide_in_bold_too(qapp):
    regular, bold = code_font(13), code_font(13)
    bold.setBold(True)
    widths = {QFontMetricsF(font).horizontalAdvance(c) for font in (regular, bold) for c in "i0W_"}
    assert len(widths) == 1


def test_code_has_no_ligatures(qapp):
    metrics = QFontMetricsF(code_font(20))
    assert metrics.horizontalAdvance("->") == pytest.approx(2 * metrics.horizontalAdvance("-"))
    assert all(code_font().featureValue(tag) == 0 for tag in code_font().featureTags())
    assert len(code_font().featureTags()) == 2


def test_loading_again_adds_nothing(qapp):
    before = QFontDatabase.families()
    load_fonts(qapp)
    assert QFontDatabase.families() == before


def test_a_file_that_is_no_font_is_named(qapp, tmp_path, monkeypatch):
    broken = tmp_path / "broken.woff2"
    broken.write_bytes(b"not a font")
    monkeypatch.setattr(fonts, "CODE_FAMILY", "Nothing of that name")
    monkeypatch.setattr(fonts, "resource", lambda _name: broken)
    with pytest.raises(FontError, match=r"broken\.woff2"):
        load_fonts(qapp)


def test_letters_of_all_widgets_scale_at_once(qapp, qtbot):
    words, code = QLabel("words"), QLineEdit("code")
    show_as_code(code, 9.5)
    for widget in (words, code):
        qtbot.addWidget(widget)
        # Where a style sheet is at work, Qt tells windows only of another font.
        widget.setStyleSheet("QLabel, QLineEdit { padding: 1px; }")
    usual = words.font().pointSizeF()
    LETTERS.set_zoom(1.5)
    assert words.font().pointSizeF() == pytest.approx(1.5 * usual)
    assert code.font().pointSizeF() == pytest.approx(1.5 * 9.5)
    assert QLabel().font().pointSizeF() == pytest.approx(1.5 * usual)
    LETTERS.set_zoom(2)
    LETTERS.set_zoom(1)
    assert words.font().pointSizeF() == usual
    assert code.font().pointSizeF() == 9.5


def test_letters_out_of_sight_follow_by_turns_and_are_measured_then(qtbot):
    """A window with all panes has ten widgets out of sight for each that is seen."""
    seen, strip = QLabel("seen"), QWidget()
    for widget in (seen, strip):
        qtbot.addWidget(widget)
        widget.setStyleSheet("QWidget { padding: 1px; }")
    fit_strip(strip)
    seen.show()
    usual = seen.font().pointSizeF()
    LETTERS.set_zoom(2)
    assert seen.font().pointSizeF() == 2 * usual
    assert strip.font().pointSizeF() == usual
    qtbot.waitUntil(lambda: not LETTERS.is_settling)
    assert strip.font().pointSizeF() == 2 * usual
    assert strip.minimumHeight() == strip.fontMetrics().height() + scaled(9)


def test_another_family_is_taken_at_once_and_one_that_is_gone_is_stood_in_for(qtbot):
    code = QLineEdit("code")
    qtbot.addWidget(code)
    show_as_code(code, 9.5)
    LETTERS.set_family(ANOTHER)
    assert code.font().families()[:2] == [ANOTHER, CODE_FAMILY]
    LETTERS.set_family("Nothing of that name")
    assert QFontInfo(code.font()).family() == CODE_FAMILY


def test_the_font_of_code_comes_back_where_qt_drops_it(qtbot):
    view = QWidget()
    qtbot.addWidget(view)
    code = QLineEdit("code", view)
    show_as_code(code, 9.5)
    # As Qt does below a style sheet, at another parent or theme.
    code.setFont(QFont())
    assert (code.font().families()[0], code.font().pointSizeF()) == (CODE_FAMILY, 9.5)
    LETTERS.set_zoom(2)
    code.setFont(QFont())
    assert code.font().pointSizeF() == 19
    LETTERS.set_zoom(1)


def test_whoever_is_gone_is_told_no_more(qtbot):
    code = QLineEdit("code")
    show_as_code(code, 9.5)
    code.deleteLater()
    qtbot.waitSignal(code.destroyed).wait()
    LETTERS.set_zoom(1.1)


CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
NONE, KEYPAD = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier


@pytest.fixture
def zoom(qapp):
    parent = QObject()
    yield FontZoom(parent)
    parent.deleteLater()


def key(name, modifiers=CTRL):
    return QKeyEvent(QEvent.Type.KeyPress, name, modifiers)


def wheel(turned, modifiers=CTRL):
    return QWheelEvent(
        QPointF(),
        QPointF(),
        QPoint(),
        QPoint(0, turned),
        Qt.MouseButton.NoButton,
        modifiers,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )


def test_the_size_stays_within_what_can_be_read(zoom, qtbot):
    zoom.set_size(1)
    assert zoom.size == SMALLEST
    zoom.set_size(1000)
    assert zoom.size == LARGEST
    with qtbot.assertNotEmitted(zoom.size_changed):
        zoom.step(1)


@pytest.mark.parametrize(
    ("name", "modifiers", "change"),
    [
        (Qt.Key.Key_Plus, CTRL, 1),
        (Qt.Key.Key_Equal, CTRL, 1),
        (Qt.Key.Key_Plus, CTRL | KEYPAD, 1),
        (Qt.Key.Key_Minus, CTRL, -1),
    ],
)
def test_keys_change_the_size(zoom, qtbot, name, modifiers, change):
    with qtbot.waitSignal(zoom.size_changed) as changed:
        assert zoom.take_key(key(name, modifiers))
    assert changed.args == [DEFAULT_SIZE + change]


@pytest.mark.parametrize(
    ("name", "modifiers"),
    [(Qt.Key.Key_Plus, NONE), (Qt.Key.Key_A, CTRL), (Qt.Key.Key_0, SHIFT), (0x419, CTRL)],
)
def test_other_keys_are_left_to_others(zoom, name, modifiers):
    assert not zoom.take_key(QKeyEvent(QEvent.Type.KeyPress, int(name), modifiers))
    assert zoom.size == DEFAULT_SIZE


def test_ctrl_0_goes_back(zoom):
    zoom.set_size(20)
    assert zoom.take_key(key(Qt.Key.Key_0))
    assert zoom.size == DEFAULT_SIZE


def test_small_turns_of_a_touchpad_add_up(zoom):
    for _ in range(3):
        assert zoom.take_wheel(wheel(50))
    assert zoom.size == DEFAULT_SIZE + 1
    # 30 of the last turn are left.
    assert zoom.take_wheel(wheel(-270))
    assert zoom.size == DEFAULT_SIZE - 1


def test_a_turn_without_ctrl_scrolls(zoom):
    assert not zoom.take_wheel(wheel(120, NONE))
    assert zoom.size == DEFAULT_SIZE


def _set_sheet(app, sheet):
    """Set a style sheet as the theme does: one that replaces another makes Qt look at widgets
    that it has kept the rules of, be they gone by then."""
    app.setStyleSheet("")
    app.setStyleSheet(sheet)


def test_letters_outlive_a_style_sheet_that_is_set_anew(qtbot, qapp):
    before = qapp.styleSheet()
    parent = QWidget()
    qtbot.addWidget(parent)
    label, field, listing = QLabel("x", parent), QLineEdit(parent), ListingView(parent)
    show_bold(label)
    show_as_code(field, 9.5)
    parent.show()
    try:
        _set_sheet(qapp, "QWidget { padding: 1px; }")
        LETTERS.set_zoom(1.5)
        sizes = [w.font().pointSizeF() for w in (label, field, listing)]
        height = listing.grid.height
        # As the theme does a moment after a zoom: Qt gives back the fonts from before the sheet.
        _set_sheet(qapp, "QWidget { padding: 2px; }")
        assert [w.font().pointSizeF() for w in (label, field, listing)] == sizes
        assert sizes[1:] == [9.5 * 1.5, DEFAULT_SIZE * 1.5]
        assert label.font().bold()
        assert listing.grid.height == height
    finally:
        _set_sheet(qapp, before)


def test_a_placeholder_has_the_letters_of_its_field_after_zooms(qtbot, qapp):
    before = qapp.styleSheet()
    parent = QWidget()
    qtbot.addWidget(parent)
    field = QPlainTextEdit(parent)
    show_as_code(field, 9.5)
    parent.show()
    try:
        for zoom, padding in ((1.0, 1), (1.75, 2), (1.25, 1), (1.1, 1), (1.0, 1)):
            LETTERS.set_zoom(zoom)
            sheet = f"QWidget {{ padding: {padding}px; }}"
            if qapp.styleSheet() != sheet:
                _set_sheet(qapp, sheet)
            assert field.viewport().font().pointSizeF() == field.font().pointSizeF() == 9.5 * zoom
    finally:
        _set_sheet(qapp, before)


def test_a_dialog_grows_from_the_size_that_the_user_gave_it(qtbot):
    dialog = QWidget()
    qtbot.addWidget(dialog)
    with usual_letters():
        fit_dialog(dialog, (200, 100))
        assert dialog.size() == QSize(200, 100)
        dialog.resize(240, 200)
        LETTERS.set_family(ANOTHER)
        assert dialog.size() == QSize(240, 200)
        LETTERS.set_zoom(1.5)
        assert dialog.size() == QSize(360, 300)
        # What the screen has no room for is there again.
        LETTERS.set_zoom(3.0)
        dialog.resize(2400, 600)
        fit = dialog.screen().availableSize()
        LETTERS.set_zoom(2.0)
        assert dialog.size().width() <= fit.width()
        LETTERS.set_zoom(0.75)
        assert dialog.size() == QSize(600, 150)
