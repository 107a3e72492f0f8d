"""`jitstudio help`: the pages of the manual as text."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Sequence

from jitstudio.cli import COMMANDS
from jitstudio.cli.arguments import command_parsers
from jitstudio.cli.text_explain import meanings_text
from jitstudio.command_options.other import HelpOptions
from jitstudio.commands import exit_codes
from jitstudio.core.wrapping import wrapped
from jitstudio.help.explaining import explanations_of, findings_of
from jitstudio.help.manual import COMMAND, INDEX, ManualPage, groups, pages
from jitstudio.help.tables import TABLES
from jitstudio.help.topics import find_topic, glossary, search, similar_topics
from jitstudio.system.terminal import print_error, say

_MOST_COLUMNS = 100
_MOST_MATCHES = 8
_LEAST_COLUMN = 24
_GAP = "  "
_INLINE = (
    (COMMAND, r"\1"),
    # What is in brackets is a topic.
    (re.compile(r"\[([^\[\]]*)\]\(([\w-]+)\.md(#[\w-]+)?\)"), r"\1 [\2\3]"),
    (re.compile(r"\[([^\[\]]*)\]\(#[\w-]+\)"), r"\1"),
    (re.compile(r"\[([^\[\]]*)\]\(([^()]*)\)"), r"\1 <\2>"),
    (re.compile(r"(?<![\w*`\\])\*{1,2}([^*`]+)\*{1,2}(?![\w*])"), r"\1"),
    (re.compile(r"\\([][|<*_])"), r"\1"),
)
_ITEM = re.compile(r"(- |\d+\. )")


def run(options: HelpOptions) -> int:
    """Prints the page of a topic, topics that fit, or all; an unknown topic gives `USAGE`."""
    topic = " ".join(options.topic).strip()
    if not topic:
        return _list_topics()
    page = find_topic(topic)
    if topic in COMMANDS and topic not in pages():
        say(command_parsers()[topic].format_help().rstrip())
        if page is not None:
            say(f"\nThe manual: jitstudio help {page.name}")
        return exit_codes.BUILT
    if page is not None:
        return _print_page(page)
    if meanings := (*explanations_of(topic), *findings_of(topic)):
        say(meanings_text(meanings, lines_width()))
        return exit_codes.BUILT
    if matches := search(topic)[:_MOST_MATCHES]:
        say(f"No topic is called '{topic}'. These fit best; 'jitstudio help TOPIC' prints one:\n")
        _list(matches, max(len(page.name) for page in matches))
        return exit_codes.BUILT
    similar = similar_topics(topic, *COMMANDS)
    hint = f" Did you mean {' or '.join(similar)}?" if similar else ""
    print_error(
        f"jitstudio: there is no topic '{topic}'.{hint} 'jitstudio help' without a topic lists all."
    )
    return exit_codes.USAGE


def lines_width() -> int:
    """Returns how many columns lines of prose take in this terminal."""
    return min(shutil.get_terminal_size().columns, _MOST_COLUMNS)


def page_lines(page: ManualPage, width: int) -> list[str]:
    """Returns a page without Markdown, in lines of at most `width` columns where words allow."""
    lines: list[str] = []
    was_item = False
    for block in _blocks(page.text):
        is_item = bool(_ITEM.match(block[0]))
        if lines and not (is_item and was_item):
            lines.append("")
        lines += _block_lines(block, width)
        was_item = is_item
    return lines


def _print_page(page: ManualPage) -> int:
    say("\n".join(page_lines(page, lines_width())))
    word = glossary().get(page.anchor or page.name)
    if word is not None and word is not page:
        say(f"\n'jitstudio explain {word.title}' says what it means.")
    return exit_codes.BUILT


def _list_topics() -> int:
    say("Topics of the manual; 'jitstudio help TOPIC' prints one, or a section by its heading:\n")
    width = max(map(len, pages()))
    _list([pages()[INDEX]], width)
    for heading, group in groups().items():
        say(f"\n{heading}")
        _list(group, width)
    for heading, names in (("Tables", TABLES), ("Words", glossary()), ("Commands", COMMANDS)):
        say("\n" + "\n".join(wrapped(f"{heading}: {', '.join(names)}.", lines_width(), _GAP)))
    return exit_codes.BUILT


def _list(topics: Sequence[ManualPage], width: int) -> None:
    for page in topics:
        say(f"  {page.name:<{width}}  {page.title}")


def _blocks(text: str) -> Iterator[list[str]]:
    """Yields headings, paragraphs, lists, tables and code as lists of lines."""
    block: list[str] = []
    for line in text.splitlines():
        begins = bool(_ITEM.match(line)) or line.startswith("#")
        in_code = bool(block) and block[0].startswith("    ")
        if block and ((not line and not in_code) or begins or (in_code and line[:1].strip())):
            yield [part for part in block if part or in_code]
            block = []
        if line or block:
            block.append(line)
    if block:
        yield block


def _block_lines(block: Sequence[str], width: int) -> list[str]:
    first = block[0]
    if first.startswith("#"):
        title = first.lstrip("# ")
        return [title, ("=" if first.startswith("# ") else "-") * len(title)]
    if first.startswith("    "):
        return "\n".join(block).rstrip().split("\n")
    if first.startswith("|"):
        return _table(block, width)
    text = _plain(" ".join(line.strip() for line in block))
    mark = _ITEM.match(text)
    return wrapped(text, width, " " * len(mark[0]) if mark else "")


def _table(block: Sequence[str], width: int) -> list[str]:
    """Returns the cells in line, with the text of the last column in several lines if need be."""
    split = (re.split(r"(?<!\\)\|", line.strip()[1:-1]) for line in block)
    rows = [[_plain(cell.strip()) for cell in cells] for cells in split]
    rows = [row for row in rows if any(cell.strip("-: ") for cell in row)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)][:-1]
    indent = sum(size + len(_GAP) for size in widths)
    lines: list[str] = []
    for *cells, last in rows:
        head = "".join(f"{cell:<{size}}{_GAP}" for cell, size in zip(cells, widths, strict=True))
        parts = wrapped(last, max(width - indent, _LEAST_COLUMN)) or [""]
        lines += [
            f"{head if not at else ' ' * indent}{part}".rstrip() for at, part in enumerate(parts)
        ]
    return lines


def _plain(text: str) -> str:
    for pattern, replacement in _INLINE:
        text = pattern.sub(replacement, text)
    return text
