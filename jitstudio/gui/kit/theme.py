"""The colours of the window and of code: read from `resources/themes`, given to Qt.

Knows no widget of jitstudio. Widgets that paint themselves ask `current_theme`.

What is set once, such as an icon or a palette, is set by `follow_theme`, as a change of theme
repaints all; icons on buttons by `show_icon`. To add a theme: a file in `resources/themes` with all
keys of the others, a member of `ThemeMode` and a choice in the settings;
`tests/gui/kit/test_theme.py` holds its colours to contrasts and differences.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from string import Template
from typing import Any, NamedTuple, TypeVar

from pygments.token import Comment, String, Token, string_to_tokentype
from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QColor, QFont, QPalette, QTextCharFormat, QTextFormat
from PySide6.QtWidgets import QApplication, QToolTip, QWidget

from jitstudio.gui.kit.fonts import LETTERS, SignalFollower, gap, scaled
from jitstudio.gui.kit.widget_turns import WidgetTurns
from jitstudio.system.paths import resource

TokenType = Any
"""A Pygments token type; Pygments has no class for it that a type checker could use."""

STYLE = "Fusion"
"""Who draws the controls. Named when the application is made: `setStyle` gives the style back, and
wrapping it takes PySide longer than all the rest of a theme."""

IS_PROSE = QTextFormat.Property.UserProperty.value + 1
"""Set in the formats of comments and strings: a bracket there pairs with nothing."""

STALE_BAR = 3
"""Height in pixels of the bar over content that is not of the newest text."""


class UiColors(NamedTuple):
    """The colours of windows, panels and controls: the `[ui]` table."""

    window: QColor
    base: QColor
    alternate: QColor
    text: QColor
    muted_text: QColor
    disabled_text: QColor
    button: QColor
    button_hover: QColor
    border: QColor
    field_border: QColor
    accent: QColor
    highlight: QColor
    highlight_text: QColor
    link: QColor
    link_visited: QColor
    tooltip: QColor
    tooltip_text: QColor


class CodeColors(NamedTuple):
    """The colours of editors and listings: the `[code]` table."""

    background: QColor
    text: QColor
    current_line: QColor
    margin: QColor
    margin_text: QColor
    margin_current: QColor
    selection: QColor
    selection_text: QColor
    occurrence: QColor
    bracket: QColor
    match: QColor
    banner: QColor
    banner_text: QColor
    hint: QColor
    placeholder: QColor


class MarkColors(NamedTuple):
    """The colours of findings: the `[marks]` table; the first three are named as severities."""

    error: QColor
    warning: QColor
    info: QColor
    success: QColor


class DiffColors(NamedTuple):
    """The grounds of two texts side by side: the `[diff]` table."""

    removed: QColor
    removed_part: QColor
    added: QColor
    added_part: QColor
    control_part: QColor
    missing: QColor


class TokenStyle(NamedTuple):
    """The look of a kind of token."""

    color: QColor
    bold: bool = False
    italic: bool = False


class ThemeError(ValueError):
    """A theme file lacks keys or has unknown keys; the message names the file and the key."""


_Colors = TypeVar("_Colors", UiColors, CodeColors, MarkColors, DiffColors)


class Theme(NamedTuple):
    """All colours, as read from a theme file.

    Attributes:
        name: The name.
        dark: Whether it is light text on dark ground.
        ui: Windows and controls.
        code: Editors and listings.
        marks: Errors, warnings and remarks.
        diff: Two texts side by side.
        pressure: Of bars, from few live registers to many.
        bands, matched: Highlights of lines that belong together, and of those that are pointed at.
        edges: The left edges of the first.
        tokens: The styles of those token types that the file names.
        styles, formats: Those of the token types that have been asked for.
    """

    name: str
    dark: bool
    ui: UiColors
    code: CodeColors
    marks: MarkColors
    diff: DiffColors
    pressure: tuple[QColor, ...]
    bands: tuple[QColor, ...]
    matched: tuple[QColor, ...]
    edges: tuple[QColor, ...]
    tokens: Mapping[TokenType, TokenStyle]
    styles: dict[TokenType, TokenStyle]
    formats: dict[TokenType, QTextCharFormat]

    @classmethod
    def load(cls, name: str) -> Theme:
        """Reads a theme.

        Args:
            name: A file in `resources/themes` without its ending, such as ``"dark"``.

        Raises:
            ThemeError: If a key is missing, unknown or no colour.
            FileNotFoundError: If there is no such theme.
        """
        content = tomllib.loads(resource(f"themes/{name}.toml").read_text("utf-8"))
        return cls(
            name=content["name"],
            dark=content["dark"],
            ui=_colors(UiColors, content, "ui", name),
            code=_colors(CodeColors, content, "code", name),
            marks=_colors(MarkColors, content, "marks", name),
            diff=_colors(DiffColors, content, "diff", name),
            pressure=_row(content, "pressure", "steps", name),
            bands=_row(content, "bands", "hues", name),
            matched=_row(content, "bands", "matched", name),
            edges=_row(content, "bands", "edges", name),
            tokens={
                string_to_tokentype("" if key == "Token" else key): TokenStyle(
                    **{**row, "color": _color(row["color"], f"{name}: tokens.{key}")}
                )
                for key, row in content["tokens"].items()
            },
            styles={},
            formats={},
        )

    def color(self, key: str) -> QColor:
        """Returns the colour of a key of the theme file with table, like ``"ui.text"``."""
        table, _, name = key.partition(".")
        color: QColor = getattr(getattr(self, table), name)
        return color

    def step(self, share: float) -> QColor:
        """Returns the colour of a bar of live registers that is so long, from 0 to 1."""
        return self.pressure[min(len(self.pressure) - 1, int(share * len(self.pressure)))]

    def token_style(self, token: TokenType) -> TokenStyle:
        """Returns the style of a token type, or of the nearest parent in the theme file."""
        style = self.styles.get(token)
        if style is None:
            known = next((t for t in reversed(token.split()) if t in self.tokens), Token)
            style = self.styles[token] = self.tokens[known]
        return style

    def token_format(self, token: TokenType) -> QTextCharFormat:
        """Returns the format of a token type, a shared object: take a copy for changes."""
        format_ = self.formats.get(token)
        if format_ is None:
            style = self.token_style(token)
            format_ = self.formats[token] = QTextCharFormat()
            format_.setForeground(style.color)
            if style.bold:
                format_.setFontWeight(QFont.Weight.Bold)
            format_.setFontItalic(style.italic)
            if token in String or (token in Comment and token not in Comment.Preproc):
                format_.setProperty(IS_PROSE, True)
        return format_


def _colors(kind: type[_Colors], content: Mapping[str, Any], table: str, name: str) -> _Colors:
    entries = content.get(table, {})
    wanted = set(kind._fields)
    for key in sorted(wanted ^ entries.keys()):
        problem = "is missing" if key in wanted else "is unknown"
        raise ThemeError(f"Theme {name!r}: {table}.{key} {problem}")
    return kind(**{key: _color(value, f"{name}: {table}.{key}") for key, value in entries.items()})


def _row(content: Mapping[str, Any], table: str, key: str, name: str) -> tuple[QColor, ...]:
    return tuple(_color(value, f"{name}: {table}.{key}") for value in content[table][key])


def _color(value: str, where: str) -> QColor:
    color = QColor.fromString(value)
    if not color.isValid():
        raise ThemeError(f"Theme {where}: {value!r} is not a colour")
    return color


_PICTURES = ("down", "left", "right", "up", "more")
_OUTLINE = 140
# A style sheet set anew takes 0.15 ms for each widget there is. Below this zoom bars would grow by
# a pixel or two only, and above it they follow when the user has chosen.
_BARS_GROW_FROM = 1.5
_CHOSEN_MS = 150
# Of a style sheet, but for lines; pictures grow with the letters, and what is around them less.
_PIXELS = r"\b(?:[2-9]|\d{2,})(?=px)"
_PICTURES_OF = (
    r"(image: (?:(?!image: )[^;])+; width: \d+px; height: \d+px|(?:icon-size|padding-right): \d+px)"
)
# Two roles that no control of the style draws with are those of colours which only the sheet uses.
_ROLES = {
    QPalette.ColorRole.Window: "window",
    QPalette.ColorRole.WindowText: "text",
    QPalette.ColorRole.Base: "base",
    QPalette.ColorRole.AlternateBase: "alternate",
    QPalette.ColorRole.Text: "text",
    QPalette.ColorRole.PlaceholderText: "muted_text",
    QPalette.ColorRole.Button: "button",
    QPalette.ColorRole.ButtonText: "text",
    QPalette.ColorRole.BrightText: "disabled_text",
    QPalette.ColorRole.Highlight: "highlight",
    QPalette.ColorRole.HighlightedText: "highlight_text",
    QPalette.ColorRole.Accent: "accent",
    QPalette.ColorRole.Link: "link",
    QPalette.ColorRole.LinkVisited: "link_visited",
    QPalette.ColorRole.ToolTipBase: "tooltip",
    QPalette.ColorRole.ToolTipText: "tooltip_text",
    # Fusion draws frames and grooves with these; left alone they stay those of a light window.
    QPalette.ColorRole.Light: "button_hover",
    QPalette.ColorRole.Midlight: "button_hover",
    QPalette.ColorRole.Mid: "border",
    QPalette.ColorRole.Dark: "border",
    QPalette.ColorRole.Shadow: "field_border",
}
# The words of style sheets for roles, where they are not those of the palette in other letters.
_SHEET_WORDS = {"ToolTipBase": "tooltip-base", "ToolTipText": "tooltip-text"}
_DISABLED_ROLES = {
    QPalette.ColorRole.WindowText: "disabled_text",
    QPalette.ColorRole.Text: "disabled_text",
    QPalette.ColorRole.ButtonText: "disabled_text",
    QPalette.ColorRole.PlaceholderText: "disabled_text",
    QPalette.ColorRole.Base: "window",
    QPalette.ColorRole.Button: "window",
    QPalette.ColorRole.Highlight: "border",
    QPalette.ColorRole.HighlightedText: "text",
}
_CODE_ROLES = {
    QPalette.ColorRole.Base: "background",
    QPalette.ColorRole.Text: "text",
    QPalette.ColorRole.Highlight: "selection",
    QPalette.ColorRole.HighlightedText: "selection_text",
    QPalette.ColorRole.PlaceholderText: "placeholder",
}


def palette(theme: Theme) -> QPalette:
    """Returns the palette of a theme, every role set: no platform's own colour shines through."""
    colors = QPalette()
    for role, key in _ROLES.items():
        colors.setColor(QPalette.ColorGroup.All, role, getattr(theme.ui, key))
    for role, key in _DISABLED_ROLES.items():
        colors.setColor(QPalette.ColorGroup.Disabled, role, getattr(theme.ui, key))
    return colors


