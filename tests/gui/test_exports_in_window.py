"""The exports and imports of the File menu, as a user goes through them."""

import ast

from PySide6.QtWidgets import QApplication, QPushButton

from jitstudio.core.launch.device import SIMULATOR
from jitstudio.core.project.format import load
from jitstudio.export.compiler_explorer import project_from_link
from jitstudio.export.formats import FORMATS
from jitstudio.export.project_text import unpack
from jitstudio.gui.features.exports.controller import ExchangeController, ExportsController
from jitstudio.gui.features.exports.dialog import ExportAsDialog, ImportDialog
from jitstudio.gui.shell.notice_bar import NoticeBar
from tests.gui.driver import pause


def shown(driver, kind):
    driver.wait(lambda: any(d.isVisible() for d in driver.window.findChildren(kind)))
    return next(d for d in driver.window.findChildren(kind) if d.isVisible())


def controller(driver, kind):
    driver.builder.panes.install("exports")
    return driver.window.findChild(kind)


def notices(driver):
    return driver.find(NoticeBar, "noticeBar").text


def test_each_format_is_previewed_and_saved(started, tmp_path):
    started.state.launches.list_devices()
    started.wait(lambda: started.state.launches.device)
    started.trigger("exportAsAction")
    dialog = shown(started, ExportAsDialog)
    save, copy = (dialog.findChild(QPushButton, name) for name in ("exportSave", "exportCopy"))
    for one in FORMATS:
        dialog.choose(one.name)
        started.wait(save.isEnabled)
        assert copy.isEnabled() is one.is_text
        if not one.is_text:
            continue
        copy.click()
        text = QApplication.clipboard().text()
        assert text.startswith(dialog.code.toPlainText()[:200])
        if one.ending == ".py":
            ast.parse(text)
        if one.name == "command":
            # Without a GPU the simulator is chosen, and the command says so.
            device = started.state.launches.device
            assert ("--device sim" in text) is (device.ordinal == SIMULATOR)
    dialogs = controller(started, ExportsController)._dialogs
    dialogs.folder_for_results = lambda _folder: tmp_path
    dialog.choose("make")
    started.wait(save.isEnabled)
    save.click()
    assert {path.name for path in tmp_path.iterdir()} >= {"Makefile", "vector_add.cu"}
    # A report is offered to the browser, once it is there.
    dialogs.file_to_save = lambda _path: tmp_path / "report.html"
    dialog.choose("html")
    started.wait(save.isEnabled)
    save.click()
    assert (tmp_path / "report.html").read_text("utf-8").count('class="summary"') == 1
    assert started.window.findChild(QPushButton, "openInBrowser") is not None
    dialogs.file_to_save = lambda _path: tmp_path / "nowhere" / "x" / "k.py"
    (tmp_path / "nowhere").write_text("no folder")
    dialog.choose("cuda-core")
    started.wait(save.isEnabled)
    save.click()
    assert "cannot be written" in notices(started)
    dialog.close()


def test_an_export_that_is_chosen_while_another_is_made_takes_its_place(started):
    builds = started.state.side_builds
    controller(started, ExportsController)
    QApplication.clipboard().clear()

    def choose():
        if builds.current is None:
            builds.changed.disconnect(choose)
            started.trigger("exportAsAction")

    started.trigger("copyCompilerExplorerAction")
    builds.changed.connect(choose)
    dialog = shown(started, ExportAsDialog)
    pause(300)
    assert len(started.window.findChildren(ExportAsDialog)) == 1
    assert not QApplication.clipboard().text()
    dialog.close()


def test_a_link_is_made_and_imported_as_a_project(started, tmp_path):
    QApplication.clipboard().clear()
    started.trigger("copyCompilerExplorerAction")
    started.wait(lambda: QApplication.clipboard().text())
    link = QApplication.clipboard().text()
    assert project_from_link(link).project.modules[0].name == "vector_add.cu"
    exchange = controller(started, ExchangeController)
    exchange._dialogs.project_to_save = lambda path: tmp_path / path.name
    started.trigger("importAction")
    dialog = shown(started, ImportDialog)
    start = dialog.findChild(QPushButton, "importStart")
    assert not start.isEnabled()
    dialog.link.setPlainText(link)
    start.click()
    started.wait(lambda: started.state.project.path is not None)
    assert started.state.project.path.name == "vector_add.jitproj"
    assert started.state.project.standing.trusted is False
    assert "vector_add" in started.editor.toPlainText()
    assert load(started.state.project.path.read_bytes()).modules[0].text is not None


def test_a_project_goes_through_the_clipboard(started, tmp_path):
    clipboard = QApplication.clipboard()
    clipboard.clear()
    started.trigger("copyProjectTextAction")
    started.wait(clipboard.text)
    project = unpack(clipboard.text())
    assert project.current == "vector_add.cu"
    assert started.editor.toPlainText() in {member.text for member in project.modules}
    controller(started, ExchangeController)._dialogs.project_to_save = lambda path: (
        tmp_path / path.name
    )
    started.trigger("openClipboardAction")
    started.wait(lambda: started.state.project.path is not None)
    assert started.editor.toPlainText() == project.modules[0].text
    for text, said in (
        ("jitstudio-project:1:0:broken", "not a project"),
        ("https://godbolt.org/z/1", "short link"),
        ("hello", "not a link"),
    ):
        clipboard.setText(text)
        started.trigger("openClipboardAction")
        started.wait(lambda said=said: said in notices(started))
