"""Builds beside the panes, in a real window with a real worker."""

from PySide6.QtWidgets import QCheckBox, QDialogButtonBox, QLineEdit, QPushButton

from jitstudio.core.request import LinkMode
from jitstudio.gui.features.compare.model import Matter
from jitstudio.gui.features.variants.comparison_dialog import ComparisonDialog
from jitstudio.gui.features.variants.export_dialog import ExportDialog


def shown(driver, kind):
    driver.wait(lambda: any(d.isVisible() for d in driver.window.findChildren(kind)))
    return next(d for d in driver.window.findChildren(kind) if d.isVisible())


def test_both_links_side_by_side(started):
    started.open_sample("Link by PTX or LTO")
    before = started.listing("sassView").toPlainText()
    started.find(QPushButton, "compareLinks").click()
    dialog = shown(started, ComparisonDialog)
    figures = {(f.subject, f.name): (f.ptx, f.lto) for f in dialog.model.rows}
    called, inlined = figures["apply_transform", "instructions"]
    assert 0 < inlined < called
    assert dialog.problem == ""
    # What the panes show is left alone.
    assert started.listing("sassView").toPlainText() == before
    dialog.close()


def test_a_link_that_fails_says_why_beside_the_other(started):
    started.open_sample("Link by PTX or LTO")
    document = started.state.documents.named("user_transform.cu")
    started.next_result(lambda: setattr(document, "included", False))
    started.trigger("compareLinksAction")
    dialog = shown(started, ComparisonDialog)
    assert "PTX link: Build failed" in dialog.problem
    assert "user_transform" in dialog.problem
    assert not dialog.findChild(QPushButton, "showDifferences").isEnabled()
    dialog.close()


def compare(driver, matter):
    view = driver.pane("compare")
    view.matters.setCurrentIndex(view.matters.findData(matter))
    driver.wait(lambda: view.compared is not None and view.compared.matter is matter)


def test_the_differences_of_both_links_are_one_click_away(started):
    started.open_sample("Link by PTX or LTO")
    started.state.settings.auto_build = False
    started.trigger("compareLinksAction")
    shown(started, ComparisonDialog).findChild(QPushButton, "showDifferences").click()
    view = started.pane("compare")
    for matter in (Matter.SASS, Matter.PTX):
        compare(started, matter)
        assert any("user_transform" in line for line in view.compared.left.lines)
        assert not any("user_transform" in line for line in view.compared.right.lines)
    assert view.baselines.currentText() == "PTX link, sm_90"
    assert started.state.settings.link is LinkMode.LTO


def test_nothing_ticked_is_told(started):
    started.state.settings.auto_build = False
    started.document.included = False
    started.trigger("compareLinksAction")
    assert "tick at least one module" in started.shell.notices.text


def test_other_kinds_can_be_built_and_saved(started, tmp_path):
    folder = tmp_path / "saved"
    folder.mkdir()
    started.files._dialogs.folder_for_results = lambda _folder: folder
    started.trigger("exportAction")
    dialog = shown(started, ExportDialog)
    for box in dialog.findChildren(QCheckBox):
        box.setChecked(box.text().startswith(("LTO-IR", "PTX")))
    dialog.findChild(QDialogButtonBox).button(QDialogButtonBox.StandardButton.Save).click()
    started.wait(lambda: len(list(folder.iterdir())) == 2)
    assert sorted(path.name for path in folder.iterdir()) == ["vector_add.ltoir", "vector_add.ptx"]


def test_the_export_dialog_refuses_what_makes_no_sense(qtbot, started):
    started.trigger("exportAction")
    dialog = shown(started, ExportDialog)
    save = dialog.findChild(QDialogButtonBox).button(QDialogButtonBox.StandardButton.Save)
    assert save.isEnabled()
    for box in dialog.findChildren(QCheckBox):
        box.setChecked(box.text().startswith("fatbin"))
    targets = dialog.findChild(QLineEdit, "fatTargets")
    for text, good in (("sm_80, sm_90", True), ("", False), ("pentium", False), ("sm_90a", True)):
        targets.setText(text)
        assert save.isEnabled() is good, text
    assert [arch.sm for arch in dialog.fat_archs] == ["sm_90a"]
    dialog.close()
