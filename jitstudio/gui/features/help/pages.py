"""The pages of the help: read from `resources/help`, and which one belongs to which pane."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

from jitstudio.paths import resource

INDEX = "index"
# In the order of the list.
_PAGES = (
    INDEX,
    "welcome",
    "editor",
    "options",
    "problems",
    "log",
    "search",
    "pipeline",
    "ptx",
    "sass",
    "matching",
    "kernels",
    "report",
    "graph",
    "compare",
    "names",
    "link",
    "launch",
    "matrix",
    "opened",
    "panes",
    "projects",
    "settings",
)
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
    "matrixDialog": "matrix",
    "settingsDialog": "settings",
}
_COMMAND = re.compile(r"\{(\w+Action)\}")


@dataclass(frozen=True)
class HelpPage:
    """One page.

    Attributes:
        name: Its file, without the ending.
        title: Its heading.
        text: Markdown in which ``{buildAction}`` stands for a command with its keys, and a link
            to ``help:link`` leads to another page.
    """

    name: str
    title: str
    text: str

    def with_commands(self, words: Callable[[str], str]) -> str:
        """The text with links to commands, each in the words of the menu."""
        return _COMMAND.sub(lambda found: words(found[1]), self.text)

    @property
    def commands(self) -> list[str]:
        """The commands that it speaks of."""
        return _COMMAND.findall(self.text)


@cache
def help_pages() -> dict[str, HelpPage]:
    """All pages by name, in their order."""
    return {name: _read(name) for name in _PAGES}


def page_for(names: Iterable[str]) -> str:
    """The page of the innermost of these widgets that has one.

    Args:
        names: Object names, from the widget with the keyboard to its window.
    """
    return next((_PANES[name] for name in names if name in _PANES), INDEX)


def _read(name: str) -> HelpPage:
    text = resource(f"help/{name}.md").read_text("utf-8")
    return HelpPage(name, text.partition("\n")[0].removeprefix("# "), text)