def code_palette(theme: Theme, around: QPalette) -> QPalette:
    """Returns the palette of an editor of code, within a window with palette `around`."""
    colors = QPalette(around)
    for role, key in _CODE_ROLES.items():
        colors.setColor(role, getattr(theme.code, key))
    return colors


class _CurrentTheme(QObject):
    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._theme: Theme | None = None

    @property
    def theme(self) -> Theme:
        if self._theme is None:
            self._theme = _loaded(ThemeMode.LIGHT)
        return self._theme

    def set(self, theme: Theme) -> None:
        if theme is not self._theme:
            self._theme = theme
            self.changed.emit()


_CURRENT = _CurrentTheme()
_Owner = TypeVar("_Owner", bound=QObject)


def current_theme() -> Theme:
    """Returns the theme that the application shows; there is a single theme, like the palette.

    Painting reads the theme at that moment: a change of theme repaints all widgets, as Qt does for
    a palette.
    """
    return _CURRENT.theme


def follow_theme(owner: _Owner, apply: Callable[[_Owner], object]) -> None:
    """Calls `apply(owner)` now and whenever `current_theme` changes, as long as `owner` lives."""
    apply(owner)
    when_theme_changes(owner, apply)


def when_theme_changes(owner: _Owner, do: Callable[[_Owner], object]) -> None:
    """Calls `do(owner)` whenever `current_theme` changes, as long as `owner` lives."""
    SignalFollower(owner, do, _CURRENT.changed)


