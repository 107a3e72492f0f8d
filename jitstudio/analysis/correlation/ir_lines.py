"""Reads the source line of each line of an intermediate representation.

MLIR has `loc(...)` behind an operation (MLIR Language Reference, Builtin dialect: location
attributes); what has regions has it behind the last one. LLVM IR has `!dbg !7` behind an
instruction, a `DILocation` with its scope, whose file is that of the line, and with the call that
it was inlined by (LLVM Language Reference, Specialized Metadata Nodes).
"""

from __future__ import annotations

import os
import re
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from jitstudio.analysis.sass.model import InlineChain, SourceLocation
from jitstudio.core.captured import KernelLanguage, Representation
from jitstudio.listing.lines import NOWHERE

# Calls within calls, and locations within locations: a text may have any number, even circles.
_DEEPEST = 64
_MOST_NESTED = 200


@dataclass(frozen=True, eq=False)
class StageLines:
    """The source lines of a representation.

    Attributes:
        places: The different places: the line itself, then the calls that it was inlined through.
    """

    places: tuple[InlineChain, ...]
    _place_ids: array[int]

    @property
    def count(self) -> int:
        """The number of lines."""
        return len(self._place_ids)

    def places_of(self, line: int) -> InlineChain:
        """Returns the place of a line, counted from 1; empty where none is known."""
        place = self._place_ids[line - 1] if 0 < line <= self.count else NOWHERE
        return () if place == NOWHERE else self.places[place]

    @cached_property
    def place_ids(self) -> NDArray[np.int32]:
        """The index of the places of each line, from line 0 on, or `NOWHERE`."""
        of_lines = np.frombuffer(self._place_ids, np.int32)
        return np.concatenate((np.array([NOWHERE], np.int32), of_lines))


def read_stage_lines(representation: Representation, lines: Sequence[str]) -> StageLines | None:
    """Reads the text of an intermediate representation; None for any other."""
    reader = _READERS.get(representation.language)
    return _numbered(reader(lines)) if reader is not None else None


def _numbered(chains: Iterable[InlineChain]) -> StageLines:
    place_ids: dict[InlineChain, int] = {}
    ids = array(
        "i", (place_ids.setdefault(chain, len(place_ids)) if chain else NOWHERE for chain in chains)
    )
    return StageLines(tuple(place_ids), ids)


# MLIR.

_ALIAS = re.compile(r"#([\w$.]++) = loc\(")
_LOC = " loc("
# A string without an end runs to the end of the text: otherwise each quote inside would be tried.
_TOKEN = re.compile(
    r'"(?>[^"\\]++|\\[\s\S]?)*+(?:"|\Z)|#[\w$.]++|[A-Za-z_]++|\d++|[][():,]|<[^<>"]*+>'
)
_ESCAPE = re.compile(r'\\([\da-fA-F]{2}|[\\"nt])')
_ESCAPED = {"\\": "\\", '"': '"', "n": "\n", "t": "\t"}


def _mlir_chains(lines: Sequence[str]) -> list[InlineChain]:
    """Returns the places of each line; an operation has those behind the last region."""
    aliases = {alias[1]: line for line in lines if (alias := _ALIAS.match(line))}
    reader = _MlirLocations(aliases)
    chains: list[InlineChain] = []
    open_lines: list[list[int]] = []
    for at, line in enumerate(lines):
        code = line.strip()
        chain = () if line.startswith("#") else reader.behind(code)
        chains.append(chain)
        heads = open_lines.pop() if code.startswith("}") and open_lines else []
        if code.endswith("{"):
            heads.append(at)
            open_lines.append(heads)
        else:
            for head in heads:
                chains[head] = chains[head] or chain
    return chains


class _MlirLocations:
    """Reads locations, each alias once.

    Args:
        aliases: The lines that define them, by name.
    """

    def __init__(self, aliases: Mapping[str, str]) -> None:
        self._aliases = aliases
        self._known: dict[str, InlineChain] = {}
        self._tokens: list[str] = []
        self._at = 0

    def behind(self, code: str) -> InlineChain:
        """Returns the place of an operation, from the end of its line."""
        start = code.rfind(_LOC)
        if start < 0 or not code.endswith(")"):
            return ()
        inside = code[start + len(_LOC) : -1]
        if inside.startswith("#") and inside[1:] in self._known:
            return self._known[inside[1:]]
        return self._read(inside, 0)

    def _alias(self, name: str, depth: int) -> InlineChain:
        if name not in self._known:
            # Of a circle nothing is known.
            self._known[name] = ()
            _, _, text = self._aliases.get(name, "").partition(" = loc(")
            self._known[name] = self._read(text.rstrip().removesuffix(")"), depth)
        return self._known[name]

    def _read(self, text: str, depth: int) -> InlineChain:
        before = self._tokens, self._at
        self._tokens, self._at = _TOKEN.findall(text), 0
        try:
            return self._location(depth)
        finally:
            self._tokens, self._at = before

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self) -> str:
        token = self._peek()
        self._at += 1
        return token

    def _taken(self, token: str) -> bool:
        is_next = self._peek() == token
        self._at += is_next
        return is_next

    def _location(self, depth: int) -> InlineChain:
        if depth > _MOST_NESTED:
            return ()
        token = self._take()
        if token.startswith("#"):
            return self._alias(token[1:], depth + 1)
        if token.startswith('"'):
            return self._named(token, depth)
        if token == "callsite" and self._taken("("):
            callee = self._location(depth + 1)
            self._taken("at")
            chain = (callee + self._location(depth + 1))[:_DEEPEST]
            self._taken(")")
            return chain
        if token == "fused":
            return self._fused(depth)
        return ()

    def _named(self, token: str, depth: int) -> InlineChain:
        """Reads a place in a file, or the location behind a name."""
        if self._taken(":"):
            line = self._take()
            while self._peek() in (":", "to") or self._peek().isdecimal():
                self._at += 1
            number = int(line) if line.isdecimal() and len(line) < 10 else 0
            return (SourceLocation(_unescaped(token), number),) if number else ()
        chain: InlineChain = ()
        if self._taken("("):
            chain = self._location(depth + 1)
            self._taken(")")
        return chain

    def _fused(self, depth: int) -> InlineChain:
        """Reads the first location of several that is known."""
        chain: InlineChain = ()
        while self._peek() not in ("[", ""):
            self._at += 1
        self._at += 1
        while self._peek() not in ("]", ""):
            location = self._location(depth + 1)
            chain = chain or location
            self._taken(",")
        self._at += 1
        return chain


