"""The control flow of PTX text.

Nothing is checked: a broken text gives the graph of its readable part. A statement may take several
lines, and a line may hold several.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from jitstudio.analysis.control_flow import (
    BasicBlock,
    ControlFlowEdge,
    EdgeKind,
    FlowEffect,
    FlowGraph,
    divide,
    loops,
)
from jitstudio.listing.functions import Function, ptx_of
from jitstudio.listing.lines import NOWHERE
from jitstudio.ptx.scanner import DOT_WORD, GUARD, LABEL
from jitstudio.ptx.skimming import LOC, FunctionText

_ITEM = re.compile(
    rf"\s*+(?:(?P<brace>[{{}}])|(?P<loc>{LOC})|(?P<label>{LABEL})"
    r"|(?P<statement>[^;\s][^;]*+)(?:;|\Z)|(?P<empty>;)|\Z)"
)
_STATEMENT = re.compile(
    rf"(?P<guard>{GUARD}\s*+)?(?P<word>\.?[a-z]\w*+)(?>\s*+{DOT_WORD})*+\s*+(?P<rest>.*+)",
    re.DOTALL,
)
# Nothing leads to the label in front: it is their name.
_NAMED_BY_LABEL = (".branchtargets", ".calltargets", ".callprototype")

# Of braces nested more deeply, the outermost are forgotten.
_DEEPEST = 100

_Scopes = tuple[int, ...]


class _Statement(NamedTuple):
    """An instruction, with the line where the statement or the first label in front begins."""

    line: int
    scopes: _Scopes
    word: str
    is_guarded: bool
    rest: str


def ptx_graph(lines: Sequence[str], function: Function) -> FlowGraph:
    """Returns the blocks, edges and loops of a function, by lines from 0; none of a declaration."""
    body = _Body(function.line)
    if function.is_defined:
        body.read(*ptx_of(lines, function))
    blocks, edges = _divided(body, function)
    return FlowGraph(function.name, blocks, edges, loops(blocks, edges))


def _divided(
    body: _Body, function: Function
) -> tuple[tuple[BasicBlock, ...], tuple[ControlFlowEdge, ...]]:
    leaps = tuple(body.leaps())
    targets = {target for leap in leaps for target in leap.targets}
    statements = body.statements
    # A jump behind the last statement ends the function, as a `ret` there would.
    places = [statement.line for statement in statements] + [body.last_line] * body.is_end(targets)
    if not places:
        return (), ()
    blocks, edges = divide(len(places), leaps, {0: function.name}, body.names(targets))
    starts = [function.line, *(places[block.start] for block in blocks[1:]), function.end]
    # A block that begins in the line of the last statement of another shares that line.
    ends = [max(starts[block.id + 1], places[block.end - 1] + 1) for block in blocks]
    return tuple(
        block._replace(start=starts[block.id], end=ends[block.id]) for block in blocks
    ), edges


class _Body:
    """The statements, labels and tables between the braces of a function."""

    def __init__(self, line: int) -> None:
        self.statements: list[_Statement] = []
        self.last_line = line
        self._line = line
        # By scope and name; scopes are numbered as they begin.
        self._labels: dict[tuple[int, str], int] = {}
        self._tables: dict[tuple[int, str], str] = {}
        self._scopes: _Scopes = (0,)
        self._scope_count = 0
        # Labels in front of the statement to come, with their lines.
        self._waiting: dict[str, int] = {}

    def read(self, bare: str, function: FunctionText | None, line: int) -> None:
        """Reads the function in the form that `ptx_of` returns."""
        if function is None:
            return
        text, at = bare[: function.end], 0
        for item in _ITEM.finditer(text, function.body):
            begin = item.start(item.lastgroup or 0)
            line += text.count("\n", at, begin)
            at = begin
            self._take(item, line)
        self.last_line = min(self._waiting.values(), default=line)

    def names(self, targets: set[int]) -> dict[int, str]:
        """Returns the labels that are branched to, by statement; of several the first."""
        return {at: name for (_, name), at in reversed(self._labels.items()) if at in targets}

    def is_end(self, targets: set[int]) -> bool:
        """Returns whether any of the targets is behind the last statement."""
        return len(self.statements) in targets

    def leaps(self) -> Iterator[FlowEffect]:
        """Yields the effects of all statements that do not just go on."""
        for at, statement in enumerate(self.statements):
            if (reader := _READERS.get(statement.word)) is not None:
                yield reader(self, at, statement)

    def _take(self, item: re.Match[str], line: int) -> None:
        match item.lastgroup:
            case "brace" if item["brace"] == "{":
                self._scope_count += 1
                self._scopes = (self._scope_count, *self._scopes[:_DEEPEST])
            case "brace":
                self._scopes = self._scopes[1:] or (0,)
            case "label":
                label = item["label"][:-1].rstrip()
                self._waiting.setdefault(label, line)
                self._labels.setdefault((self._scopes[0], label), len(self.statements))
            case "statement" if statement := _STATEMENT.match(item["statement"]):
                self._take_statement(statement, line)

    def _take_statement(self, match: re.Match[str], line: int) -> None:
        if not match["word"].startswith("."):
            first = next(iter(self._waiting.values()), line)
            guarded = match["guard"] is not None
            self.statements.append(
                _Statement(first, self._scopes, match["word"], guarded, match["rest"])
            )
            self._waiting.clear()
        elif self._waiting and match["word"] in _NAMED_BY_LABEL:
            name, _ = self._waiting.popitem()
            self._labels.pop((self._scopes[0], name), None)
            self._tables[self._scopes[0], name] = match["rest"]

    def named(self, label: str, scopes: _Scopes) -> int:
        """Returns the statement behind a label that can be seen in these scopes, or `NOWHERE`."""
        keys = ((scope, label) for scope in scopes)
        return next((self._labels[key] for key in keys if key in self._labels), NOWHERE)

    def table(self, name: str, scopes: _Scopes) -> tuple[str, ...]:
        """Returns the labels in a table."""
        keys = ((scope, name) for scope in scopes)
        table = next((self._tables[key] for key in keys if key in self._tables), "")
        return tuple(filter(None, map(str.strip, table.split(","))))


def _branch(body: _Body, at: int, statement: _Statement) -> FlowEffect:
    target = body.named(statement.rest.strip(), statement.scopes)
    return FlowEffect(at, (target,), goes_on=statement.is_guarded)


def _table(body: _Body, at: int, statement: _Statement) -> FlowEffect:
    labels = body.table(statement.rest.rpartition(",")[2].strip(), statement.scopes)
    targets = tuple(dict.fromkeys(body.named(label, statement.scopes) for label in labels))
    return FlowEffect(at, targets, EdgeKind.TABLE, statement.is_guarded, leads_away=not targets)


def _end(_body: _Body, at: int, statement: _Statement) -> FlowEffect:
    return FlowEffect(at, goes_on=statement.is_guarded)


_READERS: dict[str, Callable[[_Body, int, _Statement], FlowEffect]] = {
    "bra": _branch,
    "brx": _table,
    **dict.fromkeys(("ret", "exit", "trap"), _end),
}
