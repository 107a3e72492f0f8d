"""Which page of the manual belongs to which pane."""

from __future__ import annotations

from collections.abc import Iterable

from jitstudio.manual import INDEX

# Object names of panes.
_PANES = {
    "welcomePage": "welcome",
    "editorTabs": "editor",
    "optionsForm": "options",
    "optionsEdit": "options",
    "problemsView": "problems",
    "logView": "log",
    "searchView": "search",
    "pipelineView": "pipeline",
    "ptxView": "ptx",
    "ptxModuleCombo": "ptx",
    "sassView": "sass",
    "sassModuleCombo": "sass",
    "kernelsView": "kernels",
    "compareView": "compare",
    "reportView": "report",
    "graphView": "graph",
    "namesView": "names",
    "linkView": "link",
    "launchPanel": "launch",
    "variantsDialog": "variants",
    "settingsDialog": "settings",
}


def page_for(names: Iterable[str]) -> str:
    """The page of the innermost of these widgets that has one.

    Args:
        names: Object names, from the widget with the keyboard to its window.
    """
    return next((_PANES[name] for name in names if name in _PANES), INDEX)
