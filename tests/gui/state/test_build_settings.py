import pytest

from jitstudio.core.arch import Arch
from jitstudio.core.request import LinkMode
from jitstudio.gui.state.build_settings import Switch
from tests.gui.own_settings import own_settings


@pytest.fixture
def settings():
    return own_settings()


def test_starts_with_a_target_that_every_tool_knows(settings):
    assert (settings.arch, settings.options, settings.link, settings.auto_build) == (
        Arch(90),
        "",
        LinkMode.NONE,
        True,
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [("arch", Arch(100, "a")), ("options", "-lineinfo"), ("link", LinkMode.LTO)],
)
def test_a_change_of_what_is_built_is_told_with_its_value(settings, qtbot, name, value):
    own = getattr(settings, f"{name}_changed")
    with qtbot.waitSignal(own) as told, qtbot.waitSignal(settings.changed):
        setattr(settings, name, value)
    assert told.args == [value]
    assert getattr(settings, name) == value
    with qtbot.assertNotEmitted(own), qtbot.assertNotEmitted(settings.changed):
        setattr(settings, name, value)


def test_building_by_itself_changes_nothing_that_is_built(settings, qtbot):
    with (
        qtbot.waitSignal(settings.auto_build_changed) as told,
        qtbot.assertNotEmitted(settings.changed),
    ):
        settings.auto_build = False
    assert told.args == [False]


def test_a_switch_is_turned_and_told(settings, qtbot):
    with qtbot.waitSignal(settings.switches_changed), qtbot.waitSignal(settings.changed):
        settings.turn(Switch.LIBDEVICE, True)
    assert Switch.LIBDEVICE in settings.switches
    settings.turn(Switch.LIBDEVICE, False)
    assert Switch.LIBDEVICE not in settings.switches
    with qtbot.assertNotEmitted(settings.changed):
        settings.turn(Switch.LIBDEVICE, False)
