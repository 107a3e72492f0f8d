import os

from PySide6.QtWidgets import QCheckBox, QDialogButtonBox, QLineEdit, QToolButton

from jitstudio.gui.features.build.export import ExportDialog
from jitstudio.gui.shell.status_line import StatusLine

# Compiled for minutes.
_ENDLESS = """
template <int N> __device__ int slow(int x) { return slow<N - 1>(x) + slow<N - 1>(x + N); }
template <> __device__ int slow<0>(int x) { return x; }
__global__ void k(int* p) { *p = slow<28>(*p); }
"""


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


def test_what_is_saved_is_built_while_edits_are_and_can_be_cancelled(started, tmp_path):
    started.files._dialogs.folder_for_results = lambda _folder: tmp_path / "nowhere"
    started.state.settings.auto_build = False
    text = started.editor.toPlainText()
    started.editor.setPlainText(_ENDLESS)
    started.trigger("exportAction")
    dialog = shown(started, ExportDialog)
    dialog.findChild(QDialogButtonBox).button(QDialogButtonBox.StandardButton.Save).click()
    status = started.find(StatusLine, "statusBar")
    cancel = started.find(QToolButton, "cancelBuild")
    started.wait(cancel.isVisible)
    assert status.state.startswith("Building what is to be saved, ")

    # The newer text is built at once, and the clock goes on for what is still built.
    edited = started.next_result(
        lambda: (started.editor.setPlainText(f"{text}// edited\n"), started.trigger("buildAction"))
    )
    assert edited.ok
    assert started.state.side_builds.current is not None
    started.wait(cancel.isVisible)
    assert status.state.startswith("Building what is to be saved, ")
    pid = started.state.side_service.worker_pid
    assert os.getpriority(os.PRIO_PROCESS, pid) > 0

    cancel.click()
    started.wait(lambda: started.state.side_builds.current is None)
    assert status.currentMessage() == "Nothing was saved. Build cancelled."
    assert status.state.startswith("Built in ")
    assert not cancel.isVisible()
    assert not (tmp_path / "nowhere").exists()


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