def set_current_theme(theme: Theme) -> None:
    """Sets the theme for all followers; `apply_theme` calls this, and sets Qt's part too."""
    _CURRENT.set(theme)


def apply_theme(app: QApplication, theme: Theme) -> None:
    """Applies a theme to the whole application, which draws by `STYLE`.

    Sets the palette and a small style sheet, and calls the functions of `follow_theme`.
    """
    colors = palette(theme)
    app.setPalette(colors)
    QToolTip.setPalette(colors)
    # Fusion draws the frame of these darker than this role, by 1.4: lost on a dark ground.
    ticks = QPalette(colors)
    ticks.setColor(QPalette.ColorRole.Window, theme.ui.field_border.lighter(_OUTLINE))
    for kind in ("QCheckBox", "QRadioButton", "QAbstractSpinBox"):
        # The stub asks for bytes, which the function refuses.
        app.setPalette(ticks, kind)  # type: ignore[arg-type]
    if not _apply_sheet(app):
        _DRESSING.start()
    set_current_theme(theme)


def _apply_sheet(app: QApplication) -> bool:
    """Sets the style sheet at the present zoom, which dresses all widgets, unless set already.

    The sheet names roles of the palette: that of all themes is the same. For another sheet Qt looks
    at each widget twice, which takes a window with all panes a quarter of a second.
    """
    sized = _sized(_sheet())
    if sized == app.styleSheet():
        return False
    # To take one off and put the other on takes Qt less time than to replace it, which ends the
    # program where widgets are gone whose rules Qt has kept.
    app.setStyleSheet("")
    app.setStyleSheet(sized)
    return True


