"""The tables of a folder name each of its modules, and no other."""

import importlib
import re
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    "package",
    ["jitstudio.listing.cuda", "jitstudio.listing.cuda.host_launches", "jitstudio.listing.kernels"],
)
def test_a_table_has_each_module(package):
    module = importlib.import_module(package)
    rows = [line.split("|")[1] for line in module.__doc__.splitlines() if line.startswith("| `")]
    named = re.findall(r"`(\w+)`", " ".join(rows))
    modules = {path.stem for path in Path(module.__file__).parent.glob("*.py")} - {"__init__"}
    assert sorted(named) == sorted(modules)