def _unescaped(token: str) -> str:
    inside = token[1:-1]
    if "\\" not in inside:
        return inside
    return _ESCAPE.sub(lambda m: _ESCAPED.get(m[1]) or chr(int(m[1], 16)), inside)


# LLVM IR.

_DBG = "!dbg "
_NODE = re.compile(r"!(\d++) = (?:distinct )?!DI(\w++)\((.*)\)")
_INLINE_NODE = re.compile(r"!DILocation\(([^()]*+)\)")
_REFERENCE = re.compile(r"!(\d++)")
_FIELD = re.compile(r'(?<!\w)(\w++): (?:!(\d++)|(\d++)|"((?>[^"\\]++|\\.)*+)"|[^,"]++)')
_SCOPES = frozenset({"Subprogram", "LexicalBlock", "LexicalBlockFile"})

_Node = tuple[str, Mapping[str, str]]
"""The kind of a node, and its fields: the number of a node, a number, or a text."""


def _llvm_chains(lines: Sequence[str]) -> list[InlineChain]:
    nodes: dict[str, _Node] = {}
    for line in lines:
        if line.startswith("!") and (node := _NODE.match(line)):
            nodes[node[1]] = node[2], _fields(node[3])
    reader = _LlvmLocations(nodes)
    return [() if line.startswith("!") else reader.behind(line) for line in lines]


def _fields(text: str) -> dict[str, str]:
    return {name: node or number or words for name, node, number, words in _FIELD.findall(text)}


class _LlvmLocations:
    """Follows debug metadata, each node once.

    Args:
        nodes: All nodes by number.
    """

    def __init__(self, nodes: Mapping[str, _Node]) -> None:
        self._nodes = nodes
        self._chains: dict[str, InlineChain] = {}

    def behind(self, line: str) -> InlineChain:
        """Returns the place of the instruction or function on a line."""
        at = line.rfind(_DBG)
        if at < 0:
            return ()
        at += len(_DBG)
        if reference := _REFERENCE.match(line, at):
            return self._chain(reference[1])
        inside = _INLINE_NODE.match(line, at)
        return self._of_node("Location", _fields(inside[1])) if inside else ()

    def _chain(self, number: str) -> InlineChain:
        if number not in self._chains:
            kind, fields = self._nodes.get(number, ("", {}))
            self._chains[number] = self._of_node(kind, fields)
        return self._chains[number]

    def _of_node(self, kind: str, fields: Mapping[str, str]) -> InlineChain:
        """Returns the chain of a node; none with an unknown part, as half a chain misleads."""
        if kind == "Subprogram":
            place = self._place(fields.get("file", ""), fields)
            return (place,) if place else ()
        chain: list[SourceLocation] = []
        while kind == "Location" and len(chain) < _DEEPEST:
            place = self._place(self._file_of_scope(fields.get("scope", "")), fields)
            if place is None:
                return ()
            chain.append(place)
            kind, fields = self._nodes.get(fields.get("inlinedAt", ""), ("", {}))
        return tuple(chain)

    def _file_of_scope(self, number: str) -> str:
        for _ in range(_DEEPEST):
            kind, fields = self._nodes.get(number, ("", {}))
            if kind not in _SCOPES or "file" in fields:
                return fields.get("file", "")
            number = fields.get("scope", "")
        return ""

    def _place(self, file: str, fields: Mapping[str, str]) -> SourceLocation | None:
        kind, named = self._nodes.get(file, ("", {}))
        line = fields.get("line", "")
        if kind != "File" or not line.isdecimal() or not 0 < int(line[:10]) < 1 << 31:
            return None
        name = os.path.join(named.get("directory", ""), named.get("filename", ""))
        return SourceLocation(_unescaped(f'"{name}"'), int(line))


_Reader = Callable[[Sequence[str]], list[InlineChain]]
_READERS: Mapping[KernelLanguage, _Reader] = {
    KernelLanguage.MLIR: _mlir_chains,
    KernelLanguage.TTIR: _mlir_chains,
    KernelLanguage.TTGIR: _mlir_chains,
    KernelLanguage.LLVM_IR: _llvm_chains,
}
