"""Names, docstrings and tests say what a thing is: shares of those that do not, held to limits.

A name such as `found` says how a value came, not what it is. A first line with `what` or `such`
speaks of something without naming it.
"""

import ast
import re

import pytest

from tests.house_words import TURNS, places
from tests.support import ROOT
from tests.wordings import repetitions, share_of_sentences

_VAGUE = frozenset(["found", "made", "given", "told", "held", "kept", "each", "one"])
_PARTICIPLES = frozenset(["asked", "seen"])
_WITHOUT_REFERENT = re.compile(r"\b(?:what|one|it|such|those|else|them|its)\b", re.IGNORECASE)
# Where a rule, a pattern or a number needs a reason, an example or a source.
_COMMENTED = ("simulator", "checks")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)

pytestmark = pytest.mark.slow


def definitions(node):
    """The modules, classes and functions in a node; expressions, most of a tree, hold none."""
    if isinstance(node, (*_FUNCTIONS, ast.ClassDef, ast.Module)):
        yield node
    for part in ast.iter_child_nodes(node):
        if isinstance(part, (ast.stmt, ast.ExceptHandler, ast.match_case)):
            yield from definitions(part)


@pytest.fixture(scope="module")
def nodes():
    """All that modules, classes and functions are in the package."""
    texts = (path.read_text("utf-8") for path in (ROOT / "jitstudio").rglob("*.py"))
    return [node for text in texts for node in definitions(ast.parse(text))]


def locals_of(function):
    """The names of the arguments and the local variables of a function."""
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def test_values_are_named_for_what_they_are(nodes):
    functions = [node for node in nodes if isinstance(node, _FUNCTIONS)]
    vague = sum(len(_VAGUE.intersection(locals_of(function))) for function in functions)
    assert 1000 * vague / len(functions) <= 14


def members_of(node):
    """The names of a function, or of the fields and attributes of a class."""
    if isinstance(node, _FUNCTIONS):
        yield node.name
    elif isinstance(node, ast.ClassDef):
        yield from (
            part.attr
            for part in ast.walk(node)
            if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store)
        )
        yield from (x.target.id for x in node.body if isinstance(x, ast.AnnAssign))


def test_fields_and_functions_are_named_for_what_they_are(nodes):
    names = (name.strip("_") for node in nodes for name in members_of(node))
    assert sum(name in _VAGUE | _PARTICIPLES for name in names) <= 20


def test_first_lines_of_docstrings_name_what_they_speak_of(nodes):
    texts = filter(None, map(ast.get_docstring, nodes))
    first_lines = [text.partition("\n")[0] for text in texts]
    what = sum(bool(re.search(r"\bwhat\b", line, re.IGNORECASE)) for line in first_lines)
    vague = sum(bool(_WITHOUT_REFERENT.search(line)) for line in first_lines)
    assert what / len(first_lines) <= 0.03
    assert vague / len(first_lines) <= 0.1


def test_users_read_the_words_of_the_field():
    """`python3 -m tests.house_words` lists the others."""
    for turn in TURNS:
        listed = places(turn)
        assert len(listed) <= turn.most, "\n".join((f"{turn.pattern}: {turn.instead}", *listed))


@pytest.mark.bench
def test_the_wording_of_a_sentence_stands_in_one_test():
    """`python3 -m tests.wordings` lists those that stand in several.

    It says nothing of the program, and reads all tests and all of the package for that.
    """
    assert repetitions() <= 32
    assert share_of_sentences() <= 0.035


def test_rules_have_their_reasons_beside_them():
    for room in _COMMENTED:
        lines = [
            line.strip()
            for path in (ROOT / "jitstudio" / room).rglob("*.py")
            for line in path.read_text("utf-8").split("\n")
        ]
        comments = sum(line.startswith("#") for line in lines)
        assert comments / sum(map(bool, lines)) >= 0.028, room
