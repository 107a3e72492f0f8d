"""Parameter packs of host code: what is written once and is done for each argument."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from tree_sitter import Node

from jitstudio.listing.cuda.host_launches.values import Names
from jitstudio.listing.cuda.syntax import children, parse, text_of, within

_WORD = re.compile(r"(?<![\w.:])[A-Za-z_]\w*")
_MOST = 64
_MOST_REMEMBERED = 4096


def spread(node: Node, names: Names) -> list[Node]:
    """Returns what stands before the dots, or is folded, once for each argument of its packs."""
    sides = (node.child_by_field_name(field) for field in ("pattern", "left", "right"))
    nodes: list[Node] = []
    for side in filter(None, sides):
        words = {word for word in _WORD.findall(text_of(side)) if word in names.packs}
        # Nobody may know the types of arguments that are there.
        count = max((len(names.packs[word]) for word in words), default=0)
        for at in range(min(count, _MOST)):
            packs = {word: names.packs[word] for word in words}
            texts = {word: pack[at] for word, pack in packs.items() if at < len(pack)}
            code = _replaced(text_of(side), texts)
            nodes += _statement(side.start_point[0], code)
    return nodes


@lru_cache(_MOST_REMEMBERED)
def _statement(row: int, code: str) -> tuple[Node, ...]:
    """Returns an expression in this row, of each text but one: the next node may have its id."""
    newlines = "\n" * row
    tree = parse(f"{newlines}void f() {{ {code}; }}".encode())
    statement = next((n for n in within(tree) if n.type == "expression_statement"), None)
    return tuple(children(statement)[:1]) if statement is not None else ()


def _replaced(code: str, texts: Mapping[str, str]) -> str:
    return _WORD.sub(lambda word: texts.get(word[0], word[0]), code)


def spread_all(nodes: Iterable[Node], names: Names) -> Iterator[Node]:
    """Yields the arguments of a call, those of packs one by one."""
    for node in nodes:
        if node.type == "parameter_pack_expansion" and names.packs:
            yield from spread(node, names)
        else:
            yield node


def pack_names(name: str, count: int) -> list[str]:
    """Returns the names by which the arguments of a function's pack are known."""
    return [f"{name}__{at}" for at in range(min(count, _MOST))]
