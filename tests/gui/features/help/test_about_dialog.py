from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPushButton, QTreeWidget

from jitstudio.gui.features.help.about_dialog import AboutDialog


def test_it_lists_versions_and_copies_them_as_a_table(qtbot):
    dialog = AboutDialog((("jitstudio", "1.0"), ("NVRTC", "13.4, nvrtc | x")))
    qtbot.addWidget(dialog)
    table = dialog.findChild(QTreeWidget, "versionsTable")
    rows = [table.topLevelItem(n) for n in range(table.topLevelItemCount())]
    assert [(row.text(0), row.text(1)) for row in rows] == [
        ("jitstudio", "1.0"),
        ("NVRTC", "13.4, nvrtc | x"),
    ]
    assert dialog.findChild(QLabel, "copiedHint").text() == ""
    dialog.findChild(QPushButton, "copyReport").click()
    assert QGuiApplication.clipboard().text() == (
        "| | version |\n| --- | --- |\n| jitstudio | 1.0 |\n| NVRTC | 13.4, nvrtc / x |\n"
    )
    assert dialog.findChild(QLabel, "copiedHint").text().startswith("Copied")
    licences = dialog.findChild(QLabel, "licences").text()
    assert "Apache License 2.0" in licences
    assert "SIL Open Font License" in licences
