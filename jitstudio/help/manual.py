"""The manual: the same text for the help window, `jitstudio help` and readers of the repository.

Each page is a Markdown file in `resources/help`; the index lists all of them. A command of the
window is written ``[Build (Ctrl+B)](action:buildAction)``, with its title and its default keys, so
that a page can be read anywhere. `tests/manual.py` writes the tables between
``<!-- table NAME -->`` and ``<!-- end -->`` from the code that they describe.

To add a page: a file in `resources/help` and a line in its `index.md`; F1 shows that of a pane, or
of what calls `explain_by` (`gui/kit/parts.py`). A test finds a page that is not up to date. Below
its heading ``<!-- also: compare, before and after -->`` names what else a search shall find it by.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property

from jitstudio.system.paths import resource

INDEX = "index"
COMMAND = re.compile(r"\[(?:[^\[\]\\]|\\.)*\]\(action:(\w+)\)")
_ALSO = re.compile(r"# [^\n]*\n<!-- also: (.*?) -->\n", re.S)
_COMMENT = re.compile(r"<!--(?:(?!<!--).)*?-->\n", re.S)
_ENTRY = re.compile(r"^- \[[^\]]*\]\((\w[\w-]*)\.md\)$", re.M)
_LINK = re.compile(r"\]\((\w[\w-]*)\.md\)")


@dataclass(frozen=True)
class ManualPage:
    """A page of the manual.

    Attributes:
        name: The topic: its file, without the ending.
        title: Its heading.
        text: Markdown, without comments; a link to ``link.md`` leads to another page.
        synonyms: Other words that it is found by.
    """

    name: str
    title: str
    text: str
    synonyms: tuple[str, ...] = ()

    def with_commands(self, words: Callable[[str], str]) -> str:
        """Returns the text with `words(id)` in place of each command."""
        return COMMAND.sub(lambda match: words(match[1]), self.text)

    @cached_property
    def folded(self) -> str:
        """The text that a search looks through: without capitals."""
        return self.text.casefold()

    @property
    def commands(self) -> list[str]:
        """The ids of the commands in the text."""
        return COMMAND.findall(self.text)

    @property
    def links(self) -> list[str]:
        """The names of the linked pages."""
        return _LINK.findall(self.text)


@cache
def pages() -> dict[str, ManualPage]:
    """Returns all pages by name: the index, then the listed pages."""
    index = _read(INDEX)
    return {INDEX: index} | {name: _read(name) for name in _ENTRY.findall(index.text)}


def page_from(name: str, source: str) -> ManualPage:
    """Returns a page from the text of its file, which begins with its heading."""
    also = _ALSO.match(source)
    synonyms = tuple(" ".join(word.split()) for word in also[1].split(",")) if also else ()
    text = _COMMENT.sub("", source)
    return ManualPage(name, text.partition("\n")[0].removeprefix("# "), text, synonyms)


def source_of(name: str) -> str:
    """Returns the file of a page, with its comments."""
    return resource(f"help/{name}.md").read_text("utf-8")


def _read(name: str) -> ManualPage:
    return page_from(name, source_of(name))
