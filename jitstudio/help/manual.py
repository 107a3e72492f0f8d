"""The manual: the same text for the help window, `jitstudio help` and readers of the repository.

Each page is a Markdown file in `resources/help`; the index lists all of them, in its sections. A
command of the window is written ``[Build (Ctrl+B)](action:buildAction)``, with its title and its
default keys, so that a page can be read anywhere. `tests/manual.py` writes the tables between
``<!-- table NAME -->`` and ``<!-- end -->`` from the code that they describe; long tables are pages
that are made when they are read (`tables.py`). Single asterisks mark a text of the window.

To add a page: a file in `resources/help` and a line in its `index.md`. Below its heading
``<!-- also: compare, before and after -->`` names what else a search shall find it by. F1 shows the
page or the section with the name of the pane, or that of `explain_by` (`gui/kit/parts.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property

from jitstudio.help.tables import TABLES
from jitstudio.system.paths import resource

INDEX = "index"
TOPIC = re.compile(r"`jitstudio help ([\w#-]+)`")
_ALSO = re.compile(r"# [^\n]*\n<!-- also: (.*?) -->\n", re.S)
COMMAND = re.compile(r"\[((?:[^\[\]\\]|\\.)*)\]\(action:(\w+)\)")
"""A command: the title with the keys, and the id."""
_COMMENT = re.compile(r"<!--(?:(?!<!--).)*?-->\n", re.S)
_GROUP = re.compile(r"^## (.+)\n((?:(?!## ).*\n)*)", re.M)
_ENTRY = re.compile(r"^- \[[^\]]*\]\((\w[\w-]*)\.md\)", re.M)
_LINK = re.compile(r"\]\((?:(\w[\w-]*)\.md)?(#[\w-]+)?\)")
_SECTION = re.compile(r"^## (.+)\n((?:(?!## ).*\n?)*)", re.M)
_MARKUP = re.compile(r"[^\w\s-]")


@dataclass(frozen=True)
class ManualPage:
    """A page of the manual, or a section of a page.

    Attributes:
        name: The topic: its file, without the ending; of a section with its anchor,
            ``window#sass``.
        title: Its heading.
        text: Markdown, without comments; ``link.md#lto`` leads to a section of another page.
        synonyms: Other words that it is found by.
    """

    name: str
    title: str
    text: str
    synonyms: tuple[str, ...] = ()

    def with_commands(self, words: Callable[[str], str]) -> str:
        """Returns the text with `words(id)` in place of each command."""
        return COMMAND.sub(lambda match: words(match[2]), self.text)

    @cached_property
    def folded(self) -> str:
        """The text that a search looks through: without capitals."""
        return self.text.casefold()

    @property
    def page(self) -> str:
        """The name of the page that a section is in; of a page the own name."""
        return self.name.partition("#")[0]

    @property
    def anchor(self) -> str:
        """The anchor of a section; empty for a page."""
        return self.name.partition("#")[2]

    @property
    def commands(self) -> list[str]:
        """The ids of the commands in the text."""
        return [name for _, name in COMMAND.findall(self.text)]

    @property
    def links(self) -> list[str]:
        """The names of the linked pages and sections."""
        links = (match.groups("") for match in _LINK.finditer(self.text) if any(match.groups()))
        return [f"{page or self.page}{anchor}" for page, anchor in links]

    @cached_property
    def sections(self) -> dict[str, ManualPage]:
        """The sections by their anchors, in order."""
        return {
            anchor_of(title): ManualPage(
                f"{self.name}#{anchor_of(title)}", title, f"# {title}\n{text.rstrip()}\n"
            )
            for title, text in _SECTION.findall(self.text)
        }


def anchor_of(title: str) -> str:
    """Returns the anchor that forges give to a heading."""
    return _MARKUP.sub("", title.casefold()).replace(" ", "-")


@cache
def pages() -> dict[str, ManualPage]:
    """Returns the written pages by name: the index, then the listed pages."""
    index = _read(INDEX)
    return {INDEX: index} | {name: _read(name) for name in _ENTRY.findall(index.text)}


def groups() -> dict[str, list[ManualPage]]:
    """Returns the pages that each section of the index lists, by heading."""
    listed = {title: _ENTRY.findall(text) for title, text in _GROUP.findall(pages()[INDEX].text)}
    return {title: [pages()[name] for name in names] for title, names in listed.items() if names}


@cache
def tables() -> dict[str, ManualPage]:
    """Returns the pages that are made of tables, by name."""
    return {name: _of_tables(name) for name in TABLES}


def topic_of_name(name: str) -> ManualPage | None:
    """Returns the page, page of tables or section of exactly this name; None if there is none."""
    page_name, _, anchor = name.partition("#")
    page = _of_tables(page_name) if page_name in TABLES else pages().get(page_name)
    return page.sections.get(anchor) if page is not None and anchor else page


def page_from(name: str, source: str) -> ManualPage:
    """Returns a page from the text of a file, which begins with the heading."""
    also = _ALSO.match(source)
    synonyms = tuple(" ".join(word.split()) for word in also[1].split(",")) if also else ()
    text = _COMMENT.sub("", source)
    return ManualPage(name, text.partition("\n")[0].removeprefix("# "), text, synonyms)


def source_of(name: str) -> str:
    """Returns the file of a page, with the comments."""
    return resource(f"help/{name}.md").read_text("utf-8")


@cache
def _of_tables(name: str) -> ManualPage:
    table = TABLES[name]
    return ManualPage(name, table.title, f"# {table.title}\n\n{table.text()}")


def _read(name: str) -> ManualPage:
    return page_from(name, source_of(name))
