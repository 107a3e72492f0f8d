"""The table of commands."""

from collections import Counter

from PySide6.QtGui import QKeySequence

from jitstudio.gui.shell.commands.actions import ACTIONS
from jitstudio.gui.shell.commands.spec import MENUS, SUBMENUS, KeyScope
from jitstudio.paths import resource


def test_no_two_commands_share_a_key():
    keys = Counter(
        (QKeySequence(key).toString(), spec.where is KeyScope.STEPPING)
        for spec in ACTIONS
        for key in spec.keys
    )
    assert [key for key, count in keys.items() if count > 1] == []


def test_rows_are_complete():
    for spec in ACTIONS:
        assert spec.menu in (*MENUS, *SUBMENUS), spec
        assert spec.id.endswith("Action"), spec
        assert all(not QKeySequence(key).isEmpty() for key in spec.keys), spec
        assert not spec.icon or resource(f"icons/{spec.icon}.svg").is_file(), spec


def test_no_two_commands_of_a_menu_share_a_mnemonic():
    for menu in (*MENUS, *SUBMENUS):
        letters = [
            spec.text[spec.text.index("&") + 1].lower()
            for spec in ACTIONS
            if spec.menu == menu and "&" in spec.text
        ]
        assert [k for k, n in Counter(letters).items() if n > 1] == [], menu
