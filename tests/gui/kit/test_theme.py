from __future__ import annotations

import re
import tomllib
from itertools import pairwise, product

import numpy as np
import pytest
from pygments.token import Comment, Keyword, Name, Operator, Punctuation, String, Token
from PySide6.QtCore import QObject, QSize
from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QLabel,
    QMainWindow,
    QMessageBox,
    QPushButton,
    QToolButton,
)
from shiboken6 import delete

from jitstudio.analysis.correlation.hues import HUES
from jitstudio.gui.editor.code_editor import CodeEditor
from jitstudio.gui.kit import theme as theme_module
from jitstudio.gui.kit.theme import (
    IS_PROSE,
    Theme,
    ThemeError,
    ThemeKeeper,
    ThemeMode,
    apply_theme,
    current_theme,
    follow_theme,
    palette,
)
from jitstudio.system.paths import resource

# sRGB to XYZ under D65: IEC 61966-2-1.
# ---- How far apart two colours are, for whoever sees them, and on whatever they are seen

_TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
_WHITE = _TO_XYZ @ np.ones(3)
# Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision
# Deficiency", IEEE TVCG 15 (2009), at full severity; they work on linear light.
SIGHTS = {
    "everybody": np.eye(3),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
}


def light(color: QColor) -> np.ndarray:
    """Red, green and blue as linear light, from 0 to 1."""
    parts = np.array([color.redF(), color.greenF(), color.blueF()])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def luminance(color: QColor) -> float:
    """The relative luminance of WCAG 2."""
    return float(_TO_XYZ[1] @ light(color))


def contrast(one: QColor, other: QColor) -> float:
    """The contrast of WCAG 2, from 1 to 21."""
    dark, bright = sorted((luminance(one), luminance(other)))
    return (bright + 0.05) / (dark + 0.05)


