from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox, QWidget

from jitstudio.gui.kit.dialogs import ChangedFile, Dialogs, UnsavedChoice
from jitstudio.gui.shell.commands.actions import ACTIONS

BUTTON = QMessageBox.StandardButton
OWN_DIALOGS = Qt.ApplicationAttribute.AA_DontUseNativeDialogs


@pytest.fixture
def dialogs(qtbot):
    # The offscreen platform has no dialogs of its own, but another one may.
    QApplication.setAttribute(OWN_DIALOGS)
    window = QWidget()
    qtbot.addWidget(window)
    yield Dialogs(window)
    QApplication.setAttribute(OWN_DIALOGS, False)


def answer(act):
    """Do this with the dialog as soon as it is open; the texts in it come back."""
    texts = []

    def act_on_dialog():
        dialog = QApplication.activeModalWidget()
        texts.append(dialog.text() if isinstance(dialog, QMessageBox) else dialog.windowTitle())
        act(dialog)

    QTimer.singleShot(0, act_on_dialog)
    return texts


@pytest.mark.parametrize(
    ("button", "expected"),
    [
        (BUTTON.Save, UnsavedChoice.SAVE),
        (BUTTON.Discard, UnsavedChoice.DISCARD),
        (BUTTON.Cancel, UnsavedChoice.KEEP_OPEN),
    ],
)
def test_unsaved_text_is_asked_about_by_name(dialogs, button, expected):
    texts = answer(lambda box: box.button(button).click())
    assert dialogs.about_unsaved("kernel.cu") is expected
    assert texts == ["'kernel.cu' has changes that are in no file. Save them first?"]


@pytest.mark.parametrize(
    ("problem", "word", "text"),
    [
        ("the disk is full", "Discard", "Unsaved text cannot be kept for the next start: the disk"),
        ("", "Quit Without Saving", "The home folder cannot be written to. The changes in these"),
    ],
)
def test_text_that_cannot_be_kept_is_asked_about(dialogs, problem, word, text):
    texts = answer(lambda box: next(b for b in box.buttons() if b.text() == word).click())
    assert dialogs.about_unkept(["k.cu"], problem) is UnsavedChoice.DISCARD
    assert texts[0].startswith(text)


def test_escape_keeps_the_tab_open(dialogs):
    answer(lambda box: QTest.keyClick(box, Qt.Key.Key_Escape))
    assert dialogs.about_unsaved("kernel.cu") is UnsavedChoice.KEEP_OPEN


@pytest.mark.parametrize(
    ("word", "expected"),
    [("Replace", ChangedFile.REPLACE), ("Save As…", ChangedFile.SAVE_AS)],
)
def test_a_file_that_has_changed_is_replaced_or_left(dialogs, word, expected):
    def press(box):
        next(button for button in box.buttons() if button.text() == word).click()

    texts = answer(press)
    assert dialogs.about_changed_file(Path("/k.cu")) is expected
    assert texts == ["Another program has changed '/k.cu' since it was read. Replace it?"]


def test_escape_leaves_a_changed_file_as_it_is(dialogs):
    answer(lambda box: QTest.keyClick(box, Qt.Key.Key_Escape))
    assert dialogs.about_changed_file(Path("/k.cu")) is ChangedFile.LEAVE


@pytest.mark.parametrize(("button", "expected"), [(BUTTON.Yes, True), (BUTTON.No, False)])
def test_a_new_encoding_is_asked_for_with_the_reason(dialogs, button, expected):
    texts = answer(lambda box: box.button(button).click())
    assert dialogs.may_save_as_utf_8("k.cu", "Latin-1 has no →") is expected
    assert texts == ["'k.cu' cannot be saved as it was: Latin-1 has no →. Save it as UTF-8?"]


@pytest.mark.parametrize(("button", "expected"), [(BUTTON.Yes, True), (BUTTON.No, False)])
def test_files_that_would_be_lost_are_named(dialogs, button, expected):
    texts = answer(lambda box: box.button(button).click())
    assert dialogs.may_replace([f"k{n}.ptx" for n in range(8)], Path("/out")) is expected
    (text,) = texts
    assert text == (
        "'/out' holds these files already: k0.ptx, k1.ptx, k2.ptx, k3.ptx, k4.ptx, and 3 more. "
        "Replace them?"
    )


