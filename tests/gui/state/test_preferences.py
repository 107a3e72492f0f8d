from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QSettings

from jitstudio.gui.kit.fonts import DEFAULT_SIZE
from jitstudio.gui.state.preferences import Preferences
from jitstudio.gui.state.settings_table import SETTINGS


@pytest.fixture
def reopened(tmp_path):
    """Preferences as the next start finds them: read from the file anew."""

    def reopen():
        return Preferences(QSettings(str(tmp_path / "s.ini"), QSettings.Format.IniFormat))

    return reopen


def test_a_first_start_has_defaults(reopened):
    preferences = reopened()
    assert preferences.theme == "system"
    assert preferences.font_size == DEFAULT_SIZE
    assert all(preferences.is_default(setting.key) for setting in SETTINGS)
    assert preferences.recent_files == []
    assert preferences.layout("window") is None


def test_everything_is_there_at_the_next_start(reopened):
    before = reopened()
    before.theme = "dark"
    before.font_size = 12.5
    before.add_recent_file(Path("/a/one.cu"))
    before.set_layout("window", QByteArray(b"\x00\x01\xff"))
    del before
    after = reopened()
    assert after.theme == "dark"
    assert after.font_size == 12.5
    assert after.recent_files == [Path("/a/one.cu")]
    assert after.layout("window") == QByteArray(b"\x00\x01\xff")


def test_recent_files_are_newest_first_once_each_and_ten_at_most(reopened):
    preferences = reopened()
    for number in range(12):
        preferences.add_recent_file(Path(f"/k{number}.cu"))
    preferences.add_recent_file(Path("/k5.cu"))
    names = [path.stem for path in reopened().recent_files]
    assert names == ["k5", "k11", "k10", "k9", "k8", "k7", "k6", "k4", "k3", "k2"]


@pytest.mark.parametrize(
    ("key", "stored", "read"),
    [
        ("appearance.font_size", "large", DEFAULT_SIZE),
        ("appearance.font_size", "nan", DEFAULT_SIZE),
        ("appearance.font_size", "", DEFAULT_SIZE),
        ("appearance.font_size", ["12", "13"], DEFAULT_SIZE),
        ("appearance.font_size", "1e9", 48.0),
        ("appearance.font_size", -1, 6.0),
        ("build.pause", "inf", 350),
        ("build.pause", "500.7", 500),
        ("build.pause", QByteArray(b"x"), 350),
        ("build.cache", "false", False),
        ("build.cache", "maybe", True),
        ("build.cache", [], True),
        ("appearance.theme", "purple", "system"),
        ("editor.tab_width", "99", 8),
        ("build.cache_size", "-1", 64),
        ("build.memory", "all", 75),
        ("session.on_quit", "ask", "ask"),
    ],
)
def test_what_was_kept_is_put_right(reopened, key, stored, read):
    reopened()._store.setValue(f"settings/{key}", stored)
    value = reopened().value(key)
    assert value == read
    assert type(value) is type(read)


def test_a_change_is_told_once_and_kept(reopened, qtbot):
    preferences = reopened()
    told = []
    preferences.changed.connect(told.append)
    preferences.set_value("build.pause", 600)
    preferences.set_value("build.pause", 600)
    preferences.set_value("build.cache", False)
    assert told == ["build.pause", "build.cache"]
    assert reopened().value("build.pause") == 600
    assert reopened().value("build.cache") is False


def test_a_reset_setting_leaves_nothing_behind(reopened):
    preferences = reopened()
    preferences.set_value("build.pause", 600)
    preferences.set_value("editor.completion", False)
    preferences.reset("build.pause")
    assert preferences.value("build.pause") == 350
    assert not preferences.is_default("editor.completion")
    preferences.reset_all()
    assert preferences.is_default("editor.completion")
    assert preferences._store.allKeys() == []


def test_each_setting_takes_its_own_default():
    assert all(setting.read(setting.default) == setting.default for setting in SETTINGS)


def test_an_unknown_theme_is_that_of_the_system(reopened):
    preferences = reopened()
    preferences.theme = "purple"
    assert preferences.theme == "system"


def test_recent_commands_are_newest_first_without_doubles(reopened):
    preferences = reopened()
    for name in ("Build", "Find", "Build"):
        preferences.add_recent_command(name)
    assert reopened().recent_commands == ["Build", "Find"]


def test_columns_are_there_at_the_next_start(reopened):
    preferences = reopened()
    assert preferences.columns == []
    preferences.columns = ["gpr:13", "-address:7"]
    assert reopened().columns == ["gpr:13", "-address:7"]
    # An INI file gives back a list of one as a text.
    reopened().columns = ["gpr:13"]
    assert reopened().columns == ["gpr:13"]


def test_a_layout_of_another_type_is_none(reopened):
    preferences = reopened()
    preferences._store.setValue("layout/window", "text")
    assert preferences.layout("window") is None
