"""No regular expression of the program takes more than linear time, whatever the text is."""

import ast
import dataclasses
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator

import pytest

import jitstudio
from jitstudio.core import explanations
from tests.regex_attacks import FEW, MANY, USES, superlinear
from tests.support import LEXERS

# What a table of patterns is used for may be in any function of its module.
_SAME = {"sub": "finditer", "subn": "finditer", "findall": "finditer", "split": "finditer"}


def _patterns(value: object, depth: int = 0) -> Iterator[re.Pattern]:
    if isinstance(value, re.Pattern):
        yield value
    elif depth < 4:
        if isinstance(value, dict):
            value = [*value, *value.values()]
        elif dataclasses.is_dataclass(value) and not isinstance(value, type):
            value = [getattr(value, field.name, None) for field in dataclasses.fields(value)]
        if isinstance(value, list | tuple | set | frozenset):
            for item in value:
                yield from _patterns(item, depth + 1)


def _uses(nodes: list[ast.AST], name: str, others: set[str]) -> set[str]:
    """How a module uses a pattern of this name; of one in a table, how it uses any without one."""
    direct, indirect = set(), set()
    aliases = {name} | set(_loop_variables(nodes, name))
    for node in nodes:
        if isinstance(node, ast.Attribute):
            base = node.value.value if isinstance(node.value, ast.Subscript) else node.value
            of = base.id if isinstance(base, ast.Name) else ""
            if isinstance(node.value, ast.IfExp):
                continue  # between named ones
            use = _SAME.get(node.attr, node.attr)
            if use in USES:
                direct |= {use} if of in aliases else set()
                # Nearly every module splits a text.
                indirect |= {use} if of not in others and node.attr in USES else set()
    return direct or indirect or set(USES)


def _loop_variables(nodes: list[ast.AST], name: str) -> Iterator[str]:
    """The variables of loops and comprehensions that go through a table of this name."""
    for node in nodes:
        if isinstance(node, ast.For | ast.comprehension):
            through = node.iter.func if isinstance(node.iter, ast.Call) else node.iter
            through = through.value if isinstance(through, ast.Attribute) else through
            if isinstance(through, ast.Name) and through.id == name:
                yield from (n.id for n in ast.walk(node.target) if isinstance(n, ast.Name))


def _modules() -> list[str]:
    found = pkgutil.walk_packages(jitstudio.__path__, "jitstudio.")
    return [module.name for module in found if not module.name.endswith("__main__")]


def _of_module(name: str) -> list[tuple[str, re.Pattern, str]]:
    """The patterns that a module has, with what it calls them and how it uses them."""
    module = importlib.import_module(name)
    if "re" not in vars(module):
        return []
    source = inspect.getsource(module)
    own = {n: v for n, v in vars(module).items() if f"\n{n} = " in source or f"\n{n}: " in source}
    named = {n for n, v in own.items() if isinstance(v, re.Pattern)}
    patterns = {n: found for n, value in own.items() if (found := [*_patterns(value)])}
    nodes = [*ast.walk(ast.parse(source))] if patterns else []
    return [
        (n, pattern, use)
        for n, found in patterns.items()
        for use in sorted(_uses(nodes, n, named))
        for pattern in found
    ]


@pytest.mark.slow
@pytest.mark.parametrize("most", [FEW, pytest.param(MANY, marks=pytest.mark.bench)])
def test_all_patterns_of_the_program_are_linear(most):
    found = {
        (name, label, use): text
        for name in _modules()
        for label, pattern, use in _of_module(name)
        if (text := superlinear(pattern, use, most))
    }
    assert found == {}


@pytest.mark.slow
@pytest.mark.parametrize("lexer", LEXERS, ids=lambda lexer: lexer.__name__)
def test_the_rules_of_a_lexer_are_linear(lexer):
    for state, rules in lexer.rules.items():
        table = re.compile("|".join(f"({rule.pattern})" for rule in rules))
        assert not superlinear(table, "finditer"), state


@pytest.mark.slow
def test_what_finds_an_explanation_is_linear():
    rows = explanations.explanations()
    patterns = {re.compile(row.message) for row in rows}
    searched = [search for row in rows for search in (*row.where.values(), *row.unless.values())]
    patterns |= {re.compile(search, re.MULTILINE) for search in searched}
    assert [p.pattern for p in patterns if superlinear(p, "search")] == []


@pytest.mark.parametrize(
    ("pattern", "use"),
    [
        (r"\s+x", "search"),
        (r"\s*,?\s*x", "match"),
        (r"(?:a|aa)+x", "match"),
        (r'"(?:\\.|[^"])*"', "finditer"),
        (r"(?:(?P<s>[^\s:][^\n:]*?)\s*:?\s+)?(?:error)\s*: ", "match"),
    ],
)
def test_the_search_finds_what_is_not_linear(pattern, use):
    assert superlinear(re.compile(pattern), use)
