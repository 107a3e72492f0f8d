r"""Text of C++ that hides code: comments, strings, characters, raw strings [lex.phases].

The parts are patterns of text; `.encode()` makes those of bytes of them. All are possessive, so
that no text is looked through twice, and each ends with the text where it is not closed. A
backslash at the end of a line joins the next one to it, in a ``//`` comment, too.
"""

from __future__ import annotations

import re

from jitstudio.ptx.pieces import blank, replaced

COMMENT = r"//(?>[^\\\n]++|\\(?:\r\n|[\s\S]))*+|/\*(?>[^*]++|\*(?!/))*+(?:\*/)?"

# It begins with a letter, so that the search is quick; `u8R"(x)"` is one, `FOOR"(x)"` is none.
RAW_STRING = (
    r'R"(?:(?<!\w..)|(?<=\bu8R")|(?<=\b[uUL]R"))'
    r'(?P<raw_end>[^()\\\s"]{0,16})\((?s:.*?)(?:\)(?P=raw_end)"|\Z)'
)
"""A raw string without its prefix. Has a group, `raw_end`: it can stand in a pattern once."""

STRING = r'"(?>[^"\\\n]++|\\[\s\S])*+"?'

# An apostrophe between digits begins nothing: 1'000'000, 0xff'ff.
CHARACTER = (
    r"'(?:(?<![0-9A-Fa-f]')|(?<=\bu8')|(?<=\bcase')|(?<=\belse')|(?<=\bsizeof'))"
    r"(?>[^'\\\n]++|\\[\s\S])*+'?"
)

LITERAL = rf"{RAW_STRING}|{STRING}|{CHARACTER}"
"""Has a group, see `RAW_STRING`."""

HIDDEN = rf"{COMMENT}|{LITERAL}"

_HIDDEN = re.compile(HIDDEN)


def bare_cpp(text: str) -> str:
    """Returns the code with blanks for comments, strings and characters; the rest stays put."""
    return replaced(_HIDDEN, lambda match: blank(match[0]), text)
