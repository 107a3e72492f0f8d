import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QPalette, QStandardItemModel
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QStyle, QStyleOptionViewItem

from jitstudio.gui.features.problems.view import ProblemsModel
from jitstudio.gui.kit.presentation import MARK_ROLE, MUTED_ROLE, SORT_ROLE, TableColumn
from jitstudio.gui.kit.tables import ENTER_KEYS, MarkDelegate, PanelTable, RowsModel
from jitstudio.gui.kit.theme import palette
from tests.gui.results import DIAGNOSTICS

H = Qt.Orientation.Horizontal
CONTROL = Qt.KeyboardModifier.ControlModifier
KEYPAD = Qt.KeyboardModifier.KeypadModifier


@pytest.fixture
def table(qtbot):
    table = PanelTable("Problems")
    model = ProblemsModel(table)
    model.set_diagnostics(DIAGNOSTICS)
    table.setModel(model)
    table.set_columns(stretched=0, widths={1: 20, 2: 2})
    qtbot.addWidget(table)
    table.resize(800, 200)
    table.show()
    return table


def is_claimed(widget, key, modifiers=Qt.KeyboardModifier.NoModifier):
    event = QKeyEvent(QEvent.Type.ShortcutOverride, key, modifiers)
    event.ignore()
    QApplication.sendEvent(widget, event)
    return event.isAccepted()


def test_has_a_name_for_screen_readers(table):
    table.set_hint("No problems")
    assert table.accessibleName() == "Problems"
    # It has rows: only an empty one says why.
    assert table.model().rowCount() > 0
    assert table.accessibleDescription() == ""
    table.model().clear()
    assert table.accessibleDescription() == "No problems"


@pytest.mark.parametrize(
    ("key", "modifiers"),
    [
        (Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier),
        (Qt.Key.Key_Enter, KEYPAD),
    ],
)
def test_enter_on_either_side_of_the_keyboard_does_its_command(table, key, modifiers):
    done = []
    table.add_command("&Go", lambda: done.append("go"), *ENTER_KEYS)
    QTest.keyClick(table, key, modifiers)
    assert done == ["go"]
    assert is_claimed(table, key, modifiers)


def test_a_disabled_command_does_nothing(table):
    done = []
    command = table.add_command("&Remove", lambda: done.append("remove"), "Del")
    command.setEnabled(False)
    QTest.keyClick(table, Qt.Key.Key_Delete)
    command.setEnabled(True)
    assert done == []
    QTest.keyClick(table, Qt.Key.Key_Delete)
    assert done == ["remove"]


@pytest.mark.parametrize("held", ["NoModifier", "ShiftModifier", "ControlModifier"])
def test_the_program_selects_one_row_whatever_keys_are_held(table, held):
    table.setSelectionMode(PanelTable.SelectionMode.ExtendedSelection)
    # Qt believes them held until the next event, as after the shortcut of a command.
    QTest.keyPress(table, Qt.Key.Key_F8, Qt.KeyboardModifier[held])
    for row in (1, 0):
        table.selectRow(row)
        assert [index.row() for index in table.selectionModel().selectedRows()] == [row]
        assert table.currentIndex().row() == row


