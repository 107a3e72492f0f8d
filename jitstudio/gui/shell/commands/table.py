"""Every command of the window as one row: menus, toolbar and shortcuts are made from this table."""

from __future__ import annotations

from jitstudio.gui.shell.commands.rows.analyse import ANALYSE_ROWS
from jitstudio.gui.shell.commands.rows.build import BUILD_ROWS
from jitstudio.gui.shell.commands.rows.edit import EDIT_ROWS
from jitstudio.gui.shell.commands.rows.file import FILE_ROWS
from jitstudio.gui.shell.commands.rows.help import HELP_ROWS
from jitstudio.gui.shell.commands.rows.launch import LAUNCH_ROWS
from jitstudio.gui.shell.commands.rows.view import VIEW_ROWS
from jitstudio.gui.shell.commands.spec import ActionSpec

ACTIONS: tuple[ActionSpec, ...] = (
    *FILE_ROWS,
    *EDIT_ROWS,
    *BUILD_ROWS,
    *ANALYSE_ROWS,
    *LAUNCH_ROWS,
    *VIEW_ROWS,
    *HELP_ROWS,
)
