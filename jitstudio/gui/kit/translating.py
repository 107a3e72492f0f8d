r"""Marks the texts of tables for translators, and loads translations.

The texts of the window are English in the source, each as a literal in ``self.tr("…")``,
``QCoreApplication.translate("Context", "…")`` or, in a table, in ``QT_TRANSLATE_NOOP("Context",
"…")``: `lupdate` finds nothing else, no f-string and no alias of `tr` either. Values stand in named
placeholders, which a translation may put in another order but must keep as they are, with what
follows their colon: ``{count:,} files written to {folder}``. One and many are two texts: `counted`.

To add a language, German here, or to bring it up to date::

    mkdir -p resources/translations
    pyside6-lupdate $(find jitstudio/gui jitstudio/analysis/key_figures.py \
        jitstudio/core/figures.py jitstudio/export/formats.py \
        -name '*.py') -source-language en -target-language de \
        -ts resources/translations/jitstudio_de.ts
    pyside6-linguist resources/translations/jitstudio_de.ts
    pyside6-lrelease resources/translations/jitstudio_de.ts

The last line makes the `jitstudio_de.qm` that the window loads on a machine set to German; both
files are committed. Qt's own buttons follow by themselves. What tools report, the words that the
command line shares (`jitstudio/core`: explanations, help on options), the samples and the pages of
the help (`resources/help`) stay English. `tests/gui/test_translation.py` translates every text into
itself between brackets and fails on a word of the window that has none.
"""

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