def test_rows_are_added_to_what_is_selected_by_keys(table):
    table.setSelectionMode(PanelTable.SelectionMode.ExtendedSelection)
    table.selectRow(0)
    QTest.keyClick(table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert [index.row() for index in table.selectionModel().selectedRows()] == [0, 1]


def test_other_keys_belong_to_the_window(table):
    table.add_command("&Copy", lambda: None, "Ctrl+C")
    assert is_claimed(table, Qt.Key.Key_C, CONTROL)
    assert not is_claimed(table, Qt.Key.Key_B, CONTROL)
    assert not is_claimed(table, Qt.Key.Key_Delete)


def test_the_context_menu_lists_the_commands_with_their_keys(table):
    table.add_command("&Copy", lambda: None, "Ctrl+C")
    (command,) = table.actions()
    assert table.contextMenuPolicy() == Qt.ContextMenuPolicy.ActionsContextMenu
    assert command.shortcut() == QKeySequence("Ctrl+C")
    assert command.isShortcutVisibleInContextMenu()


def test_arrows_move_and_tab_leaves(table):
    table.setCurrentIndex(table.model().index(0, 0))
    QTest.keyClick(table, Qt.Key.Key_Down)
    assert table.currentIndex().row() == 1
    assert not table.tabKeyNavigation()


def test_no_title_is_clipped(table):
    header = table.horizontalHeader()
    assert header.sectionSize(2) >= header.sectionSizeHint(2)


def test_narrow_tables_leave_columns_out(table):
    hidden = lambda: [n for n in range(5) if table.isColumnHidden(n)]  # noqa: E731
    table.hide_when_narrow(3, 4)
    seen = []
    for width in (900, *range(600, 100, -10), 900):
        table.resize(width, 200)
        if hidden() not in seen[-1:]:
            seen.append(hidden())
    # One by one, the last first; and all of them are back.
    assert seen == [[], [4], [3, 4], []]


def test_columns_keep_their_share_when_letters_grow_and_shrink(table, qtbot):
    table.hide_when_narrow(1, 2)
    header, usual = table.horizontalHeader(), table.font()
    table.resize(1200, 200)
    before = [header.sectionSize(n) for n in range(1, 5)]
    large = table.font()
    large.setPointSizeF(usual.pointSizeF() * 2)
    table.setFont(large)
    qtbot.waitUntil(lambda: header.sectionSize(1) > 1.8 * before[0])
    # What is hidden meanwhile comes back as wide as it was.
    table.resize(200, 200)
    assert header.isSectionHidden(1)
    table.setFont(usual)
    qtbot.waitUntil(lambda: header.sectionSize(3) == before[2])
    table.resize(1200, 200)
    after = [header.sectionSize(n) for n in range(1, 5)]
    assert after == pytest.approx(before, abs=4)


def test_the_hint_is_drawn_while_there_are_no_rows(table):
    rows = table.grab().toImage()
    table.set_hint("Why there are none")
    assert table.grab().toImage() == rows
    table.model().clear()
    with_hint = table.grab().toImage()
    table.set_hint("")
    assert with_hint != table.grab().toImage()


def test_rows_grow_with_the_font(table):
    before = table.verticalHeader().defaultSectionSize()
    font = table.font()
    font.setPointSizeF(font.pointSizeF() * 2)
    table.setFont(font)
    assert table.verticalHeader().defaultSectionSize() > before


class _Delegate(MarkDelegate):
    """Shows what the style would be told."""

    def option(self, index, theme, selected):
        option = QStyleOptionViewItem()
        option.palette = palette(theme)
        if selected:
            option.state |= QStyle.StateFlag.State_Selected
        self.initStyleOption(option, index)
        return option


@pytest.fixture
def one_cell():
    return QStandardItemModel(1, 1)


@pytest.fixture
def index(one_cell):
    return one_cell.index(0, 0)


@pytest.fixture
def delegate(table):
    return _Delegate(table)


def drawn_color(option):
    image = option.icon.pixmap(32, 32).toImage()
    pixels = (image.pixelColor(x, y) for x in range(32) for y in range(32))
    return next(color.name() for color in pixels if color.alpha() == 255)


@pytest.mark.parametrize("mark", ["error", "warning", "info", "success"])
def test_a_mark_is_drawn_in_its_colour(delegate, theme, index, mark):
    index.model().setData(index, mark, MARK_ROLE)
    option = delegate.option(index, theme, selected=False)
    assert option.features & QStyleOptionViewItem.ViewItemFeature.HasDecoration
    assert drawn_color(option) == getattr(theme.marks, mark).name()


def test_a_mark_can_be_made_out_on_a_selected_row(delegate, theme, index):
    index.model().setData(index, "error", MARK_ROLE)
    option = delegate.option(index, theme, selected=True)
    assert drawn_color(option) == theme.ui.highlight_text.name()


def test_hints_are_muted_unless_selected(delegate, theme, index):
    index.model().setData(index, True, MUTED_ROLE)
    plain = delegate.option(index, theme, selected=False)
    selected = delegate.option(index, theme, selected=True)
    assert plain.palette.color(QPalette.ColorRole.Text) == theme.ui.muted_text
    assert selected.palette.color(QPalette.ColorRole.Text) == theme.ui.text


def test_a_cell_without_roles_is_plain(delegate, theme, index):
    option = delegate.option(index, theme, selected=False)
    assert not option.features & QStyleOptionViewItem.ViewItemFeature.HasDecoration
    assert option.icon.isNull()


COLUMNS = (
    TableColumn("Word", str),
    TableColumn("Length", lambda w: str(len(w)), sort_key=len, number=True),
)


@pytest.fixture
def model():
    model = RowsModel(COLUMNS)
    model.set_rows(("one", "three"))
    return model


def test_is_a_sound_model(model, qtmodeltester):
    qtmodeltester.check(model)


def test_shows_what_the_columns_say(model):
    assert [model.index(1, c).data() for c in range(2)] == ["three", "5"]
    assert model.index(1, 1).data(SORT_ROLE) == 5
    horizontal = Qt.Orientation.Horizontal
    assert [model.headerData(c, horizontal) for c in range(2)] == ["Word", "Length"]
    assert model.headerData(2, horizontal) is None


def test_the_same_rows_again_change_nothing(model, qtbot):
    with qtbot.assertNotEmitted(model.modelReset):
        model.set_rows(("one", "three"))
    with qtbot.waitSignal(model.modelReset):
        model.set_rows(())
    assert model.rowCount() == 0
