import re

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QIcon, QPixmap

from jitstudio.gui.kit.icons import forget_desktop_icons, icon
from jitstudio.system.paths import resource

# The icon of the program itself has colours of its own.
NAMES = sorted({path.stem for path in resource("icons").glob("*.svg")} - {"jitstudio"})
RED = QColor("#ff0000")


def pixels(pixmap: QPixmap) -> list[QColor]:
    image = pixmap.toImage()
    return [image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height())]


def strongest(pixmap: QPixmap) -> QColor:
    return max(pixels(pixmap), key=QColor.alpha)


def test_every_icon_is_drawn_in_the_colour_asked_for(qapp):
    for name in NAMES:
        drawn = [
            color for color in pixels(icon(name, RED).pixmap(QSize(32, 32))) if color.alpha() > 200
        ]
        assert {color.red() > 240 and color.green() < 15 for color in drawn} == {True}, name


def test_every_file_has_no_colour_of_its_own():
    for name in NAMES:
        svg = resource(f"icons/{name}.svg").read_text("utf-8")
        assert "currentColor" in svg, name
        assert not re.search(r"#[0-9a-fA-F]{3,8}\b", svg), name


def test_a_disabled_icon_is_faded_or_of_the_colour_given(qapp):
    size = QSize(32, 32)
    faded = strongest(icon("close", RED).pixmap(size, QIcon.Mode.Disabled))
    given = strongest(icon("close", RED, QColor("#0000ff")).pixmap(size, QIcon.Mode.Disabled))
    assert 80 < faded.alpha() < 130
    assert (given.blue(), given.alpha()) == (255, 255)


def test_an_icon_is_drawn_anew_for_a_dense_screen(qapp):
    pixmap = icon("search", RED).pixmap(QSize(16, 16), 2.0)
    assert pixmap.size() == QSize(32, 32)
    assert pixmap.devicePixelRatio() == 2.0


def test_an_icon_without_room_is_not_drawn(qapp, qtlog):
    icon("close", RED).pixmap(QSize(0, 12))
    assert not qtlog.records


def test_an_icon_is_kept(qapp):
    assert icon("save", RED).cacheKey() == icon("save", QColor("#ff0000")).cacheKey()


def test_an_unknown_icon_fails_when_it_is_made(qapp):
    with pytest.raises(FileNotFoundError, match=r"icons/unicorn\.svg"):
        icon("unicorn", RED)


def test_icons_of_the_desktop_are_not_taken(qapp, tmp_path):
    before = QIcon.themeSearchPaths(), QIcon.themeName()
    folder = tmp_path / "black" / "16"
    folder.mkdir(parents=True)
    (tmp_path / "black" / "index.theme").write_text(
        "[Icon Theme]\nName=black\nDirectories=16\n[16]\nSize=16\n"
    )
    QPixmap(16, 16).save(str(folder / "edit-undo.png"))
    try:
        QIcon.setThemeSearchPaths([str(tmp_path)])
        QIcon.setThemeName("black")
        assert not QIcon.fromTheme("edit-undo").isNull()
        forget_desktop_icons()
        assert QIcon.fromTheme("edit-undo").isNull()
    finally:
        QIcon.setThemeSearchPaths(before[0])
        QIcon.setThemeName(before[1])
