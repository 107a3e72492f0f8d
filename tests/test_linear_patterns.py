"""No regular expression of the program takes more than linear time, whatever the text is."""

import ast
import dataclasses
import importlib
import inspect
import pkgutil
import random
import re
import signal
import time
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from re import _constants as op
from re import _parser

import pytest

import jitstudio
from jitstudio.core import explanations
from tests.support import LEXERS

# ---- Texts that keep a regular expression busy, made from its parse tree
#
# What takes a pattern long is a beginning that it accepts, then many times what one of its
# repetitions accepts, then what it does not. All three are drawn at random, with a seed.

_COMMON = " \n\ta0_(\"/*<>:;,.[]{}\\'#%@$-=!"
_CATEGORIES = {
    op.CATEGORY_DIGIT: str.isdigit,
    op.CATEGORY_SPACE: str.isspace,
    op.CATEGORY_WORD: lambda c: c.isalnum() or c == "_",
    op.CATEGORY_NOT_DIGIT: lambda c: not c.isdigit(),
    op.CATEGORY_NOT_SPACE: lambda c: not c.isspace(),
    op.CATEGORY_NOT_WORD: lambda c: not (c.isalnum() or c == "_"),
}
_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)
_DRAWS = 12
FEW, MANY = 40, 300
"""How many attacks are tried on a pattern."""

_ENDS = ("", "\0", "!")

USES: dict[str, Callable[[re.Pattern, str | bytes], object]] = {
    "match": lambda pattern, text: pattern.match(text),
    "fullmatch": lambda pattern, text: pattern.fullmatch(text),
    "search": lambda pattern, text: pattern.search(text),
    "finditer": lambda pattern, text: sum(1 for _ in pattern.finditer(text)),
}
_FIRST, _SHORT, _LONG = 32, 512, 4096
# Seconds that a linear pattern needs for a character at most, also on a machine that is busy.
_SLOW = 4e-6
_NOTHING = 2e-8


class _TooLong(Exception):
    pass


def superlinear(pattern: re.Pattern, use: str, most: int = FEW) -> str:
    """A text with which this use of the pattern takes more than linear time; empty if none is."""
    attacks = sorted(_attacks(pattern))
    draw = random.Random(len(attacks))
    for attack in draw.sample(attacks, min(len(attacks), most)):
        if _is_superlinear(pattern, USES[use], attack):
            begin, pump, end = attack
            return f"{begin!r} + n * {pump!r} + {end!r}"
    return ""


def _attacks(pattern: re.Pattern) -> set[tuple[str, str, str]]:
    source = pattern.pattern
    flags = pattern.flags
    if isinstance(source, bytes):
        source, flags = source.decode("latin-1"), flags & ~re.UNICODE
    tree = list(_parser.parse(source, flags))
    draw = random.Random(source)
    found = set()
    for _ in range(_DRAWS):
        for before, inside, behind in _repeats(tree, "", draw):
            pumps = {_text(inside, draw), before, " ", "a"}
            pumps |= {before + _text(inside, draw), _text(inside, draw) + _text(behind[:1], draw)}
            found |= set(product({before, ""}, pumps, _ENDS))
        whole = _text(tree, draw)
        found |= {("", whole, ""), ("", whole[:-1], "!")}
    return {attack for attack in found if 0 < len(attack[1]) < 200}


def _repeats(nodes: list, before: str, draw: random.Random) -> Iterator[tuple[str, list, list]]:
    """All repetitions: a text that leads there, what is repeated, and what follows."""
    for at, (kind, value) in enumerate(nodes):
        if kind in _REPEATS:
            if value[1] is op.MAXREPEAT or value[1] > 50:
                yield before, value[2], nodes[at + 1 :]
            yield from _repeats(list(value[2]), before, draw)
        for inner in _inner(kind, value):
            yield from _repeats(list(inner), before, draw)
        before += _text([(kind, value)], draw)


def _inner(kind: object, value: object) -> list:
    if kind is op.SUBPATTERN:
        return [value[-1]]
    if kind is op.ATOMIC_GROUP:
        return [value]
    if kind in (op.ASSERT, op.ASSERT_NOT):
        return [value[1]]
    return value[1] if kind is op.BRANCH else []


def _text(nodes: list, draw: random.Random) -> str:
    """A text that these nodes may accept."""
    return "".join(_one(kind, value, draw) for kind, value in nodes)


