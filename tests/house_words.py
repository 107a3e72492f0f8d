"""Turns of phrase of this house in texts that users read, with the words of the field for them.

    python3 -m tests.house_words [PATTERN]

lists each place. `tests/test_language.py` holds how many are left; a change may only lower them.
"""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from tests.support import ROOT


class Turn(NamedTuple):
    """A turn of phrase.

    Attributes:
        pattern: Where it stands.
        instead: The words of the field.
        most: How many places may have it.
    """

    pattern: str
    instead: str
    most: int


TURNS = (
    Turn(r"\bmend(?:s|ed|ing)?\b", "fix", 0),
    Turn(r"\bin (?:the )?place of\b", "instead of", 0),
    Turn(r"\banew\b", "again", 0),
    # Caches and what a pointer leads to lie behind another thing.
    Turn(r"(?<!and, )(?<!buffers )(?<!left )\bbehind\b", "after", 0),
    Turn(r"\b(?:is|are|was|were|be|been) (?:not )?told\b|\btold (?:by|as|to|apart)\b", "shown", 0),
    Turn(r"\bseal(?:ed|s)?\b", "sandboxed", 0),
    Turn(r"\bmachine code\b", "SASS, where instructions are meant", 65),
    Turn(r"(?<!\{)(?<!request, )\bwavefronts?\b", "passes", 0),
    Turn(r"(?<![Tt]here )\b(?:is|are) no (?!longer|more\b|better\b|way\b|need\b)\w+", "not a", 0),
    Turn(
        r"[,.;] [Ww]here (?:there (?:is|are)|nothing|none|no|one|an?|they|it (?:is|can))\b",
        "if",
        4,
    ),
    Turn(r"(?:^|[.:] )Of (?:an? |the )[\w*.]+ ", "the subject first", 0),
    Turn(
        r"(?:^|[.:;] )(?:In|On|Below|Above|Before|After|From|By|With|To|Under|Among|Between|Next to"
        r"|Out of|At|For) (?!all\b)[^.,;:]{2,45}? (?:is|are|stands?|comes?|lies?|goes|belongs?"
        r"|follows?|has|have) (?:the|those|that|each|what|only|all|one)\b",
        "the subject first",
        0,
    ),
)

# Neither of these is read by users: patterns for what tools say, and what documents code.
_NO_TEXTS = frozenset(["message", "where", "unless", "pattern"])
_CODE = re.compile(r"`[^`\n]*`|^(?: {4}|\t).*$|<!-- table .*?<!-- end -->|\]\([^)]*\)", re.M | re.S)
_WORDS = re.compile(r"[A-Za-z]{2,}")
_FEWEST = 2


@cache
def texts() -> tuple[tuple[str, str], ...]:
    """Returns each text that users read, with its place: file and line, or the keys of a table."""
    return tuple(_texts())


def _texts() -> Iterator[tuple[str, str]]:
    for path in sorted((ROOT / "jitstudio").rglob("*.py")):
        place = path.relative_to(ROOT).as_posix()
        yield from ((f"{place}:{line}", text) for line, text in _literals(path.read_text("utf-8")))
    for path in sorted((ROOT / "resources").rglob("*.toml")):
        place = path.relative_to(ROOT).as_posix()
        yield from _values(tomllib.loads(path.read_text("utf-8")), place)
    pages = [*(ROOT / "resources/help").glob("*.md"), *(ROOT / "resources/lessons").rglob("*.md")]
    for path in (*sorted(pages), ROOT / "README.md"):
        text = _CODE.sub(" ", path.read_text("utf-8"))
        place = path.relative_to(ROOT).as_posix()
        yield from ((place, paragraph.replace("\n", " ")) for paragraph in text.split("\n\n"))


def _literals(source: str) -> Iterator[tuple[int, str]]:
    """Yields the literals of a module that are sentences, or parts of one, with their lines."""
    tree = ast.parse(source)
    # Docstrings, and the sentences below attributes.
    bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) in bare or "\\b" in node.value or "(?" in node.value:
                continue
            if len(_WORDS.findall(node.value)) >= _FEWEST:
                yield node.lineno, node.value


def _values(value: Any, place: str) -> Iterator[tuple[str, str]]:
    match value:
        case dict():
            for key, part in value.items():
                if key not in _NO_TEXTS:
                    yield from _values(part, f"{place} {key}")
        case list():
            for part in value:
                yield from _values(part, place)
        case str():
            yield place, " ".join(value.split())


def places(turn: Turn) -> list[str]:
    """Returns each place of a turn of phrase, with the words around."""
    pattern = re.compile(turn.pattern, re.I if turn.pattern[0] != "(" else 0)
    return [
        f"{place}: {text[max(0, match.start() - 50) : match.end() + 40]}"
        for place, text in texts()
        for match in pattern.finditer(text)
    ]


if __name__ == "__main__":
    for turn in TURNS:
        if len(sys.argv) > 1 and sys.argv[1] not in turn.pattern:
            continue
        listed = places(turn)
        print(f"{len(listed)} of at most {turn.most}: {turn.pattern} ({turn.instead})")
        if len(sys.argv) > 1:
            print(*listed, sep="\n")
