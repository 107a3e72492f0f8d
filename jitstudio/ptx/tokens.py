"""The words, numbers and marks of PTX text, in order, with their lines."""

from __future__ import annotations

import re
from bisect import bisect_right
from contextlib import suppress

from jitstudio.ptx.scanner import PtxToken, bare_ptx, integer_of, scan


class PtxReadError(ValueError):
    """A PTX text that cannot be read; the message is a sentence with the line."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"Line {line} of the PTX: {why}")
        self.line = line


_MOST_DIGITS = 400


class PtxTokens:
    """Goes through the tokens of a text.

    Attributes:
        text: The PTX.
        bare: The text with its comments hidden.
        tokens: All tokens, then one of kind ``end``.
        position: The index of the next token.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.bare = bare_ptx(text)
        self.position = 0
        self._starts = [0, *(m.end() for m in re.finditer("\n", text))]
        self.tokens = [*scan(text, self.bare), PtxToken("end", "", len(text))]
        for token in self.tokens:
            if token.kind == "number" and len(token.text) > _MOST_DIGITS:
                line = bisect_right(self._starts, token.at)
                raise PtxReadError(line, "this number has too many digits.")

    def peek(self) -> PtxToken:
        """Returns the next token."""
        return self.tokens[self.position]

    def take(self) -> PtxToken:
        """Returns the next token and goes on."""
        token = self.tokens[self.position]
        if token.kind == "end":
            raise self.error("the text ends here, in the middle of a statement")
        self.position += 1
        return token

    def is_next(self, text: str) -> bool:
        """Returns whether the next token has this text."""
        return self.tokens[self.position].text == text

    def accept(self, text: str) -> bool:
        """Goes on behind the next token if this is its text; returns whether so."""
        if self.tokens[self.position].text == text:
            self.position += 1
            return True
        return False

    def expect(self, text: str) -> None:
        """Goes on behind the next token, which has to be this."""
        if not self.accept(text):
            text_there, before = self.peek().text, self.tokens[max(self.position - 1, 0)]
            line = bisect_right(self._starts, before.at)
            raise PtxReadError(
                line,
                f"“{text}” is expected after “{before.text[:40]}”, and there is "
                f"“{text_there[:40] or 'the end of the text'}”.",
            )

    def word(self) -> str:
        """Returns the name that comes next."""
        token = self.take()
        if token.kind != "word":
            self.position -= 1
            raise self.error(f"a name is expected here, and there is “{token.text[:40]}”")
        return token.text

    def dot_word(self) -> str:
        """Returns the directive, type or state space that comes next, with the dot."""
        token = self.peek()
        if token.kind != "dot":
            raise self.error(
                f"a word such as “.b32” is expected here, and there is {_quoted(token)}"
            )
        self.position += 1
        return token.text

    def number(self) -> int:
        """Returns the integer that comes next, which has to be a single number."""
        token = self.peek()
        with suppress(ValueError):
            if token.kind == "number":
                number = integer_of(token.text)
                self.position += 1
                return number
        raise self.error(f"a number is expected here, and there is {_quoted(token)}")

    def line(self) -> int:
        """Returns the line of the next token, from 1."""
        return bisect_right(self._starts, self.peek().at)

    def error(self, why: str) -> PtxReadError:
        """Returns an error at the next token."""
        return PtxReadError(self.line(), f"{why}.")

    def skip_to(self, end: str) -> None:
        """Goes on behind the next token with this text."""
        while not self.accept(end):
            self.take()

    def skip_braces(self) -> None:
        """Goes on behind a group in braces."""
        self._skip("{", "}")

    def skip_parentheses(self) -> None:
        """Goes on behind a group in parentheses."""
        self._skip("(", ")")

    def _skip(self, begin: str, end: str) -> None:
        depth = 0
        while True:
            token = self.take()
            depth += (token.text == begin) - (token.text == end)
            if depth <= 0:
                return


def _quoted(token: PtxToken) -> str:
    return f"“{token.text[:40] or 'the end of the text'}”"
