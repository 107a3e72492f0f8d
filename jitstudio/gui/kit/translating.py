"""Marks the texts of tables for translators, and loads translations."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import cast

from PySide6 import QtCore
from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from jitstudio.system.paths import resource

# Qt's own takes and gives back anything, as far as a type checker can say.
QT_TRANSLATE_NOOP = cast("Callable[[str, str], str]", QtCore.QT_TRANSLATE_NOOP)


def counted(count: int, singular: str, plural: str, **values: object) -> str:
    """Returns the singular or the plural text, with values and the count for `{count}`."""
    return (singular if count == 1 else plural).format(count=count, **values)


def install(
    app: QCoreApplication, locale: QLocale | None = None, folder: Path | None = None
) -> bool:
    """Lets the window speak the user's language, if there is a translation.

    Args:
        app: The application, which asks its translators for every text.
        locale: The user's languages; the system's where not given.
        folder: Where the `jitstudio_<locale>.qm` are; the shipped ones where not given.

    Returns:
        Whether it is translated now.
    """
    folder = folder or _shipped()
    if folder is None:
        return False
    for name in (locale or QLocale.system()).uiLanguages(QLocale.TagSeparator.Underscore):
        if QLocale(name).language() == QLocale.Language.English:
            return False  # which is what the texts are written in
        if _install(app, f"jitstudio_{name}", str(folder)):
            # The buttons and dialogs that are Qt's.
            texts_of_qt = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
            _install(app, f"qtbase_{name}", texts_of_qt)
            return True
    return False


def _shipped() -> Path | None:
    try:
        return resource("translations")
    except FileNotFoundError:
        return None


def _install(app: QCoreApplication, name: str, folder: str) -> bool:
    translator = QTranslator()
    if not translator.load(name, folder):
        return False
    translator.setParent(app)  # which only borrows it
    return app.installTranslator(translator)
