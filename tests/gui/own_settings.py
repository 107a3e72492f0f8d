"""The settings of a user who has chosen nothing yet."""

from uuid import uuid4

from PySide6.QtCore import QSettings

from jitstudio.gui.state.build_settings import BuildSettings
from jitstudio.gui.state.preferences import Preferences


def own_preferences():
    """Kept where no other test looks."""
    return Preferences(QSettings(uuid4().hex))


def own_settings(parent=None):
    """The same for how something is built."""
    return BuildSettings(own_preferences(), parent)
