"""All settings in one table: the dialog shows the table, `Preferences` keeps the values.

To add a setting: a row here, and code that works by it and follows `Preferences.changed`;
`tests/gui/test_settings_are_followed.py` fails on a row that nobody follows. `python3 -m
tests.manual` writes the page.
"""

from __future__ import annotations

import sys
from math import isfinite
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication

from jitstudio.gui.kit.command_keys import COMMAND_KEYS
from jitstudio.gui.kit.fonts import CODE_FAMILY, DEFAULT_SIZE
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP

SettingValue = bool | int | float | str

CONTEXT = "Settings"
"""The context of all texts of the table for a translator."""

_TRUTHS = {"true": True, "1": True, "false": False, "0": False}


class SettingChoice(NamedTuple):
    """One of several values, with the words for the user."""

    value: str
    title: str


class Setting(NamedTuple):
    """A setting; the type is that of the default.

    Attributes:
        key: The identity of the setting, also in the settings file.
        group: The heading it is under.
        title: The title for the user.
        sentence: The effect, as a sentence.
        default: The value until the user chooses.
        least, most: The range of a number.
        step: By how much a key changes a number.
        unit: The unit of a number.
        choices: All values of a text.
        is_font: Whether it is a text that names a family of fonts.
        is_path: Whether it is a text that names a file; any text will do.
        instead: The file that is meant where none is named.
        command: The command whose keys the sentence has, as ``{keys}``.
    """

    key: str
    group: str
    title: str
    sentence: str
    default: SettingValue
    least: float = 0
    most: float = 0
    step: float = 1
    unit: str = ""
    choices: tuple[SettingChoice, ...] = ()
    is_font: bool = False
    is_path: bool = False
    instead: str = ""
    command: str = ""

    @property
    def explanation(self) -> str:
        """The explanation in the user's language, with the present keys of the command."""
        message = QCoreApplication.translate(CONTEXT, self.sentence)
        return message.format(keys=COMMAND_KEYS.words(self.command)) if self.command else message

    def read(self, stored: object) -> SettingValue:
        """Returns a valid value for `stored`: INI files return text, and anybody may edit them."""
        if isinstance(self.default, bool):
            return _TRUTHS.get(str(stored).casefold(), self.default)
        if self.is_font:
            # A font that is gone may come back: another is drawn until then.
            return str(stored) if str(stored).strip() else self.default
        if self.is_path:
            return str(stored).strip()
        if isinstance(self.default, str):
            values = {choice.value for choice in self.choices}
            return str(stored) if str(stored) in values else self.default
        return self._number(str(stored))

    def _number(self, text: str) -> SettingValue:
        try:
            number = float(text)
        except ValueError:
            return self.default
        if not isfinite(number):
            return self.default
        number = min(self.most, max(self.least, number))
        return int(number) if isinstance(self.default, int) else number


APPEARANCE = QT_TRANSLATE_NOOP("Settings", "Appearance")
EDITOR = QT_TRANSLATE_NOOP("Settings", "Editor")
LISTINGS = QT_TRANSLATE_NOOP("Settings", "PTX and SASS")
BUILD = QT_TRANSLATE_NOOP("Settings", "Build")
LAUNCH = QT_TRANSLATE_NOOP("Settings", "Launch")
SESSION = QT_TRANSLATE_NOOP("Settings", "Session")
PYTHON = QT_TRANSLATE_NOOP("Settings", "Python")
STARTUP = QT_TRANSLATE_NOOP("Settings", "Start")

DEMANGLE = "listings.demangle"
"""The key of the setting by which names are shown in C++."""
RAW_SASS = "listings.raw_sass"
"""The key of the setting by which SASS is shown as nvdisasm prints it."""
INTERLEAVED = "listings.interleaved"
"""The key of the setting by which source and PTX stand between lines of SASS."""
INTERPRETER = "build.python"
CHECK_AS_BUILT = "lessons.check_as_built"
"""The key of the setting by which the open lesson is checked after each build."""