def test_files_are_replaced_by_no_slip_of_the_finger(dialogs):
    defaults = []
    answer(lambda box: (defaults.append(box.defaultButton().text()), box.reject()))
    assert not dialogs.may_replace(["k.ptx"], Path("/out"))
    assert defaults == ["&No"]


def test_files_to_open_are_those_that_jitstudio_knows(dialogs, tmp_path):
    (tmp_path / "k.cu").write_bytes(b"")
    filters = []

    def choose(dialog: QFileDialog):
        filters.extend(dialog.nameFilters())
        dialog.selectFile(str(tmp_path / "k.cu"))
        dialog.accept()

    titles = answer(choose)
    assert dialogs.files_to_open(str(tmp_path)) == [tmp_path / "k.cu"]
    assert titles == ["Open"]
    assert filters[0].startswith("CUDA code and projects (*.cu *.cuh *.py *.ll ")


def test_a_place_to_save_is_proposed(dialogs, tmp_path):
    titles = answer(lambda dialog: dialog.accept())
    assert dialogs.file_to_save(tmp_path / "k.cu") == tmp_path / "k.cu"
    assert titles == ["Save as"]


def test_a_project_gets_its_ending(dialogs, tmp_path):
    titles = answer(lambda dialog: (dialog.selectFile("mine"), dialog.accept()))
    assert dialogs.project_to_save(tmp_path / "p.jitproj") == tmp_path / "mine.jitproj"
    assert titles == ["Save project as"]


def test_a_project_is_proposed_and_chosen(dialogs, tmp_path):
    answer(lambda dialog: dialog.accept())
    assert dialogs.project_to_save(tmp_path / "p.jitproj") == tmp_path / "p.jitproj"
    (tmp_path / "p.jitproj").write_bytes(b"")
    answer(lambda dialog: (dialog.selectFile(str(tmp_path / "p.jitproj")), dialog.accept()))
    assert dialogs.project_to_open(str(tmp_path)) == tmp_path / "p.jitproj"


def test_one_question_is_about_all_that_is_unsaved(dialogs):
    texts = answer(lambda box: box.button(BUTTON.Cancel).click())
    assert dialogs.about_all_unsaved(["p.jitproj", "a.cu"]) is UnsavedChoice.KEEP_OPEN
    assert texts == ["These have changes that are in no file: p.jitproj, a.cu. Save them first?"]


def test_a_folder_is_chosen_for_results(dialogs, tmp_path):
    titles = answer(lambda dialog: (dialog.selectFile(str(tmp_path)), dialog.accept()))
    assert dialogs.folder_for_results(str(tmp_path)) == tmp_path
    # As the command that asks is called.
    command = next(spec for spec in ACTIONS if spec.id == "saveOutputsAction")
    assert titles == [command.text.replace("&", "").removesuffix("…")]


@pytest.mark.parametrize(
    ("ask", "nothing"),
    [
        (lambda dialogs: dialogs.files_to_open(""), []),
        (lambda dialogs: dialogs.file_to_save(Path("k.cu")), None),
        (lambda dialogs: dialogs.folder_for_results(""), None),
        (lambda dialogs: dialogs.project_to_open(""), None),
        (lambda dialogs: dialogs.project_to_save(Path("p.jitproj")), None),
    ],
)
def test_thinking_better_of_it_is_an_answer(dialogs, ask, nothing):
    answer(lambda dialog: dialog.reject())
    assert ask(dialogs) == nothing


def test_a_name_that_looks_like_html_is_shown_as_it_is(dialogs):
    name = "<img src='/dev/zero'><b>k</b>.cu"
    formats = []

    def see(box):
        formats.append(box.textFormat())
        QTest.keyClick(box, Qt.Key.Key_Escape)

    asked = (
        lambda: dialogs.about_unsaved(name),
        lambda: dialogs.about_all_unsaved([name]),
        lambda: dialogs.about_changed_file(Path(name)),
        lambda: dialogs.may_save_as_utf_8(name, name),
        lambda: dialogs.may_replace([name], Path(name)),
    )
    for ask in asked:
        texts = answer(see)
        ask()
        assert name in texts[0]
    assert formats == [Qt.TextFormat.PlainText] * len(asked)
