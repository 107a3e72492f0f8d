"""Each program in `tests/bench` is run by `.ci/run --bench`, and can be imported."""

import ast
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.bench.test_goals import HERE, ON_A_GPU, OPEN, REACHED, WITHOUT_GOAL

PROGRAMS = [path for path in sorted(HERE.glob("*.py")) if not path.name.startswith("test_")]


def test_each_benchmark_is_run():
    names = sorted(path.stem for path in PROGRAMS)
    assert names == sorted([*REACHED, *OPEN, *WITHOUT_GOAL, *ON_A_GPU])
    assert "-m bench -n0 tests/bench" in (HERE.parents[1] / ".ci" / "run").read_text()


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_what_a_benchmark_takes_from_the_program_is_there(path):
    """Without running it: names that it imports, and attributes of modules that it imports."""
    tree = ast.parse(path.read_text())
    modules = {}
    missing = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("jitstudio"):
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                if find_spec(node.module) and _module(inner):
                    modules[alias.asname or alias.name] = inner
                elif not _has(node.module, alias.name):
                    missing.append(inner)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module = modules.get(node.value.id)
            if module and not (_has(module, node.attr) or _module(f"{module}.{node.attr}")):
                missing.append(f"{module}.{node.attr}")
    assert missing == []


def _module(name):
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def _has(module, name):
    """Whether the text of a module makes this name at its outermost level."""
    spec = find_spec(module)
    tree = ast.parse(Path(spec.origin).read_text())
    return any(
        (isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store))
        or (isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name)
        or (isinstance(node, ast.alias) and (node.asname or node.name) == name)
        for node in ast.walk(tree)
    )
