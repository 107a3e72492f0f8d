"""State that a window shows first and that outlives the window: texts, settings, session."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QSettings

from jitstudio.gui.state.build_settings import BuildSettings
from jitstudio.gui.state.documents import Documents
from jitstudio.gui.state.preferences import Preferences
from jitstudio.gui.state.session import Session


class UserState(QObject):
    """Owns the texts and choices of the user; all services come later.

    Args:
        store: Where preferences are kept.
        session_folder: Where unsaved text is kept.
        elsewhere: Where it may have been kept before.
    """

    def __init__(
        self,
        store: QSettings,
        session_folder: Path,
        parent: QObject | None = None,
        elsewhere: Path | None = None,
    ) -> None:
        super().__init__(parent)
        self.preferences = Preferences(store)
        self.documents = Documents(self)
        self.settings = BuildSettings(self.preferences, self)
        self.session = Session(session_folder, self.documents, self.settings, self, elsewhere)
