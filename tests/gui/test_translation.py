"""Every word of the window can be translated: here into one that brackets all it is given."""

import re
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import PySide6
import pytest
from PySide6.QtCore import QTranslator
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QGroupBox,
    QLabel,
    QLineEdit,
    QTabBar,
    QWidget,
)

from jitstudio.gui.features.help.shortcuts import FIXED_KEYS
from jitstudio.help.samples import samples
from tests.support import ROOT

_TOOLS = Path(PySide6.__file__).parent
_WORD = re.compile(r"[A-Za-z]{3,}")
# Names of things, which are the same in every language.
_NAMES = re.compile(
    r"\b(jitstudio|CUDA|LLVM|IR|PTX|SASS|LTO|NVRTC|libNVVM|nvJitLink|nvFatbin|nvdisasm|cuobjdump|nvcc"
    r"|GPU|UTF|Ctrl|Shift|Alt|Esc|sm_\w+|compute_\w+|vector_add|\w+\.(cu|cuh|ll|ptx|md))\b"
    r"|(?<!\S)(\w+:)?--?[A-Za-z]\S*"  # options of tools
)
# No key together with the mouse.
_KEY = re.compile(r"\b(?:(?:Ctrl|Alt|Shift|Meta)\+)++(?!click|drag|wheel)[^\s).,;:]+|\bF\d{1,2}\b")
# What Qt makes, names and translates itself.
_OF_QT = re.compile(r"qt_|Scroll(Left|Right)Button")


TABLES = ("analysis/key_figures.py", "core/figures.py", "export/formats.py")
"""What is shared with the command line, and marks its texts for the window."""


@pytest.fixture(scope="session")
def brackets(tmp_path_factory):
    """A translation of all that can be translated: each text between brackets."""
    folder = tmp_path_factory.mktemp("translation")
    listed, compiled = folder / "all.ts", folder / "all.qm"
    package = ROOT / "jitstudio"
    sources = sorted(map(str, (*(package / "gui").rglob("*.py"), *map(package.joinpath, TABLES))))
    subprocess.run(
        [_TOOLS / "lupdate", *sources, "-ts", listed], check=True, capture_output=True, text=True
    )
    tree = ElementTree.parse(listed)
    for message in tree.iter("message"):
        translation = message.find("translation")
        translation.attrib.pop("type", None)
        for place in translation.findall("numerusform") or [translation]:
            place.text = f"[{message.findtext('source')}]"
    tree.write(listed, encoding="utf-8", xml_declaration=True)
    subprocess.run([_TOOLS / "lrelease", listed, "-qm", compiled], check=True, capture_output=True)
    return compiled


@pytest.fixture
def translated(qapp, brackets):
    """The application while it speaks that language."""
    translator = QTranslator()
    assert translator.load(str(brackets))
    qapp.installTranslator(translator)
    yield
    qapp.removeTranslator(translator)


def _texts(window):
    for action in window.findChildren(QAction):
        yield f"action {action.objectName()}", action.text(), action.toolTip()
    for widget in window.findChildren(QWidget):
        if _OF_QT.match(widget.objectName()):
            continue
        where = f"{type(widget).__name__} {widget.objectName()} in {_family(widget)}"
        yield where, widget.toolTip(), widget.accessibleName(), widget.windowTitle()
        if isinstance(widget, QLabel | QAbstractButton):
            yield where, widget.text()
        if isinstance(widget, QGroupBox):
            yield where, widget.title()
        if isinstance(widget, QLineEdit):
            yield where, widget.placeholderText()
        if isinstance(widget, QTabBar):
            yield where, *(widget.tabText(index) for index in range(widget.count()))


def _family(widget):
    names = []
    while (widget := widget.parentWidget()) is not None:
        names.append(type(widget).__name__)
    return " < ".join(names[:4])


def test_every_text_has_a_context_by_which_it_is_looked_up(brackets):
    contexts = ElementTree.parse(brackets.with_suffix(".ts")).iter("context")
    lost = [
        message.findtext("source")
        for context in contexts
        if not context.findtext("name")
        for message in context.iter("message")
    ]
    assert lost == []


def test_no_text_has_a_key_that_the_user_can_change(brackets):
    fixed = {key for row in FIXED_KEYS for key in row.keys}
    found = [
        (context.findtext("name"), message.findtext("source"))
        for context in ElementTree.parse(brackets.with_suffix(".ts")).iter("context")
        for message in context.iter("message")
        for key in _KEY.findall(message.findtext("source"))
        if key not in fixed and context.findtext("name") != "FixedKeys"
    ]
    assert found == []


def test_every_word_that_the_window_begins_with_can_be_translated(translated, driver):
    driver.start()
    # What samples are called is said in their own file, and what they do with it.
    data = {text for sample in samples() for text in (sample.title, sample.summary)}
    untranslated = [
        f"{where}: {text!r}"
        for where, *texts in _texts(driver.window)
        for text in texts
        if "[" not in text and text not in data and _WORD.search(_NAMES.sub("", text))
    ]
    assert untranslated == []
