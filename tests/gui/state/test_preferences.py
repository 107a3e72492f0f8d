from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QSettings

from jitstudio.gui.state.preferences import Preferences


@pytest.fixture
def reopened(tmp_path):
    """Preferences as the next start finds them: read from the file anew."""

    def reopen():
        return Preferences(QSettings(str(tmp_path / "s.ini"), QSettings.Format.IniFormat))

    return reopen


def test_a_first_start_has_defaults(reopened):
    preferences = reopened()
    assert preferences.theme == "system"
    assert preferences.font_size == 0.0
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


@pytest.mark.parametrize("size", ["large", "nan", "inf", ""])
def test_a_senseless_size_is_the_default(reopened, size):
    preferences = reopened()
    preferences._store.setValue("font_size", size)
    assert preferences.font_size == 0.0


def test_an_unknown_theme_is_that_of_the_system(reopened):
    preferences = reopened()
    preferences.theme = "purple"
    assert preferences.theme == "system"


def test_the_layout_can_be_forgotten(reopened):
    preferences = reopened()
    preferences.set_layout("window", QByteArray(b"x"))
    preferences.theme = "light"
    preferences.forget_layout()
    assert preferences.layout("window") is None
    assert preferences.theme == "light"


def test_a_layout_of_another_type_is_none(reopened):
    preferences = reopened()
    preferences._store.setValue("layout/window", "text")
    assert preferences.layout("window") is None
