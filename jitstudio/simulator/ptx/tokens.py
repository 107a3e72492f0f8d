"""The words, numbers and marks of PTX text, one after the other, with their lines."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

from jitstudio.core.line_table_paths import plain_path
from jitstudio.simulator.ptx.program import ImmediateOperand


class PtxReadError(ValueError):
    """A PTX text that cannot be read; the message is a sentence with the line."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"Line {line} of the PTX: {why}")
        self.line = line


_TOKEN = re.compile(
    r"""(?P<gap>(?>\s+|//[^\n]*+|/\*(?s:.*?)(?:\*/|\Z))++)
    |(?P<line>(?:\.(?:loc|file)\b|\#|@@)[^\n]*+)
    |(?P<number>0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}|0[xX][0-9a-fA-F]++U?|0[bB][01]++U?
        |\d++\.\d*+(?:[eE][+-]?\d++)?+|\d++[eE][+-]?\d++|\d++U?)
    |(?P<word>\.?[A-Za-z_$%][\w$%]*+(?>(?:::|\.)[\w$%]++)*+)
    |(?P<string>"[^"\n]*+"?)
    |(?P<mark><<|>>|<=|>=|==|!=|&&|\|\||.)""",
    re.VERBOSE | re.DOTALL,
)
_FILE = re.compile(r'\.file\s++(\d++)\s++"([^"]*+)"')
_MOST_DIGITS = 400


class PtxToken(NamedTuple):
    """A word, number or mark, with where it begins in the text."""

    kind: str
    text: str
    at: int


class PtxTokens:
    """Goes through the tokens of a text.

    Attributes:
        text: The PTX.
        tokens: All of them, then one of kind ``end``.
        position: The index of the next one.
        files: The names of source files, by their numbers.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[PtxToken] = []
        self.position = 0
        self.files: dict[int, str] = {}
        self._starts = [0, *(m.end() for m in re.finditer("\n", text))]
        for match in _TOKEN.finditer(text):
            kind = match.lastgroup or ""
            if kind == "line" and (named := _FILE.match(match[0])):
                self.files[int(named[1])] = plain_path(named[2])
            elif kind == "number" and len(match[0]) > _MOST_DIGITS:
                line = bisect_right(self._starts, match.start())
                raise PtxReadError(line, "this number has too many digits.")
            elif kind != "gap":
                self.tokens.append(PtxToken(kind, match[0], match.start()))
        self.tokens.append(PtxToken("end", "", len(text)))

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
        """Returns whether the next token is this."""
        return self.tokens[self.position].text == text

    def accept(self, text: str) -> bool:
        """Goes on behind the next token if it is this; returns whether it is."""
        if self.tokens[self.position].text == text:
            self.position += 1
            return True
        return False

    def expect(self, text: str) -> None:
        """Goes on behind the next token, which has to be this."""
        if not self.accept(text):
            found, before = self.peek().text, self.tokens[max(self.position - 1, 0)]
            line = bisect_right(self._starts, before.at)
            raise PtxReadError(
                line,
                f"“{text}” is expected behind “{before.text[:40]}”, and there is "
                f"“{found[:40] or 'the end of the text'}”.",
            )

    def word(self) -> str:
        """Returns the name that comes next."""
        token = self.take()
        if token.kind != "word":
            self.position -= 1
            raise self.error(f"a name is expected here, and there is “{token.text[:40]}”")
        return token.text

    def line(self) -> int:
        """Returns the line of the next token, from 1."""
        return bisect_right(self._starts, self.peek().at)

    def error(self, why: str) -> PtxReadError:
        """Returns an error at the next token."""
        return PtxReadError(self.line(), f"{why}.")

    def skip_to(self, end: str) -> None:
        """Goes on behind the next token that is this."""
        while not self.accept(end):
            self.take()

    def skip_braces(self) -> None:
        """Goes on behind what is in braces."""
        depth = 0
        while True:
            token = self.take()
            depth += (token.text == "{") - (token.text == "}")
            if depth <= 0:
                return


def number_of(text: str) -> ImmediateOperand:
    """Returns what a number stands for."""
    prefix = text[:2].lower()
    if prefix == "0f":
        return ImmediateOperand(int(text[2:], 16), 32)
    if prefix == "0d":
        return ImmediateOperand(int(text[2:], 16), 64)
    text = text.rstrip("U")
    if prefix in ("0x", "0b"):
        return ImmediateOperand(int(text, 0))
    if text.isdigit():
        octal = len(text) > 1 and text[0] == "0" and not set(text) & set("89")
        return ImmediateOperand(int(text, 8 if octal else 10))
    return ImmediateOperand(float(text))
