"""The engine of all lexers: tables of rules, tried in order, line by line.

An editor wants the tokens of one line and the state behind it; Pygments wants those of a whole
text (`plugins`). Both are served by `LineLexer.lex_line`, so a listing looks the same on screen and
on a page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from pygments.token import Comment, String

TokenType = Any
Tokens = list[tuple[int, int, TokenType]]

NORMAL = 0
"""The state at the start of a text."""

IN_COMMENT = 1
"""The state inside a block comment."""

STRING = r'"(?>[^"\\]++|\\.?)*+"?'
"""A string with its escapes; one that is not closed ends with its line."""


@dataclass(frozen=True)
class LexerRule:
    """A row of a table.

    A pattern must match at least one character, and must not look at any character more often
    than a few times, whatever follows: use possessive repeats.

    Attributes:
        pattern: What to match, with named groups only if it needs any.
        token: The type of what was matched.
        words: Types of matches that are words of the language and go before `token`.
        then: The state to go on in, where it is another; one without rules ends the line.
    """

    pattern: str
    token: TokenType
    words: Mapping[str, TokenType] = field(default_factory=dict)
    then: int | None = None


def words(*rows: tuple[TokenType, str]) -> dict[str, TokenType]:
    """Returns the types of words, from rows of a type and words with blanks between."""
    return {word: token for token, listed in rows for word in listed.split()}


def comment_rules(inside: int = IN_COMMENT) -> tuple[LexerRule, ...]:
    """Returns rules for block comments: whole, or going on in the state `inside`."""
    return LexerRule(r"/\*.*?\*/", Comment), LexerRule(r"/\*.*", Comment, then=inside)


def in_comment_rules(after: int = NORMAL) -> tuple[LexerRule, ...]:
    """Returns the rest of a block comment, left for the state `after`."""
    return LexerRule(r".*?\*/", Comment, then=after), LexerRule(r".+", Comment)


def string_rules(inside: int, prefix: str = "") -> tuple[LexerRule, ...]:
    """Returns rules for strings: plain, or with escapes and going on in `inside`."""
    plain = prefix + r'"[^"\\]*+'
    return LexerRule(plain + '"', String), LexerRule(plain, String, then=inside)


def in_string_rules(escape: str, after: int) -> tuple[LexerRule, ...]:
    """Returns the rest of a string with escapes, left for the state `after`."""
    return (
        LexerRule(r'[^"\\]*+"', String, then=after),
        LexerRule(r'[^"\\]++', String),
        LexerRule(escape, String.Escape),
        LexerRule(r"\\", String),
    )


# A parenthesis that begins a group, or may.
_MAY_GROUP = re.compile(r"\((?!\?)|\(\?P<")

_Row = tuple[TokenType, Mapping[str, TokenType], int | None]


class _Table:
    """The rules of a state as a single expression."""

    def __init__(self, rules: Sequence[LexerRule]) -> None:
        expression = re.compile("|".join(f"({rule.pattern})" for rule in rules))
        self.find = expression.finditer
        # By the number of the group that matched; the groups inside a rule leave a gap.
        self.rows: dict[int | None, _Row] = {}
        group = 1
        for rule in rules:
            self.rows[group] = (rule.token, rule.words, rule.then)
            group += 1 + _groups(rule.pattern)


def _groups(pattern: str) -> int:
    """Returns the number of groups of a pattern; without any, compiling would waste time."""
    return re.compile(pattern).groups if _MAY_GROUP.search(pattern) else 0


class _Tables(dict[int, _Table]):
    """The tables of all states, each made when a text first comes into the state."""

    def __init__(self, rules: Mapping[int, Sequence[LexerRule]]) -> None:
        super().__init__()
        self._rules = rules

    def __missing__(self, state: int) -> _Table:
        table = self[state] = _Table(self._rules[state])
        return table


class LineLexer:
    """Lexes line after line.

    Attributes:
        rules: The rules of each state.
        line_ends: States that do not outlast their line, and what follows them.
        line_starts: What becomes of a state where the next line starts.
    """

    rules: ClassVar[Mapping[int, Sequence[LexerRule]]]
    line_ends: ClassVar[Mapping[int, int]] = {}
    line_starts: ClassVar[Mapping[int, int]] = {}

    def __init__(self) -> None:
        self._tables = _Tables(self.rules)

    def lex_line(self, line: str, state: int = NORMAL) -> tuple[Tokens, int]:
        """Splits a line into tokens; the gaps between are blank.

        Args:
            line: A line without its line end.
            state: What the line before has left; 0 for the first.

        Returns:
            The tokens as (start, length, type), and the state for the next line.
        """
        tokens: Tokens = []
        state = self._lex_part(line, 0, self.line_starts.get(state, state), tokens)
        return tokens, self.line_ends.get(state, state)

    def _lex_part(self, line: str, start: int, state: int, tokens: Tokens) -> int:
        """Appends the tokens from `start` on, and returns the state behind."""
        if state not in self.rules:
            state = NORMAL
        while state in self.rules:
            table = self._tables[state]
            rows = table.rows
            for match in table.find(line, start):
                token, known, then = rows[match.lastindex]
                first, start = match.span()
                if known:
                    token = known.get(match[0], token)
                tokens.append((first, start - first, token))
                if then is not None:
                    state = then
                    break
            else:
                break
        return state
