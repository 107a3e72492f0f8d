import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QToolButton

from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind
from jitstudio.core.library import CodePiece, LibraryKernel, LibraryListing, ListingProgress
from jitstudio.core.result import Resources
from jitstudio.gui.features.library.view import LibraryView

PIECES = (
    CodePiece(CodeKind.CUBIN, Arch(80), "a/l.so", ".nv_fatbin", 64, 0),
    CodePiece(CodeKind.CUBIN, Arch(100), "a/l.so", ".nv_fatbin", 64, 1),
    CodePiece(CodeKind.PTX, Arch(100), "a/l.so", ".nv_fatbin", 64, 2),
)
NAMES = {"_Z5scaleIfEvPT_": "void scale<float>(float*)", "sum": "sum"}
LISTING = LibraryListing(
    PIECES,
    tuple(
        LibraryKernel(
            name,
            shown,
            number,
            None if number == 2 else 128 * (number + 1),
            Resources() if number == 2 else Resources(registers=9 + number, stack_bytes=0),
        )
        for number in range(3)
        for name, shown in NAMES.items()
    ),
    ("Something is left out.",),
)


@pytest.fixture
def view(qtbot, light, tmp_path):
    view = LibraryView()
    qtbot.addWidget(view)
    view.resize(1200, 300)
    view.show()
    view.begin(tmp_path / "lib.whl")
    return view


@pytest.fixture
def listed(view, qtbot):
    with qtbot.waitSignal(view.model.filtered):
        view.show_listing(LISTING)
    return view


def names(view):
    return [(row.kernel.name, row.piece.target) for row in view.model.rows]


def test_a_file_that_is_read_says_how_far_it_is_and_can_be_stopped(view, qtbot):
    stop = view.findChild(QToolButton)
    assert not stop.isHidden()
    view.show_progress(ListingProgress(1234, "a/l.so"))
    assert view.status == "Reading: 1,234 kernels so far"
    assert view.table.hint == "Reading lib.whl…\n1,234 kernels so far, now in a/l.so"
    with qtbot.waitSignal(view.stop_wanted):
        QTest.keyClick(view, Qt.Key.Key_Escape)
    view.show_failure("It holds no code.")
    assert stop.isHidden()
    assert view.table.hint == "It holds no code."


def test_all_kernels_of_all_targets_are_there_with_what_is_left_out(listed):
    assert len(names(listed)) == 6
    assert listed.status == "6 of 6 kernels in lib.whl"
    targets = [listed.targets.itemText(n) for n in range(listed.targets.count())]
    assert targets == ["All targets", "sm_80", "sm_100", "compute_100"]
    assert listed.findChild(QLabel, "libraryNotes").text() == "Something is left out."
    cells = [listed.model.index(0, column).data() for column in range(4)]
    assert cells == ["scale<float>(float*)", "sm_80", "9", "0"]
    assert listed.model.index(0, 0).data(Qt.ItemDataRole.ToolTipRole).count("void scale") == 1


def test_parts_of_a_name_and_a_target_choose_kernels(listed, qtbot):
    with qtbot.waitSignal(listed.model.filtered):
        listed.field.setText("FLOAT sca")
    assert {name for name, _ in names(listed)} == {"_Z5scaleIfEvPT_"}
    with qtbot.waitSignal(listed.model.filtered):
        listed.targets.setCurrentText("sm_100")
    assert names(listed) == [("_Z5scaleIfEvPT_", "sm_100")]
    assert listed.status == "1 of 6 kernels in lib.whl"
    with qtbot.waitSignal(listed.model.filtered):
        listed.field.setText("nothing like it")
    assert listed.table.hint == "No kernel has such a name for this target."


def test_columns_sort_and_a_third_click_brings_the_order_of_the_file_back(listed, qtbot):
    before = names(listed)
    for column, wanted in (
        (1, ["sm_100", "compute_100", "sm_80"]),
        (2, ["sm_100", "sm_80", "compute_100"]),
    ):
        with qtbot.waitSignal(listed.model.filtered):
            listed.table.sortByColumn(column, Qt.SortOrder.DescendingOrder)
        assert list(dict.fromkeys(target for _, target in names(listed))) == wanted
    with qtbot.waitSignal(listed.model.filtered):
        listed.table.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
    assert names(listed) == before


def shown(view):
    header = view.table.horizontalHeader()
    places = sorted(range(header.count()), key=header.visualIndex)
    return [
        view.model.headerData(n, Qt.Orientation.Horizontal)
        for n in places
        if not header.isSectionHidden(n)
    ]


def test_a_folder_has_columns_of_its_own_and_keeps_what_is_chosen_when_it_grows(view, qtbot):
    view.resize(2000, 300)
    pieces = [
        CodePiece(CodeKind.CUBIN, Arch(n), f"{n}/k.cubin", "", 0, -1, False, "CuPy", "/a/k.py:2", n)
        for n in (80, 90)
    ]
    kernels = [LibraryKernel("k", "k", n, 1, Resources()) for n in range(2)]
    first = LibraryListing(tuple(pieces[:1]), tuple(kernels[:1]), (), ("", "80"))
    with qtbot.waitSignal(view.model.filtered):
        view.show_listing(first)
    assert shown(view)[:5] == ["Kernel", "Target", "Date", "Made by", "Source"]
    assert view.model.rows[0].piece.date == 80
    view.targets.setCurrentText("sm_80")
    view.field.setText("k")
    view.table.selectRow(0)
    both = LibraryListing(tuple(pieces[::-1]), tuple(kernels), (), ("", "80", "90"))
    with qtbot.waitSignal(view.model.filtered):
        view.update_listing(both)
    assert (view.targets.currentText(), view.field.text()) == ("sm_80", "k")
    with qtbot.waitSignal(view.model.filtered):
        view.targets.setCurrentIndex(0)
    with qtbot.waitSignal(view.model.filtered):
        view.field.setText("cupy K.PY")
    assert len(view.model.rows) == 2
    view.table.selectRow(1)
    with qtbot.waitSignal(view.model.filtered):
        view.update_listing(first)
    (index,) = view.table.selectionModel().selectedRows()
    assert (index.row(), view.model.rows[0].piece.target) == (0, "sm_80")
    with qtbot.waitSignal(view.model.filtered):
        view.show_listing(LISTING)
    assert shown(view)[:3] == ["Kernel", "Target", "Registers"]
    assert "Source" not in shown(view)


def test_enter_opens_and_copies_have_all_names(listed, qtbot):
    QTest.keyClick(listed.field, Qt.Key.Key_Down)
    assert listed.table.hasFocus()
    with qtbot.waitSignal(listed.kernel_activated) as opened:
        QTest.keyClick(listed.table, Qt.Key.Key_Return)
    assert opened.args[0].kernel.name == "_Z5scaleIfEvPT_"
    QTest.keyClick(listed.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "_Z5scaleIfEvPT_"
    listed.copy_all()
    lines = QGuiApplication.clipboard().text().split("\n")
    assert lines[0].split("\t")[:4] == ["name", "demangled", "target", "member"]
    assert len(lines) == 7
