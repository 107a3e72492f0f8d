"""The sentences of the program whose wording several tests repeat; lists them when it is run.

A sentence is held by one test; the others assert names, numbers and lines, typed values, or look
the sentence up (`refusal` in `tests/support.py`, `is_told` in `tests/core/explaining.py`,
`finding_text` in `tests/analysis/findings/texts.py`). Then a better wording changes one test.
"""

import ast
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from tests.support import ROOT

RUN = 4
"""Words in a row by which a sentence is recognised: 'There is no number'."""
_LONGEST = 60
_WORD = re.compile(r"[A-Za-z]+(?:['-][A-Za-z]+)*")
_PLAIN = re.compile(r"[\"'(`“]?[A-Za-z][a-z'-]*[\"')`”]*[.,:;!?]?")
_PLACEHOLDER = re.compile(r"\{[^}]*\}|\$\w+")
# Patterns for what compilers say, and what the help on instructions says.
_NO_SENTENCES = frozenset(["message", "where", "unless"])
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Wording(NamedTuple):
    """A text of a test with its place; a table at the top of a module counts as one test."""

    place: str
    test: str
    text: str


def repetitions() -> int:
    """How many tests repeat a sentence that another one holds, summed over all sentences."""
    return sum(len({wording.test for wording in texts}) - 1 for texts in repeated().values())


def share_of_sentences() -> float:
    """The share of assertions that compare with a text of five words or more."""
    trees = _modules().values()
    assertions = [node for t in trees for node in ast.walk(t) if isinstance(node, ast.Assert)]
    return sum(map(_compares_a_sentence, assertions)) / len(assertions)


def _compares_a_sentence(assertion: ast.Assert) -> bool:
    return any(
        isinstance(part, ast.Constant)
        and isinstance(part.value, str)
        and len(part.value.split()) > RUN
        and _is_prose(part.value)
        for comparison in ast.walk(assertion.test)
        if isinstance(comparison, ast.Compare)
        for part in ast.walk(comparison)
    )


def repeated() -> dict[str, list[Wording]]:
    """The sentences of the program that several tests repeat, with the texts that do so."""
    homes = defaultdict(set)
    for home, text in _sentences():
        for run in _runs(text):
            homes[run].add(home)
    wordings = defaultdict(list)
    for wording in _of_tests():
        fitting = Counter(home for run in _runs(wording.text) for home in homes.get(run, ()))
        if fitting:
            most = max(fitting.values())
            home = min(home for home, count in fitting.items() if count == most)
            wordings[home].append(wording)
    return {home: texts for home, texts in wordings.items() if len({w.test for w in texts}) > 1}


def _sentences() -> Iterator[tuple[str, str]]:
    """The sentences of the package and of its resources, with their places."""
    for path in sorted((ROOT / "jitstudio").rglob("*.py")):
        for node, text in _texts(ast.parse(path.read_text("utf-8"))):
            yield f"{path.relative_to(ROOT)}:{node.lineno}", text
    for name in ("analysis/findings.toml", "analysis/limits.toml", "explanations.toml"):
        content = tomllib.loads((ROOT / "resources" / name).read_text("utf-8"))
        yield from _of_table(content, name)


def _of_table(value: Any, place: str) -> Iterator[tuple[str, str]]:
    match value:
        case str():
            for sentence in re.split(r"(?<=[.:])\s", value):
                if _is_prose(sentence):
                    yield place, sentence
        case dict():
            for key, part in value.items():
                if key not in _NO_SENTENCES:
                    yield from _of_table(part, f"{place} {value.get('id', key)}")
        case list():
            for part in value:
                yield from _of_table(part, place)


@cache
def _modules() -> dict[str, ast.Module]:
    """The test modules by their paths."""
    paths = sorted((ROOT / "tests").rglob("test_*.py"))
    return {str(p.relative_to(ROOT)): ast.parse(p.read_text("utf-8")) for p in paths}


def _of_tests() -> Iterator[Wording]:
    for name, tree in _modules().items():
        tests = {
            node: f"{name}::{test.name}"
            for test in ast.walk(tree)
            if isinstance(test, _FUNCTIONS)
            for node in ast.walk(test)
        }
        for node, text in _texts(tree):
            yield Wording(f"{name}:{node.lineno}", tests.get(node, name), text)


def _texts(tree: ast.Module) -> Iterator[tuple[ast.expr, str]]:
    """The texts in prose of a module, without docstrings; a value in an f-string is {}."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        match node := waiting.pop():
            case ast.Expr(value=ast.Constant(value=str())):
                continue
            case ast.Constant(value=str(text)):
                parts = [text]
            case ast.JoinedStr(values=values):
                parts = [str(v.value) if isinstance(v, ast.Constant) else "{}" for v in values]
            case _:
                waiting += ast.iter_child_nodes(node)
                continue
        if _is_prose(text := "".join(parts)):
            yield node, text


def _is_prose(text: str) -> bool:
    words = text.split()
    plain = sum(bool(_PLAIN.fullmatch(word)) for word in words)
    return RUN <= plain >= 0.6 * len(words) and len(words) < _LONGEST and "__global__" not in text


def _runs(text: str) -> set[tuple[str, ...]]:
    """The runs of words, unbroken by what is filled in."""
    parts = [_WORD.findall(part.lower()) for part in _PLACEHOLDER.split(text)]
    return {tuple(p[at : at + RUN]) for p in parts for at in range(len(p) - RUN + 1)}


if __name__ == "__main__":
    for home, texts in sorted(repeated().items()):
        print(home)
        for wording in texts:
            print(f"    {wording.place} {wording.text!r}")
