import importlib
import re
from pathlib import Path

import cuda.bindings
import pytest
from cuda.bindings import nvjitlink

import jitstudio.toolchain
from jitstudio.toolchain import nvjitlink as linker
from tests.toolchain.coverage import COVERAGE, IN_USE, INPUT_TYPES

BINDINGS = tuple(int(part) for part in cuda.bindings.__version__.split(".")[:2])
SOURCES = "".join(
    path.read_text() for path in Path(jitstudio.toolchain.__file__).parent.glob("*.py")
)


def functions(module):
    """The functions of a module of the bindings: neither types nor constants nor helpers."""
    told = importlib.import_module(f"cuda.bindings.{module}")
    names = (name for name in dir(told) if re.match(r"[a-z]", name))
    found = {name for name in names if callable(getattr(told, name))}
    return {n for n in found if not isinstance(getattr(told, n), type) and n != "sizeof"}


@pytest.mark.parametrize("module", COVERAGE)
def test_every_function_is_in_the_table(module):
    found = functions(module)
    assert found <= set(COVERAGE[module])
    # Older bindings lack what came later; with those of the table's time nothing is left over.
    if BINDINGS >= (13, 4):
        assert set(COVERAGE[module]) == found


@pytest.mark.parametrize("module", COVERAGE)
def test_the_table_is_true(module):
    for name, reason in COVERAGE[module].items():
        used = re.search(rf"\b{module}\.{name}\b", SOURCES) is not None
        assert used is (reason == IN_USE), name


def test_every_type_of_input_is_in_the_table_and_the_table_is_true():
    assert set(INPUT_TYPES) == {kind.name for kind in nvjitlink.InputType}
    used = {kind.name for kind in linker._INPUT_TYPES.values()}
    assert used == {name for name, reason in INPUT_TYPES.items() if reason == IN_USE}
