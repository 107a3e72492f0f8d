import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QComboBox, QDoubleSpinBox, QPushButton, QSpinBox

from jitstudio.cache.store import LIMIT
from jitstudio.core.code import CodeKind
from jitstudio.core.result import Outcome
from jitstudio.gui.features.settings.dialog import SettingsDialog
from jitstudio.gui.kit.dialogs import UnsavedChoice
from jitstudio.gui.kit.theme import ThemeMode, current_theme
from jitstudio.worker.limits import share_of_memory

pytestmark = pytest.mark.usefixtures("driver")


def test_each_setting_holds_at_once_where_it_counts(started):
    state, window = started.state, started.window
    started.trigger("settingsAction")
    dialog = started.find(SettingsDialog, "settingsDialog")

    def part(kind, name):
        found = dialog.findChild(kind, name)
        assert found is not None, name
        return found

    theme = part(QComboBox, "appearance.theme")
    theme.setCurrentIndex(theme.findData("dark"))
    theme.activated.emit(theme.currentIndex())
    assert started.keeper.mode is ThemeMode.DARK
    assert current_theme().dark
    modes = {action.text(): action for action in window.findChildren(QAction)}
    assert modes["&Dark"].isChecked()
    family = part(QComboBox, "appearance.font_family")
    family.setCurrentIndex(family.findText("DejaVu Sans Mono"))
    family.activated.emit(family.currentIndex())
    assert started.editor.font().families()[0] == "DejaVu Sans Mono"
    assert started.listing("ptxView").font().families()[0] == "DejaVu Sans Mono"
    part(QDoubleSpinBox, "appearance.font_size").setValue(14)
    assert started.editor.font_size == 14
    assert started.listing("ptxView").font_size == 14
    started.editors.page.code_view.zoom_in()
    assert part(QDoubleSpinBox, "appearance.font_size").value() == 15

    # The words are read in the background, when they are first asked for.
    words = started.editor.completer._source.words
    started.wait(lambda: len(words(CodeKind.CUDA)) > 1)
    text = started.editor.toPlainText()
    part(QCheckBox, "editor.auto_close").click()
    part(QCheckBox, "editor.completion").click()
    started.type("(blo")
    assert started.editor.toPlainText().startswith("(blo//")
    assert not started.editor.completer.is_open
    started.editor.completer.complete()
    assert started.editor.completer.is_open
    started.editor.completer.dismiss()
    part(QCheckBox, "editor.auto_close").click()
    part(QCheckBox, "editor.completion").click()
    started.editor.setPlainText("")
    started.type("(blo")
    assert started.editor.toPlainText() == "(blo)"
    assert started.editor.completer.is_open
    started.editor.setPlainText(text)
    started.next_result(started.state.build_controller.build)

    # How wide tabs are, in the tab that is open and in those to come.
    width = started.editor.fontMetrics().horizontalAdvance(" ")
    assert started.editor.tabStopDistance() == 4 * width
    part(QSpinBox, "editor.tab_width").setValue(8)
    assert started.editor.tabStopDistance() == 8 * width
    started.trigger("newHeaderAction")
    started.editor.setPlainText("")
    QTest.keyClick(started.editor, Qt.Key.Key_Tab)
    assert started.editor.toPlainText() == " " * 8
    started.editor.zoom_in()
    assert started.editor.tabStopDistance() > 8 * width
    state.documents.remove(started.document)

    # The first worker knew of its share at once; the next one gets what is chosen now.
    hosts = state.service._builder._pool._hosts
    assert {host.memory_limit for host in hosts} == {share_of_memory(0.75)}
    part(QSpinBox, "build.memory").setValue(50)
    assert {host.memory_limit for host in hosts} == {share_of_memory(0.5)}
    part(QSpinBox, "build.cache_size").setValue(1024)
    assert state.service._store.limit() == 1 << 30

    automatic = started.find(QAction, "autoBuildAction")
    part(QCheckBox, "build.on_change").click()
    assert not automatic.isChecked()
    automatic.trigger()
    assert part(QCheckBox, "build.on_change").isChecked()
    part(QSpinBox, "build.pause").setValue(2000)
    assert state.build_controller._pause_ms == 2000
    part(QCheckBox, "build.precompile").click()
    part(QCheckBox, "build.cache").click()
    assert not started.find(QAction, "cacheAction").isChecked()
    assert not started.find(QAction, "precompileAction").isChecked()

    # A build that takes longer than allowed is ended: without the cache, none takes no time.
    state.preferences.set_value("build.time_limit", 5)
    assert state.service._time_limit == 5
    state.service.set_time_limit(0.001)
    assert started.next_result(state.build_controller.build).outcome is Outcome.TIMED_OUT

    part(QPushButton, "resetAll").click()
    assert started.editor.font_size == 10.5
    width = started.editor.fontMetrics().horizontalAdvance(" ")
    assert started.editor.tabStopDistance() == 4 * width
    assert state.service._store.limit() == LIMIT
    assert started.find(QAction, "cacheAction").isChecked()
    assert state.build_controller._pause_ms == 350
    assert started.next_result(state.build_controller.build).ok

    # The dialog is one window: asked for again, it is the same.
    dialog.close()
    started.trigger("settingsAction")
    assert started.find(SettingsDialog, "settingsDialog") is dialog
    assert dialog.isVisible()
    dialog.close()


def test_who_wants_to_be_asked_is_asked_before_the_end(started, monkeypatch):
    asked = []
    answers = [UnsavedChoice.KEEP_OPEN, UnsavedChoice.DISCARD]

    def about_all_unsaved(_dialogs, names):
        asked.append(list(names))
        return answers.pop(0)

    monkeypatch.setattr("jitstudio.gui.kit.dialogs.Dialogs.about_all_unsaved", about_all_unsaved)
    started.type("// ")
    started.state.preferences.set_value("session.on_quit", "ask")
    assert not started.window.close()
    assert asked == [["vector_add.cu"]]
    assert started.window.isVisible()
    assert started.window.close()
