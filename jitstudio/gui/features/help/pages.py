"""Which page of the manual belongs to which pane."""

from __future__ import annotations

from collections.abc import Iterable

from jitstudio.gui.shell.pane_registry import PANES
from jitstudio.manual import INDEX

# By object names: docks, and what stands in none.
_PAGES_OF = {f"{pane.name}Dock": pane.name for pane in PANES} | {
    "welcomePage": "welcome",
    "editorTabs": "editor",
    "optionsEdit": "options",
    "variantsDialog": "variants",
    "settingsDialog": "settings",
}


def page_for(names: Iterable[str]) -> str:
    """The page of the innermost of these widgets that has one.

    Args:
        names: Object names, from the widget with the keyboard to its window.
    """
    return next((_PAGES_OF[name] for name in names if name in _PAGES_OF), INDEX)
