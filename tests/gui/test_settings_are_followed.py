"""Each setting is read by the code that works by it, at once or when it next matters."""

import sys
from contextlib import suppress

import pytest

from jitstudio.gui.features.settings import dialog
from jitstudio.gui.state import preferences
from jitstudio.gui.state.preferences import Preferences
from jitstudio.gui.state.settings_table import SETTINGS
from tests.gui.driver import Driver

# These modules keep and show the values of all settings; neither works by any of them.
_KEEPERS = {preferences.__name__, dialog.__name__}


ALL = {setting.key for setting in SETTINGS}
_AT_OTHER_TIMES = {"session.on_quit", "startup.welcome"}


@pytest.fixture
def readings(monkeypatch):
    """The keys of settings that anything but their keepers has read."""
    keys = set()
    read = Preferences.value

    def recorded(self, key):
        frame = sys._getframe(1)
        while frame.f_globals["__name__"] == preferences.__name__:
            frame = frame.f_back
        if frame.f_globals["__name__"] not in _KEEPERS:
            keys.add(key)
        return read(self, key)

    monkeypatch.setattr(Preferences, "value", recorded)
    return keys


def other_value(setting):
    """Returns a value that the setting takes and does not start with."""
    if isinstance(setting.default, bool):
        return not setting.default
    if setting.choices:
        return next(c.value for c in setting.choices if c.value != setting.default)
    if setting.is_font:
        return "DejaVu Sans Mono"
    if setting.is_path:
        return sys.executable
    return min(setting.most, setting.default + setting.step)


def test_a_change_of_each_setting_is_followed(qapp, driver, tmp_path, readings):
    driver.start()
    preferences = driver.state.preferences
    # A pane that is made once it is asked for.
    driver.pane("lessons")
    for setting in SETTINGS:
        readings.discard(setting.key)
        preferences.set_value(setting.key, other_value(setting))
        assert not preferences.is_default(setting.key)

    # Bars of registers, and so their measure, come once the machine code is read.
    with suppress(AssertionError):
        driver.wait(lambda: readings >= ALL - _AT_OTHER_TIMES, patience=20)
    assert readings == ALL - _AT_OTHER_TIMES

    # By its other value the window would ask, and wait for an answer.
    preferences.reset("session.on_quit")
    driver.window.close()
    assert "session.on_quit" in readings
    another = Driver(qapp, tmp_path)
    another.start()
    another.end()
    assert readings == ALL
