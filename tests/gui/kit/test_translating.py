"""A language is there as soon as its file is, and only for those who want it."""

import subprocess
from pathlib import Path

import PySide6
import pytest
from PySide6.QtCore import QCoreApplication, QLocale, QTranslator

from jitstudio.gui.kit.translating import counted, install

_GERMAN = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de">
<context>
    <name>Columns</name>
    <message>
        <source>Kernel or function</source>
        <translation>Kernel oder Funktion</translation>
    </message>
</context>
</TS>
"""


@pytest.fixture
def german(tmp_path):
    """A folder with a translation into German."""
    written = tmp_path / "jitstudio_de.ts"
    written.write_text(_GERMAN, "utf-8")
    release = Path(PySide6.__file__).parent / "lrelease"
    subprocess.run([release, written], check=True, capture_output=True)
    return tmp_path


@pytest.fixture(autouse=True)
def _quiet_again(qapp):
    """Take back what was installed."""
    yield
    for translator in qapp.findChildren(QTranslator):
        qapp.removeTranslator(translator)
        translator.setParent(None)


def _shown():
    return QCoreApplication.translate("Columns", "Kernel or function")


@pytest.mark.parametrize("locale", ["de", "de_DE", "de_AT"])
def test_the_users_language_is_spoken_in_every_country_of_it(qapp, german, locale):
    assert install(qapp, QLocale(locale), german)
    assert _shown() == "Kernel oder Funktion"


def test_buttons_of_qt_speak_the_same_language(qapp, german):
    install(qapp, QLocale("de"), german)
    assert QCoreApplication.translate("QPlatformTheme", "Cancel") == "Abbrechen"


@pytest.mark.parametrize("locale", ["en_GB", "fr", "C"])
def test_without_a_translation_the_texts_stay_as_they_are_written(qapp, german, locale):
    assert not install(qapp, QLocale(locale), german)
    assert _shown() == "Kernel or function"


def test_nothing_is_installed_from_a_folder_that_is_not_there(qapp, tmp_path):
    assert not install(qapp, QLocale("de"), tmp_path / "translations")
    assert qapp.findChildren(QTranslator) == []


def test_a_count_chooses_between_one_and_many():
    words = ("{count} file in {folder}", "{count:,} files in {folder}")
    assert counted(1, *words, folder="out") == "1 file in out"
    assert counted(0, *words, folder="out") == "0 files in out"
    assert counted(1200, *words, folder="out") == "1,200 files in out"
