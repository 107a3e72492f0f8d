"""A pane that cannot be made says why, in its place, and the window goes on."""

import sys

import pytest
from PySide6.QtWidgets import QLabel

from jitstudio.gui.features.lessons import controller
from jitstudio.gui.shell.notice_bar import NoticeBar

pytestmark = pytest.mark.usefixtures("driver")


@pytest.fixture
def errors(monkeypatch):
    errors = []
    monkeypatch.setattr(sys, "excepthook", lambda _kind, error, _trace: errors.append(error))
    return errors


def missing(driver):
    """What stands in place of the lessons."""
    driver.shell.layout.bring_up_pane("lessons")
    driver.wait(lambda: driver.window.findChild(QLabel, "missingPane"))
    label = driver.window.findChild(QLabel, "missingPane")
    driver.wait(label.isVisible)
    return label.text()


def test_a_feature_that_fails_says_so_in_its_pane(started, monkeypatch, errors):
    def fails(_context):
        yield
        raise RuntimeError("there is no chalk")

    monkeypatch.setattr(controller, "install", fails)
    assert "RuntimeError: there is no chalk" in missing(started)
    assert list(map(str, errors)) == ["there is no chalk"]
    # Others are made, and it is not tried again.
    assert not isinstance(started.pane("report"), QLabel)
    assert started.pane("lessons").text() == missing(started)
    assert len(errors) == 1


def test_a_module_that_cannot_be_imported_is_named_in_pane_and_notice(started, monkeypatch):
    view = "jitstudio.gui.features.lessons.view"
    monkeypatch.delitem(sys.modules, controller.__name__)
    monkeypatch.setitem(sys.modules, view, None)
    words = missing(started)
    assert view in words
    assert words in started.find(NoticeBar, "noticeBar").text
