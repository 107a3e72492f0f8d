"""`jitstudio help`: the pages of the manual as text."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Sequence

from jitstudio.cli import COMMANDS
from jitstudio.cli.arguments import command_parsers
from jitstudio.command_options.other import HelpOptions
from jitstudio.commands import exit_codes
from jitstudio.core.wrapping import wrapped
from jitstudio.help.manual import ManualPage, find_page, pages, similar_topics
from jitstudio.system.terminal import print_error, say

_MOST_COLUMNS = 100
_LEAST_COLUMN = 24
_GAP = "  "
_INLINE = (
    (re.compile(r"\[((?:[^\[\]\\]|\\.)*)\]\(action:\w+\)"), r"\1"),
    # What is in brackets is a topic.
    (re.compile(r"\[([^\[\]]*)\]\(([\w-]+)\.md\)"), r"\1 [\2]"),
    (re.compile(r"\[([^\[\]]*)\]\(([^()]*)\)"), r"\1 <\2>"),
    (re.compile(r"(?<![\w*`\\])\*{1,2}([^*`]+)\*{1,2}(?![\w*])"), r"\1"),
    (re.compile(r"\\([][|<*_])"), r"\1"),
)
_ITEM = re.compile(r"(- |\d+\. )")


def run(options: HelpOptions) -> int:
    """Prints the page of a topic, or all topics; the exit status is `USAGE` for an unknown one."""
    topic = " ".join(options.topic)
    if not topic:
        return _list_topics()
    page = find_page(topic)
    if page is not None:
        width = min(shutil.get_terminal_size().columns, _MOST_COLUMNS)
        say("\n".join(page_lines(page, width)))
        return exit_codes.BUILT
    if topic in COMMANDS:
        say(command_parsers()[topic].format_help().rstrip())
        return exit_codes.BUILT
    similar = similar_topics(topic, *COMMANDS)
    hint = f" Did you mean {' or '.join(similar)}?" if similar else ""
    print_error(
        f"jitstudio: there is no topic '{topic}'.{hint} 'jitstudio help' without a topic lists all."
    )
    return exit_codes.USAGE


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


def _list_topics() -> int:
    width = max(map(len, pages()))
    say("Topics of the manual; 'jitstudio help TOPIC' prints one:\n")
    for page in pages().values():
        say(f"  {page.name:<{width}}  {page.title}")
    say(f"\nCommands: {', '.join(COMMANDS)}.")
    return exit_codes.BUILT


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
