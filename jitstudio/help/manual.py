"""The manual: the same text for the help window, `jitstudio help` and readers of the repository.

Each page is a Markdown file in `resources/help`; the index lists all of them. A command of the
window is written ``[Build (Ctrl+B)](action:buildAction)``, with its title and its default keys, so
that a page can be read anywhere. `tests/manual.py` writes the tables between
``<!-- table NAME -->`` and ``<!-- end -->`` from the code that they describe.

To add a page: a file in `resources/help` and a line in its `index.md`; F1 shows that of a pane, or
of what calls `explain_by` (`gui/kit/parts.py`). A test finds a page that is not up to date.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property

from jitstudio.system.paths import resource

INDEX = "index"
COMMAND = re.compile(r"\[(?:[^\[\]\\]|\\.)*\]\(action:(\w+)\)")
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
    """

    name: str
    title: str
    text: str

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


def find_page(topic: str) -> ManualPage | None:
    """Returns the page of this name or title, whatever the capitals; None if there is none."""
    wanted = topic.casefold()
    matches = (p for p in pages().values() if wanted in (p.name, p.title.casefold()))
    return next(matches, None)


def similar_topics(topic: str, *more: str) -> list[str]:
    """Returns the names of pages, and of `more`, spelt most like the topic, the closest first."""
    titles = {page.title.casefold(): page.name for page in pages().values()}
    names = titles | {name: name for name in (*pages(), *more)}
    # Few look for a page that is not there.
    from difflib import get_close_matches  # noqa: PLC0415

    matches = get_close_matches(topic.casefold(), names, n=3, cutoff=0.6)
    return list(dict.fromkeys(names[name] for name in matches))


def _read(name: str) -> ManualPage:
    text = _COMMENT.sub("", resource(f"help/{name}.md").read_text("utf-8"))
    return ManualPage(name, text.partition("\n")[0].removeprefix("# "), text)