def _one(kind: object, value: object, draw: random.Random) -> str:
    if kind is op.LITERAL:
        return chr(value)
    if kind is op.NOT_LITERAL:
        return draw.choice([c for c in _COMMON if ord(c) != value])
    if kind is op.ANY:
        return draw.choice(_COMMON.replace("\n", ""))
    if kind is op.IN:
        return draw.choice(_fitting(tuple(value)))
    if kind in _REPEATS:
        least, most, inside = value
        return "".join(_text(inside, draw) for _ in range(min(most, least + draw.randrange(2))))
    inner = [] if kind in (op.ASSERT, op.ASSERT_NOT) else _inner(kind, value)
    return _text(draw.choice(inner), draw) if inner else ""


@cache
def _fitting(items: tuple) -> list[str]:
    """Some of the characters that a set accepts."""
    named = [chr(item) for sort, item in items if sort is op.LITERAL]
    named += [chr(item[0]) for sort, item in items if sort is op.RANGE]
    return sorted(c for c in {*_COMMON, *named} if _fits(c, items)) or ["\1"]


def _fits(character: str, items: tuple) -> bool:
    number = ord(character)
    inside = any(
        (sort is op.LITERAL and number == item)
        or (sort is op.RANGE and item[0] <= number <= item[1])
        or (sort is op.CATEGORY and _CATEGORIES[item](character))
        for sort, item in items
    )
    return inside is not any(sort is op.NEGATE for sort, _ in items)


def _is_superlinear(pattern: re.Pattern, use: Callable, attack: tuple[str, str, str]) -> bool:
    return all(_is_slow(pattern, use, attack) for _ in range(3))


def _is_slow(pattern: re.Pattern, use: Callable, attack: tuple[str, str, str]) -> bool:
    """Whether the time of one trial is more than a linear pattern may take."""
    if _seconds(pattern, use, attack, _FIRST) > 1e-3:
        return True
    short = _seconds(pattern, use, attack, _SHORT)
    if short < _NOTHING * _SHORT:
        return False
    long = _seconds(pattern, use, attack, _LONG)
    return long > _SLOW * _LONG or long > 3 * short * _LONG / _SHORT


def _seconds(
    pattern: re.Pattern, use: Callable, attack: tuple[str, str, str], length: int
) -> float:
    begin, pump, end = attack
    text: str | bytes = begin + pump * (length // len(pump)) + end
    if isinstance(pattern.pattern, bytes):
        text = text.encode("latin-1", "replace")
    # By the time of this process: what others do on a busy machine is not the pattern's.
    previous = signal.signal(signal.SIGVTALRM, _interrupt)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.5)
    start = time.thread_time()
    try:
        use(pattern, text)
    except _TooLong:
        return 0.5
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, previous)
    return time.thread_time() - start


def _interrupt(*_args: object) -> None:
    raise _TooLong


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


@cache
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


_SINGLE = (op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN, op.CATEGORY, op.ATOMIC_GROUP)


def misread(pattern: str | bytes, flags: int = 0) -> bool:
    """Whether Python up to 3.11.4 misreads a pattern.

    There a possessive repetition of a group that fails halfway (``(?:\\.[0-9]++)?+`` at ``.f``)
    stays where the group has failed (CPython, issue 106052). An atomic group goes back.
    """
    source = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
    waiting = [list(_parser.parse(source, flags & ~re.UNICODE))]
    while waiting:
        for kind, value in waiting.pop():
            if kind in _REPEATS:
                items = list(value[2])
                is_single = len(items) == 1 and items[0][0] in _SINGLE
                if kind is op.POSSESSIVE_REPEAT and not is_single:
                    return True
                waiting.append(items)
            waiting += map(list, _inner(kind, value))
    return False


@pytest.mark.slow
def test_no_pattern_is_one_that_early_versions_of_python_misread():
    patterns = {
        (name, label): pattern
        for name in _modules()
        for label, pattern, _ in _of_module(name)
        if misread(pattern.pattern, pattern.flags)
    }
    assert patterns == {}
    rules = [r.pattern for x in LEXERS for rules in x.rules.values() for r in rules]
    rows = explanations.explanations()
    searches = [p for row in rows for p in (*row.where.values(), *row.unless.values())]
    searches += [row.message for row in rows]
    assert list(filter(misread, (*rules, *searches))) == []
    assert misread(r"(?:\.[0-9]++)?+")
    assert not misread(r"(?>\.[0-9]++)?+")


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