@cache
def _sheet() -> str:
    template = Template(resource("themes/application.qss").read_text("utf-8"))
    roles = {key: f"palette({_sheet_word(role)})" for role, key in _ROLES.items()}
    # A style sheet takes pictures from files only, and cannot colour them: theirs is a grey that
    # is seen on all grounds.
    pictures = {name: resource(f"themes/{name}.svg").as_posix() for name in _PICTURES}
    return template.substitute(roles | pictures)


def _sheet_word(role: QPalette.ColorRole) -> str:
    return _SHEET_WORDS.get(role.name) or re.sub(r"(?<!^)(?=[A-Z])", "-", role.name).lower()


def _dress(widget: QWidget) -> None:
    """Has the rules of the style sheet for a widget read anew, in the colours of the palette."""
    QApplication.style().polish(widget)
    widget.update()


_DRESSING = WidgetTurns(_dress)


def _sized(sheet: str) -> str:
    """Returns a style sheet at the zoom that there is now. Lines stay as thin as they are."""
    if LETTERS.zoom < _BARS_GROW_FROM:
        return sheet
    parts = re.split(_PICTURES_OF, sheet)
    return "".join(
        re.sub(_PIXELS, _scaled if at % 2 else _spaced, part) for at, part in enumerate(parts)
    )


def _scaled(pixels: re.Match[str]) -> str:
    return str(scaled(int(pixels[0])))


def _spaced(pixels: re.Match[str]) -> str:
    return str(gap(int(pixels[0])))


class ThemeMode(Enum):
    """The user's choice of theme; the value is the word for settings."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"
    HIGH_CONTRAST = "high-contrast"


_FORCED_SCHEMES = {
    ThemeMode.SYSTEM: Qt.ColorScheme.Unknown,
    ThemeMode.LIGHT: Qt.ColorScheme.Light,
    ThemeMode.DARK: Qt.ColorScheme.Dark,
    ThemeMode.HIGH_CONTRAST: Qt.ColorScheme.Dark,
}


@cache
def _loaded(mode: ThemeMode) -> Theme:
    return Theme.load(mode.value)


class ThemeKeeper(QObject):
    """Applies the theme that the user, or the system, chose."""

    def __init__(
        self,
        app: QApplication,
        mode: ThemeMode = ThemeMode.SYSTEM,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._app = app
        # Held: PySide deletes the hint object with the last Python reference to it.
        self._hints = app.styleHints()
        self._mode = mode
        self._hints.setColorScheme(_FORCED_SCHEMES[mode])
        apply_theme(app, self._wanted())
        self._hints.colorSchemeChanged.connect(self._on_scheme_changed)
        self._chosen = QTimer(self, interval=_CHOSEN_MS, singleShot=True)
        self._chosen.timeout.connect(self._on_zoom_chosen)
        LETTERS.changed.connect(self._chosen.start)

    @property
    def mode(self) -> ThemeMode:
        """The user's choice of theme."""
        return self._mode

    def set_mode(self, mode: ThemeMode) -> None:
        """Applies a theme, or follows the system."""
        self._mode = mode
        # Qt gets it as well: the platform then draws title bars and file dialogs to match.
        self._hints.setColorScheme(_FORCED_SCHEMES[mode])
        self._update()

    def _wanted(self) -> Theme:
        if self._mode is not ThemeMode.SYSTEM:
            return _loaded(self._mode)
        is_dark = self._hints.colorScheme() == Qt.ColorScheme.Dark
        return _loaded(ThemeMode.DARK if is_dark else ThemeMode.LIGHT)

    def _update(self) -> None:
        wanted = self._wanted()
        if wanted is not current_theme():
            apply_theme(self._app, wanted)

    @Slot()
    def _on_zoom_chosen(self) -> None:
        """Has bars and gaps grow with the letters."""
        if _apply_sheet(self._app):
            _DRESSING.stop()

    @Slot(Qt.ColorScheme)
    def _on_scheme_changed(self, _scheme: Qt.ColorScheme) -> None:
        self._update()