SETTINGS = (
    Setting(
        "appearance.theme",
        APPEARANCE,
        QT_TRANSLATE_NOOP("Settings", "Theme"),
        QT_TRANSLATE_NOOP("Settings", "The colours of the window and of code."),
        "system",
        choices=(
            SettingChoice("system", QT_TRANSLATE_NOOP("Settings", "As the system")),
            SettingChoice("light", QT_TRANSLATE_NOOP("Settings", "Light")),
            SettingChoice("dark", QT_TRANSLATE_NOOP("Settings", "Dark")),
            SettingChoice("high-contrast", QT_TRANSLATE_NOOP("Settings", "High contrast")),
        ),
    ),
    Setting(
        "appearance.font_family",
        APPEARANCE,
        QT_TRANSLATE_NOOP("Settings", "Font of code"),
        QT_TRANSLATE_NOOP(
            "Settings", "A monospaced font of this machine, for editors, listings and options."
        ),
        CODE_FAMILY,
        is_font=True,
    ),
    Setting(
        "appearance.font_size",
        APPEARANCE,
        QT_TRANSLATE_NOOP("Settings", "Size of code"),
        QT_TRANSLATE_NOOP(
            "Settings", "In editors and listings. Ctrl with the wheel changes it as well."
        ),
        DEFAULT_SIZE,
        least=6.0,
        most=48.0,
        step=0.5,
        unit=QT_TRANSLATE_NOOP("Settings", "pt"),
    ),
    Setting(
        DEMANGLE,
        LISTINGS,
        QT_TRANSLATE_NOOP("Settings", "Demangled names"),
        QT_TRANSLATE_NOOP(
            "Settings",
            "PTX, SASS and Compare show saxpy<float>(…) for _Z5saxpyIf…. What is saved and "
            "built stays.",
        ),
        True,
    ),
    Setting(
        RAW_SASS,
        LISTINGS,
        QT_TRANSLATE_NOOP("Settings", "SASS as printed"),
        QT_TRANSLATE_NOOP(
            "Settings",
            "Shows c[0x0][0x218] instead of the parameter n, and labels that nothing jumps to. "
            "What is copied, found and saved is so in any case.",
        ),
        False,
    ),
    Setting(
        INTERLEAVED,
        LISTINGS,
        QT_TRANSLATE_NOOP("Settings", "Source, PTX and SASS in turn"),
        QT_TRANSLATE_NOOP(
            "Settings",
            "The pane of SASS has each line of the source with the PTX and SASS made of it.",
        ),
        False,
    ),
    Setting(
        "listings.bands",
        LISTINGS,
        QT_TRANSLATE_NOOP("Settings", "Colour matching lines"),
        QT_TRANSLATE_NOOP(
            "Settings", "Lines of source, PTX and SASS that belong together have one colour."
        ),
        True,
    ),
    Setting(
        "listings.follow",
        LISTINGS,
        QT_TRANSLATE_NOOP("Settings", "Follow the cursor"),
        QT_TRANSLATE_NOOP("Settings", "Scrolls the other panes to what matches the line here."),
        False,
    ),
    Setting(
        "listings.addresses",
        LISTINGS,
        QT_TRANSLATE_NOOP("Settings", "Addresses of SASS"),
        QT_TRANSLATE_NOOP(
            "Settings",
            "A column in front of the instructions, if these leave room for it. What is copied, "
            "found and saved has them in any case.",
        ),
        True,
    ),
    Setting(
        "listings.columns_left",
        LISTINGS,
        QT_TRANSLATE_NOOP("Settings", "Columns left of SASS"),
        QT_TRANSLATE_NOOP(
            "Settings",
            "Live registers and other columns are left of the instructions instead of right.",
        ),
        False,
    ),
    Setting(
        "editor.pressure",
        EDITOR,
        QT_TRANSLATE_NOOP("Settings", "Registers beside the source"),
        QT_TRANSLATE_NOOP(
            "Settings", "Bars for the registers that are alive on each line, once SASS is read."
        ),
        False,
    ),
    Setting(
        "editor.pressure_measure",
        EDITOR,
        QT_TRANSLATE_NOOP("Settings", "What these bars measure"),
        QT_TRANSLATE_NOOP(
            "Settings",
            "Over the instructions of a line: the most registers at once, or the sum; or how often "
            "the last simulated launch executed it.",
        ),
        "highest",
        choices=(
            SettingChoice("highest", QT_TRANSLATE_NOOP("Settings", "The most at once")),
            SettingChoice("total", QT_TRANSLATE_NOOP("Settings", "The sum")),
            SettingChoice("executed", QT_TRANSLATE_NOOP("Settings", "Executions by warps")),
        ),
    ),
    Setting(
        "editor.tab_width",
        EDITOR,
        QT_TRANSLATE_NOOP("Settings", "Tab width"),
        QT_TRANSLATE_NOOP(
            "Settings", "How far apart tab stops are, and how deep a line is indented by Tab."
        ),
        4,
        least=2,
        most=8,
        unit=QT_TRANSLATE_NOOP("Settings", "columns"),
    ),
    Setting(
        "editor.completion",
        EDITOR,
        QT_TRANSLATE_NOOP("Settings", "Complete while typing"),
        QT_TRANSLATE_NOOP(
            "Settings", "Offers words after three letters. To ask for them at any time: {keys}."
        ),
        True,
        command="completeAction",
    ),
    Setting(
        "editor.auto_close",
        EDITOR,
        QT_TRANSLATE_NOOP("Settings", "Close brackets and quotes"),
        QT_TRANSLATE_NOOP("Settings", "Types the second of a pair together with the first."),
        True,
    ),
    Setting(
        "build.on_change",
        BUILD,
        QT_TRANSLATE_NOOP("Settings", "Build on change"),
        QT_TRANSLATE_NOOP("Settings", "Builds automatically after each edit."),
        True,
    ),
    Setting(
        "build.pause",
        BUILD,
        QT_TRANSLATE_NOOP("Settings", "Pause before a build"),
        QT_TRANSLATE_NOOP("Settings", "How long after the last key a build starts automatically."),
        350,
        least=50,
        most=10_000,
        step=50,
        unit=QT_TRANSLATE_NOOP("Settings", "ms"),
    ),
    Setting(
        "build.time_limit",
        BUILD,
        QT_TRANSLATE_NOOP("Settings", "Time limit of a build"),
        QT_TRANSLATE_NOOP("Settings", "A build that takes longer is ended. The next one is fresh."),
        120,
        least=5,
        most=3600,
        step=10,
        unit=QT_TRANSLATE_NOOP("Settings", "s"),
    ),
    Setting(
        "build.memory",
        BUILD,
        QT_TRANSLATE_NOOP("Settings", "Memory of a compiler"),
        QT_TRANSLATE_NOOP(
            "Settings",
            "How much of this machine's memory each compiler process may take, and all of them "
            "together. For each it holds from its next start on. Linux only.",
        ),
        75,
        least=10,
        most=100,
        step=5,
        unit=QT_TRANSLATE_NOOP("Settings", "%"),
    ),
    Setting(
        "build.precompile",
        BUILD,
        QT_TRANSLATE_NOOP("Settings", "Precompile headers"),
        QT_TRANSLATE_NOOP(
            "Settings", "Lets NVRTC keep headers that it has read, which saves time."
        ),
        True,
    ),
    Setting(
        "build.cache",
        BUILD,
        QT_TRANSLATE_NOOP("Settings", "Use the cache"),
        QT_TRANSLATE_NOOP(
            "Settings", "Takes from disk what was compiled before from the same text."
        ),
        True,
    ),
    Setting(
        "build.cache_size",
        BUILD,
        QT_TRANSLATE_NOOP("Settings", "Size of the cache"),
        QT_TRANSLATE_NOOP(
            "Settings",
            "At most so much on disk, for the command line too. From the next build on, what was "
            "not used for the longest time makes room.",
        ),
        512,
        least=64,
        most=65_536,
        step=64,
        unit=QT_TRANSLATE_NOOP("Settings", "MiB"),
    ),
    Setting(
        "build.unsafe_options",
        BUILD,
        QT_TRANSLATE_NOOP("Settings", "Unsafe options"),
        QT_TRANSLATE_NOOP(
            "Settings",
            "Sends options by which LLVM loads native code or writes files, such as -load. Whoever "
            "wrote such a library can do here all that you can.",
        ),
        False,
    ),
    Setting(
        CHECK_AS_BUILT,
        BUILD,
        QT_TRANSLATE_NOOP("Settings", "Check the lesson as I build"),
        QT_TRANSLATE_NOOP(
            "Settings",
            "While a lesson is open, saves your text and checks the goals after each build that "
            "succeeds.",
        ),
        False,
    ),
    Setting(
        "launch.time_limit",
        LAUNCH,
        QT_TRANSLATE_NOOP("Settings", "Time limit of a launch"),
        QT_TRANSLATE_NOOP(
            "Settings", "For kernels whose launch says nothing else. A hung kernel is ended then."
        ),
        30,
        least=1,
        most=3600,
        step=5,
        unit=QT_TRANSLATE_NOOP("Settings", "s"),
    ),
    Setting(
        INTERPRETER,
        PYTHON,
        QT_TRANSLATE_NOOP("Settings", "Python interpreter"),
        QT_TRANSLATE_NOOP(
            "Settings",
            "The program that runs Python files when they are built, such as that of a virtual "
            "environment with Triton or Numba. Empty: the one that jitstudio runs on.",
        ),
        "",
        is_path=True,
        instead=sys.executable,
    ),
    Setting(
        "python.take",
        PYTHON,
        QT_TRANSLATE_NOOP("Settings", "Accept kernels from programs"),
        QT_TRANSLATE_NOOP(
            "Settings",
            "Opens what jitstudio.show hands over in Python. It comes by a socket that no other "
            "user can reach, is data only, and is never run.",
        ),
        True,
    ),
    Setting(
        "session.autosave_seconds",
        SESSION,
        QT_TRANSLATE_NOOP("Settings", "Keep unsaved text after"),
        QT_TRANSLATE_NOOP(
            "Settings",
            "How soon a change is on disk, where no crash can take it. No file is touched.",
        ),
        1,
        least=1,
        most=60,
        unit=QT_TRANSLATE_NOOP("Settings", "s"),
    ),
    Setting(
        "session.on_quit",
        SESSION,
        QT_TRANSLATE_NOOP("Settings", "Unsaved text on quitting"),
        QT_TRANSLATE_NOOP("Settings", "What is kept comes back at the next start, in its tab."),
        "keep",
        choices=(
            SettingChoice("keep", QT_TRANSLATE_NOOP("Settings", "Keep it without a question")),
            SettingChoice("ask", QT_TRANSLATE_NOOP("Settings", "Ask whether to save it")),
        ),
    ),
    Setting(
        "startup.welcome",
        STARTUP,
        QT_TRANSLATE_NOOP("Settings", "Welcome page"),
        QT_TRANSLATE_NOOP("Settings", "Is the first tab when jitstudio starts."),
        True,
    ),
)

BY_KEY = {setting.key: setting for setting in SETTINGS}