def lab(color: QColor, sight: str = "everybody") -> np.ndarray:
    """The colour in CIELAB, as somebody with this sight sees it."""
    seen = np.clip(SIGHTS[sight] @ light(color), 0, 1)
    share = (_TO_XYZ @ seen) / _WHITE
    x, y, z = np.where(share > (6 / 29) ** 3, np.cbrt(share), share / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def difference(one: np.ndarray, other: np.ndarray) -> float:
    """CIEDE2000 of two colours in CIELAB: 1 can just be seen.

    Sharma, Wu and Dalal, "The CIEDE2000 Color-Difference Formula", Color Res. Appl. 30 (2005).
    """
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    factor = 1.5 - 0.5 * np.sqrt(mean**7 / (mean**7 + 25**7))
    c1, c2 = np.hypot(factor * a1, b1), np.hypot(factor * a2, b2)
    h1, h2 = (np.degrees(np.arctan2(b, factor * a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = (h2 - h1 + 180) % 360 - 180 if c1 * c2 else 0.0
    hue = (h1 + turn / 2) % 360 if c1 * c2 else h1 + h2
    lightness, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    t = (
        1
        - 0.17 * np.cos(np.radians(hue - 30))
        + 0.24 * np.cos(np.radians(2 * hue))
        + 0.32 * np.cos(np.radians(3 * hue + 6))
        - 0.20 * np.cos(np.radians(4 * hue - 63))
    )
    by_lightness = 0.015 * (lightness - 50) ** 2 / np.sqrt(20 + (lightness - 50) ** 2)
    dl = (l2 - l1) / (1 + by_lightness)
    dc = (c2 - c1) / (1 + 0.045 * chroma)
    dh = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2)) / (1 + 0.015 * chroma * t)
    rotation = -2 * np.sqrt(chroma**7 / (chroma**7 + 25**7))
    rotation *= np.sin(np.radians(60 * np.exp(-(((hue - 275) / 25) ** 2))))
    return float(np.sqrt(dl**2 + dc**2 + dh**2 + rotation * dc * dh))


READABLE = 4.5
"""WCAG AA, for text of ordinary size."""
VISIBLE = 3.0
"""WCAG AA, for borders and marks; asked of inactive controls here, too."""
APART, SEEN = 10, 5
"""In units of CIEDE2000: told apart at a glance, and seen beside what it lies on."""

UI_GROUNDS = ("window", "base", "alternate", "button", "button_hover")
CODE_GROUNDS = ("background", "current_line", "occurrence", "match")
DIFF_GROUNDS = ("removed", "removed_part", "added", "added_part", "control_part")
UI_TEXTS = {
    "text": UI_GROUNDS,
    "muted_text": UI_GROUNDS,
    "link": ("window", "base", "alternate"),
    "link_visited": ("window", "base", "alternate"),
    "highlight_text": ("highlight",),
    "tooltip_text": ("tooltip",),
}
CODE_TEXTS = {
    "text": (*CODE_GROUNDS, "bracket"),
    "margin_text": ("margin",),
    "margin_current": ("margin", "current_line"),
    "selection_text": ("selection",),
    "banner_text": ("banner",),
    "hint": ("background",),
    "placeholder": ("background",),
}


THEMES = ("light", "dark", "high-contrast")


@pytest.fixture(params=THEMES, scope="module")
def theme(request):
    return Theme.load(request.param)


def content(name: str) -> dict:
    return tomllib.loads(resource(f"themes/{name}.toml").read_text("utf-8"))


def too_faint(pairs, least=READABLE) -> list[str]:
    return [
        f"{text} on {ground}: {contrast(color, behind):.2f}"
        for (text, color), (ground, behind) in pairs
        if contrast(color, behind) < least
    ]


def named(colors, *names):
    return [(name, getattr(colors, name)) for name in names]


def test_black_on_white_has_the_largest_contrast():
    assert contrast(QColor("black"), QColor("white")) == pytest.approx(21)


def test_all_files_have_the_same_keys_in_the_same_order():
    light, *others = map(content, THEMES)
    for other in others:
        assert list(light) == list(other)
        for table in ("ui", "code", "marks", "diff", "bands", "tokens"):
            assert list(light[table]) == list(other[table])
        styles = [
            {key: {**row, "color": ""} for key, row in c["tokens"].items()} for c in (light, other)
        ]
        assert styles[0] == styles[1]


def test_only_one_theme_is_light(light, dark):
    assert (light.dark, dark.dark) == (False, True)
    assert luminance(light.ui.base) > luminance(light.ui.text)
    assert luminance(dark.ui.base) < luminance(dark.ui.text)


@pytest.mark.parametrize(("text", "grounds"), UI_TEXTS.items(), ids=UI_TEXTS)
def test_text_of_the_window_is_readable(theme, text, grounds):
    assert not too_faint(product(named(theme.ui, text), named(theme.ui, *grounds)))


@pytest.mark.parametrize(("text", "grounds"), CODE_TEXTS.items(), ids=CODE_TEXTS)
def test_text_beside_code_is_readable(theme, text, grounds):
    assert not too_faint(product(named(theme.code, text), named(theme.code, *grounds)))


def test_tokens_are_readable_on_all_grounds_of_code(theme):
    tokens = [(str(token), style.color) for token, style in theme.tokens.items()]
    assert not too_faint(product(tokens, named(theme.code, *CODE_GROUNDS)))


def test_tokens_are_readable_where_texts_differ(theme):
    tokens = [(str(token), style.color) for token, style in theme.tokens.items()]
    assert not too_faint(product(tokens, named(theme.diff, *DIFF_GROUNDS)))


def test_bars_are_seen_on_the_ground_of_code_and_in_margins(theme):
    steps = [(f"step {number}", color) for number, color in enumerate(theme.pressure)]
    assert len({color.name() for _, color in steps}) == len(steps) >= 8
    assert not too_faint(product(steps, named(theme.code, "background", "margin")), VISIBLE)
    assert theme.step(0) == theme.pressure[0]
    assert theme.step(0.5) == theme.pressure[len(steps) // 2]
    assert theme.step(1) == theme.pressure[-1]


def test_brackets_are_readable_where_they_are_paired(theme):
    tokens = [
        (str(token), theme.token_style(token).color) for token in (Operator, Punctuation, Token)
    ]
    assert not too_faint(product(tokens, named(theme.code, "bracket")))


def test_marks_are_readable_in_lists_and_in_code(theme):
    marks = named(theme.marks, "error", "warning", "info", "success")
    grounds = named(theme.ui, "window", "base", "alternate")
    assert not too_faint(product(marks, grounds + named(theme.code, "background", "current_line")))


def test_inactive_controls_and_the_focus_frame_are_visible(theme):
    colors = named(theme.ui, "disabled_text", "accent")
    assert not too_faint(product(colors, named(theme.ui, "window", "base")), VISIBLE)


def test_code_is_readable_on_the_bands_of_lines_that_belong_together(theme):
    tokens = [(str(token), style.color) for token, style in theme.tokens.items()]
    texts = [*tokens, *named(theme.code, "text")]
    for bands in (theme.bands, theme.matched):
        assert len(set(map(QColor.name, bands))) == HUES
        assert not too_faint(product(texts, [(band.name(), band) for band in bands]))


def test_the_formula_of_differences_is_that_of_its_paper():
    # Pairs 1, 9, 19 and 25 of its table 1.
    for one, other, expected in (
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, 2.49, -0.001), (50, -2.49, 0.0009), 7.1792),
        ((50, 2.5, 0), (56, -27, -3), 31.9030),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
    ):
        assert difference(one, other) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("grounds", ["bands", "matched", "edges"])
def test_neighbouring_bands_are_told_apart_by_everybody(theme, grounds, sight):
    seen = [lab(color, sight) for color in getattr(theme, grounds)]
    assert all(difference(*pair) >= APART for pair in pairwise((*seen, seen[0])))


@pytest.mark.parametrize("sight", SIGHTS)
def test_both_sides_of_a_difference_are_told_apart_by_everybody(theme, sight):
    def apart(one, other):
        return difference(lab(one, sight), lab(other, sight))

    diff, plain = theme.diff, theme.code.background
    assert apart(diff.removed_part, diff.added_part) >= APART
    assert apart(diff.removed, diff.added) >= APART
    for line, part in ((diff.removed, diff.removed_part), (diff.added, diff.added_part)):
        assert apart(line, plain) >= SEEN
        assert apart(line, part) >= SEEN


def test_bands_survive_a_projector(theme):
    # WCAG reckons with stray light of a twentieth of white, as a projector in a lit room has it.
    assert not too_faint(
        product(
            [(f"edge {number}", color) for number, color in enumerate(theme.edges)],
            named(theme.code, "background"),
        ),
        VISIBLE,
    )


def test_fields_have_borders_that_are_seen(theme):
    colors = named(theme.ui, "field_border")
    # Fusion draws the frames of tick boxes and numbers itself, darker than it is told.
    drawn = theme.ui.field_border.lighter(140).darker(140)
    grounds = named(theme.ui, "window", "base", "alternate", "button")
    assert not too_faint(product([*colors, ("frame", drawn)], grounds), VISIBLE)


def test_high_contrast_is_high():
    theme = Theme.load("high-contrast")
    tokens = [(str(token), style.color) for token, style in theme.tokens.items()]
    assert not too_faint(product(tokens, named(theme.code, "background", "current_line")), 7)
    texts = named(theme.ui, "text", "muted_text", "link", "accent", "field_border")
    assert not too_faint(product(texts, named(theme.ui, *UI_GROUNDS)), 7)


def test_a_line_that_is_pointed_at_stands_out_from_its_band(theme):
    assert all(
        contrast(strong, theme.code.background) > contrast(soft, theme.code.background)
        for soft, strong in zip(theme.bands, theme.matched, strict=True)
    )


def test_a_token_takes_the_style_of_its_nearest_parent(dark):
    assert dark.token_style(Name.Function.Magic) == dark.tokens[Name.Function]
    assert dark.token_style(Keyword.Reserved) == dark.tokens[Keyword]
    assert dark.token_style(Token.Literal.Date) == dark.tokens[Token]
    assert dark.token_style(Comment.Multiline).color == dark.tokens[Comment].color


def test_a_format_carries_weight_slant_and_colour(dark):
    label, comment = dark.token_format(Name.Label), dark.token_format(Comment.Single)
    assert label.fontWeight() == QFont.Weight.Bold
    assert not label.fontItalic()
    assert comment.fontItalic()
    assert comment.foreground().color() == dark.tokens[Comment].color


@pytest.mark.parametrize(
    ("token", "is_prose"),
    [(Comment.Single, True), (String.Double, True), (Comment.Preproc, False), (Name, False)],
)
def test_brackets_count_in_directives_but_not_in_comments_and_strings(dark, token, is_prose):
    assert dark.token_format(token).hasProperty(IS_PROSE) is is_prose


@pytest.mark.parametrize(
    ("line", "instead", "message"),
    [
        ("base = .*", "", r"ui\.base is missing"),
        ("accent = (.*)", r"accent = \1\nglow = \1", r"ui\.glow is unknown"),
        ("hint = .*", "hint = 'greenish'", r"code\.hint: 'greenish' is not a colour"),
        ('"Error" = .*', '"Error" = { color = "" }', r"tokens\.Error: '' is not a colour"),
    ],
)
def test_a_broken_file_is_refused_with_the_key(tmp_path, monkeypatch, line, instead, message):
    text = resource("themes/dark.toml").read_text("utf-8")
    text, count = re.subn(f"^{line}$", instead, text, flags=re.MULTILINE)
    assert count == 1
    (tmp_path / "mine.toml").write_text(text, "utf-8")
    monkeypatch.setattr(theme_module, "resource", lambda _name: tmp_path / "mine.toml")
    with pytest.raises(ThemeError, match=message):
        Theme.load("mine")


def test_a_theme_that_is_not_there_is_told_by_name():
    with pytest.raises(FileNotFoundError, match=r"themes/blue\.toml"):
        Theme.load("blue")


def test_the_palette_leaves_no_role_to_the_platform(theme):
    colors = palette(theme)
    for role in QPalette.ColorRole:
        if role not in (QPalette.ColorRole.NoRole, QPalette.ColorRole.NColorRoles):
            assert colors.isBrushSet(QPalette.ColorGroup.Active, role), role
    assert colors.color(QPalette.ColorRole.Base) == theme.ui.base
    assert (
        colors.color(QPalette.ColorGroup.Disabled, QPalette.ColorRole.ButtonText)
        == theme.ui.disabled_text
    )


@pytest.fixture
def undressed(qapp):
    before = qapp.palette()
    yield qapp
    qapp.setStyleSheet("")
    qapp.setPalette(before)


def test_a_theme_dresses_the_whole_application(undressed, theme):
    apply_theme(undressed, theme)
    assert QApplication.palette().color(QPalette.ColorRole.Window) == theme.ui.window
    assert "$" not in undressed.styleSheet().partition("*/")[2]


def test_a_style_sheet_names_each_colour_by_its_role(undressed, theme):
    apply_theme(undressed, theme)
    sheet = undressed.styleSheet()
    for role, key in theme_module._ROLES.items():
        word = theme_module._sheet_word(role)
        label = QLabel()
        label.setStyleSheet(f"color: palette({word})")
        label.ensurePolished()
        assert label.palette().color(QPalette.ColorRole.WindowText) == theme.color(f"ui.{key}"), (
            word
        )
    assert set(re.findall(r"palette\(([a-z-]+)\)", sheet)) <= {
        *map(theme_module._sheet_word, theme_module._ROLES)
    }


def test_another_theme_leaves_the_sheet_and_reaches_hidden_widgets_by_turns(undressed, qtbot):
    """A sheet set anew takes Qt a quarter of a second for a window with all panes."""
    light, dark = (Theme.load(name) for name in ("light", "dark"))
    apply_theme(undressed, light)
    sheet = undressed.styleSheet()
    seen, hidden = QPushButton("seen"), QPushButton("hidden")
    for button in (seen, hidden):
        qtbot.addWidget(button)
        button.ensurePolished()
    seen.show()
    apply_theme(undressed, dark)
    assert undressed.styleSheet() == sheet

    def ground(button):
        return button.grab().toImage().pixelColor(button.rect().center().x(), 3)

    assert ground(seen) == dark.ui.button
    qtbot.waitUntil(lambda: ground(hidden) == dark.ui.button)


def test_icons_of_dialogs_and_of_what_has_no_room_are_seen(undressed, qtbot, theme):
    apply_theme(undressed, theme)
    window = QMainWindow()
    bar = window.addToolBar("bar")
    bar.addWidget(QLabel("wider than the window " * 40))
    dialog = QFileDialog(window)
    dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
    for shown in (window, dialog):
        qtbot.addWidget(shown)
        shown.resize(300, 300)
        shown.show()
    buttons = [dialog.findChild(QToolButton, name) for name in ("backButton", "toParentButton")]
    buttons.append(bar.findChild(QToolButton, "qt_toolbar_ext_button"))
    for button in buttons:
        image = button.icon().pixmap(QSize(16, 16)).toImage()
        drawn = {
            image.pixelColor(x, y).name()
            for x, y in product(range(image.width()), range(image.height()))
            if image.pixelColor(x, y).alpha() > 200
        }
        assert drawn, button.objectName()
        marks = [(name, QColor(name)) for name in drawn]
        assert not too_faint(product(marks, named(theme.ui, "window")), VISIBLE)
    box = QMessageBox(QMessageBox.Icon.Question, "", "Save?", QMessageBox.StandardButton.Close)
    qtbot.addWidget(box)
    box.show()
    assert all(button.icon().isNull() for button in box.buttons())


def test_followers_are_called_once_the_application_has_the_theme(undressed, qtbot):
    keeper = ThemeKeeper(undressed, ThemeMode.LIGHT)
    owner, seen = QLabel(), []
    qtbot.addWidget(owner)

    def see(_owner):
        ground = undressed.palette().color(QPalette.ColorRole.Base)
        assert ground == current_theme().ui.base
        seen.append(current_theme().dark)

    follow_theme(owner, see)
    keeper.set_mode(ThemeMode.DARK)
    assert keeper.mode is ThemeMode.DARK
    keeper.set_mode(ThemeMode.DARK)
    keeper.set_mode(ThemeMode.LIGHT)
    assert seen == [False, True, False]


def test_who_is_gone_follows_no_more(undressed):
    keeper = ThemeKeeper(undressed, ThemeMode.LIGHT)
    owner, seen = QObject(), []
    follow_theme(owner, seen.append)
    delete(owner)
    seen.clear()
    keeper.set_mode(ThemeMode.DARK)
    assert seen == []


def test_an_editor_changes_its_ground_with_the_theme(undressed, qtbot):
    keeper = ThemeKeeper(undressed, ThemeMode.LIGHT)
    editor = CodeEditor()
    qtbot.addWidget(editor)
    editor.show()
    for mode in (ThemeMode.DARK, ThemeMode.LIGHT):
        keeper.set_mode(mode)
        shown = editor.viewport().grab().toImage()
        ground = shown.pixelColor(shown.width() - 5, shown.height() - 5)
        assert ground == current_theme().code.background


def test_pictures_of_the_style_sheet_are_seen_on_all_grounds(theme):
    grounds = named(theme.ui, *UI_GROUNDS)
    for picture in theme_module._PICTURES:
        text = resource(f"themes/{picture}.svg").read_text("utf-8")
        (stroke,) = re.findall(r'stroke="(#\w+)"', text)
        assert not too_faint(product([(picture, QColor(stroke))], grounds), VISIBLE)
