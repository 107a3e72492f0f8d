"""The menus of editors, listings, tables and pictures: what can be done where they are opened."""

import shlex

import pytest
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu

from jitstudio.cli.arguments import command_line
from jitstudio.commands.launch_spec import spec_from
from jitstudio.core.code import CodeKind
from jitstudio.gui.kit.tables import PanelTable
from tests.gui.driver import pause


def open_menu(widget):
    """The menu that the key for it opens, at the cursor."""
    place = widget.rect().center()
    keyboard = QContextMenuEvent.Reason.Keyboard
    QApplication.sendEvent(widget, QContextMenuEvent(keyboard, place, widget.mapToGlobal(place)))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


def close(menu):
    """Without a window manager no window is active after a menu."""
    window = menu.parentWidget().window()
    menu.hide()
    menu.close()
    pause(0)
    window.activateWindow()
    pause(0)


def choose(menu, name):
    """As a click does: the menu is gone before its command is carried out."""
    command = menu.parentWidget().window().frame.actions[name]
    assert named(menu)[name].isEnabled()
    close(menu)
    command.trigger()


def named(menu):
    return {a.objectName().removesuffix("Here"): a for a in menu.actions() if a.objectName()}


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_menus_lead_from_text_to_text_and_take_it_away(started, tmp_path):
    driver, panes = started, started
    path = tmp_path / "my saxpy.cu"
    path.write_text(driver.editor.toPlainText())
    driver.next_result(lambda: driver.files.open_paths([path]))
    editor, ptx, sass = driver.editor, driver.listing("ptxView"), driver.listing("sassView")
    panes.shell.layout.bring_up(panes.listings[CodeKind.SASS])
    driver.wait(lambda: driver.state.correlations.tied is not None)
    text = editor.toPlainText().splitlines()
    body = next(n for n, line in enumerate(text, 1) if "a[i] + b" in line)

    # The editor: from the line of the sum to its code, and not from an empty one.
    editor.setFocus()
    editor.go_to(body, text[body - 1].index("+") + 1)
    menu = open_menu(editor)
    entries = named(menu)
    assert entries["showInSassAction"].isEnabled()
    assert entries["showInPtxAction"].isEnabled()
    assert {"edit-copy", "select-all"} & entries.keys(), "what every text field has"
    choose(menu, "showInSassAction")
    pause(0)
    assert sass.hasFocus()
    made = driver.state.correlations.of_source(driver.document, body - 1)
    assert sass.line - 1 == made.sass[0]
    editor.setFocus()
    editor.go_to(text.index("") + 1 if "" in text else len(text))
    menu = open_menu(editor)
    assert not named(menu)["showInSassAction"].isEnabled()
    close(menu)

    # SASS: its opcode is explained, its line is in PTX and in the source, but not in itself.
    sass.setFocus()
    line = next(n for n, row in enumerate(sass.text.lines) if "FADD" in row)
    sass.go_to(line + 1)
    sass.caret.set_place((line, sass.text.lines[line].index("FADD") + 1))
    menu = open_menu(sass)
    entries = named(menu)
    enabled = {name for name, action in entries.items() if action.isEnabled()}
    assert {
        "showInSourceAction",
        "showInPtxAction",
        "explainAction",
        "copyPictureAction",
    } <= enabled
    assert "showInSassAction" not in enabled
    choose(menu, "showInPtxAction")
    assert ptx.hasFocus()
    assert ptx.line - 1 in next(iter(made.ptx.values()))
    driver.trigger("showInSourceAction")
    assert (driver.document.path, driver.editor.position()[0]) == (path, body)

    # A kernel of the table; pinned, as a picture and as a command.
    panes.shell.layout.bring_up(panes.pane("kernels"))
    table = panes.pane("kernels").table
    table.selectRow(0)
    offered = {action.text().replace("&", ""): action for action in table.actions()}
    offered["Show in PTX"].trigger()
    assert ptx.hasFocus()
    assert "vector_add" in ptx.text.lines[ptx.line - 1]
    offered["Pin as baseline"].trigger()
    assert len(driver.state.baselines.items) == 1
    panes.shell.layout.bring_up(panes.pane("kernels"))
    driver.trigger("copyPictureAction")
    assert QApplication.clipboard().image().size() == (
        panes.pane("report").size() * panes.pane("report").devicePixelRatioF()
    )
    driver.trigger("copyCommandAction")
    words = shlex.split(QApplication.clipboard().text())
    arch = driver.state.settings.arch.sm
    assert words == ["jitstudio", "build", str(path), "--arch", arch]
    form = driver.launch_form()
    driver.wait(lambda: form.form is not None)
    driver.trigger("copyRunCommandAction")
    program, *words = shlex.split(QApplication.clipboard().text())
    assert (program, words[:2]) == ("jitstudio", ["run", str(path)])
    assert spec_from(command_line(words).options) == form.spec()
    driver.trigger("copySweepCommandAction")
    words = shlex.split(QApplication.clipboard().text())
    assert words[1] == "sweep"
    assert "--axis=block=64, 128, 256, 512" in words
    offered = {
        a.objectName() for t in panes.pane("launch").findChildren(PanelTable) for a in t.actions()
    }
    assert "copyRunCommandAction" in offered
    # What is in no file no command can name.
    driver.trigger("newCudaAction")
    QApplication.clipboard().setText("")
    driver.trigger("copyCommandAction")
    assert QApplication.clipboard().text() == ""
    assert driver.document.name in panes.shell.notices.text

    # The graph.
    driver.state.documents.current = driver.state.documents.at_path(path)
    driver.settle()
    panes.shell.layout.bring_up(panes.pane("graph"))
    driver.wait(lambda: panes.pane("graph").canvas.picture is not None)
    menu = open_menu(panes.pane("graph"))
    texts = [action.text().replace("&", "") for action in menu.actions()]
    assert {"Copy as picture", "Copy as command", "Save the graph as SVG…"} <= set(texts)
    close(menu)
