from PySide6.QtWidgets import QCheckBox, QDialogButtonBox, QLineEdit

from jitstudio.gui.features.build.export import ExportDialog


def shown(driver, kind):
    driver.wait(lambda: any(d.isVisible() for d in driver.window.findChildren(kind)))
    return next(d for d in driver.window.findChildren(kind) if d.isVisible())


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
