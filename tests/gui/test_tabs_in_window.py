"""The tabs of the editors in a window: by name, by their list and menu, closed and opened again."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QListView, QMenu, QToolButton

from jitstudio.core.code import CodeKind
from jitstudio.gui.kit.dialogs import Dialogs, UnsavedChoice
from jitstudio.gui.shell.palette.view import Palette

KERNEL = 'extern "C" __global__ void {name}() {{}}\n'
_CTRL, _SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def names(driver):
    return [document.name for document in driver.state.documents]


def opened(driver, folder, *stems):
    paths = [folder / f"{stem}.cu" for stem in stems]
    for path in paths:
        path.write_text(KERNEL.format(name=path.stem))
    driver.files.open_paths(paths)
    driver.settle()
    return paths


def test_tabs_are_gone_to_closed_and_opened_again(started, tmp_path, monkeypatch):
    driver, documents = started, started.state.documents
    driver.state.settings.auto_build = False
    (sample,) = names(driver)
    opened(driver, tmp_path, "alpha", "beta", "gamma")
    by_name = {document.name: document for document in documents}

    # Ctrl+P and Enter go to the tab before this one, letters to any.
    documents.current = by_name["alpha.cu"]
    documents.current = by_name["gamma.cu"]
    driver.editor.setFocus()
    field = driver.find(QLineEdit, "tabPaletteField")
    rows = driver.find(QListView, "tabPaletteList").model()
    driver.press(Qt.Key.Key_P, _CTRL)
    assert driver.find(Palette, "tabPalette").isVisible()
    offered = [rows.index(row, 0).data() for row in range(rows.rowCount())]
    assert offered[0] == "alpha.cu"
    assert (offered.index("gamma.cu"), len(offered)) == (3, 4)
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert driver.document.name == "alpha.cu"
    assert driver.editor.hasFocus()
    driver.press(Qt.Key.Key_P, _CTRL)
    driver.type("gam", field)
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert driver.document.name == "gamma.cu"

    # The list at the end of the tabs.
    menu = driver.find(QToolButton, "tabListButton").menu()
    menu.aboutToShow.emit()
    welcome, *listed = [action.text() for action in menu.actions()]
    assert (welcome, listed) == ("Welcome", names(driver))
    menu.actions()[3].trigger()
    assert driver.document.name == "beta.cu"

    # Close to the right, reopen where it was with its cursor; close others, and all of it again.
    page = driver.editors.page_of(by_name["gamma.cu"])
    page.go_to(1, 8)
    driver.trigger("closeTabsToTheRightAction")
    assert names(driver) == [sample, "alpha.cu", "beta.cu"]
    documents.current = by_name["alpha.cu"]
    driver.trigger("closeTabAction")
    assert names(driver) == [sample, "beta.cu"]
    driver.press(Qt.Key.Key_T, _CTRL | _SHIFT)
    assert names(driver) == [sample, "alpha.cu", "beta.cu"]
    assert driver.editor.hasFocus()
    driver.press(Qt.Key.Key_T, _CTRL | _SHIFT)
    assert names(driver) == [sample, "alpha.cu", "beta.cu", "gamma.cu"]
    assert driver.editor.position() == (1, 8)
    assert not driver.document.is_modified

    # Text that was in no file, or given up, comes back as well.
    driver.trigger("newCudaAction")
    driver.editor.selectAll()
    driver.editor.insertPlainText("int typed;")
    unsaved = driver.document.name
    documents.current = next(d for d in documents if d.name == "alpha.cu")
    driver.replace("alpha", "changed")
    monkeypatch.setattr(Dialogs, "about_all_unsaved", lambda *_: UnsavedChoice.KEEP_OPEN)
    driver.trigger("closeAllTabsAction")
    assert len(documents) == 5
    monkeypatch.setattr(Dialogs, "about_all_unsaved", lambda *_: UnsavedChoice.DISCARD)
    driver.trigger("closeAllTabsAction")
    assert len(documents) == 0
    for _ in range(5):
        driver.trigger("reopenTabAction")
    assert sorted(names(driver)) == sorted([sample, "alpha.cu", "beta.cu", "gamma.cu", unsaved])
    by_name = {document.name: document for document in documents}
    assert by_name[unsaved].held.text == "int typed;"
    assert "changed" in by_name["alpha.cu"].held.text
    assert {name for name, d in by_name.items() if d.is_modified} == {"alpha.cu", unsaved}
    assert (tmp_path / "alpha.cu").read_text() == KERNEL.format(name="alpha")
    assert not driver.window.frame.actions["reopenTabAction"].isEnabled()


def test_a_tab_is_renamed_with_its_file_and_has_a_menu(started, tmp_path, monkeypatch):
    driver, documents = started, started.state.documents
    alpha, beta = opened(driver, tmp_path, "alpha", "beta")
    documents.current = documents.at_path(alpha)
    bar = driver.editors.tabBar()

    def menu_of(name):
        index = [bar.tabText(n) for n in range(bar.count())].index(name)
        bar.customContextMenuRequested.emit(bar.tabRect(index).center())
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        return {a.objectName().removesuffix("OfTab"): a for a in menu.actions()}, menu

    actions, menu = menu_of("beta.cu")
    # It is about the tab that was clicked, and the other stays in front.
    actions["copyPathAction"].trigger()
    assert QApplication.clipboard().text() == str(beta)
    assert not actions["closeTabsToTheRightAction"].isEnabled()
    menu.close()
    assert driver.document.path == alpha

    def rename(to, of="beta.cu"):
        monkeypatch.setattr(Dialogs, "new_name", lambda *_: to)
        actions, menu = menu_of(of)
        actions["renameTabAction"].trigger()
        menu.close()

    rename("alpha.cu")
    assert "alpha.cu' is open" in driver.shell.notices.text
    (tmp_path / "there.cu").write_text("int a;")
    for wrong in ("there.cu", "../out.cu", "beta.txt", "beta.cubin"):
        rename(wrong)
        assert "beta.cu" in names(driver), wrong
    assert (beta.read_text(), (tmp_path / "there.cu").read_text()) == (
        KERNEL.format(name="beta"),
        "int a;",
    )
    rename("delta.ptx")
    document = documents.named("delta.ptx")
    assert (document.path, document.kind) == (tmp_path / "delta.ptx", CodeKind.PTX)
    assert not beta.exists()
    assert document.path.read_text() == KERNEL.format(name="beta")
    assert not document.is_modified
    # A tab in no file has a name all the same, which the build knows.
    driver.trigger("newCudaAction")
    result = driver.next_result(lambda: rename("mine.cu", driver.document.name))
    assert driver.document.path is None
    assert result.kernels[0].module == "mine.cu"
