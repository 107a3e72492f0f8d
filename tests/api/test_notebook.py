"""The notebook of the resources runs from top to bottom, and shows what it says."""

import ast
import json

import pytest

from tests.support import ROOT

NOTEBOOKS = sorted((ROOT / "resources/notebooks").glob("*.ipynb"))

pytestmark = pytest.mark.tools


def ran(notebook):
    """Runs the cells as IPython does; yields the namespace and the last value of each."""
    names = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        body = ast.parse("".join(cell["source"])).body
        last = body.pop() if isinstance(body[-1], ast.Expr) else None
        exec(compile(ast.Module(body, []), "cell", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
            yield names, value
        else:
            yield names, None


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_one_without_outputs(path):
    notebook = json.loads(path.read_text())
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)
    assert not any(cell.get("outputs") for cell in notebook["cells"])


def test_the_transpose_runs_is_checked_and_improved(capsys):
    (path,) = NOTEBOOKS
    shown = [(names, value) for names, value in ran(json.loads(path.read_text()))]
    names = shown[-1][0]
    tables = [value._repr_html_() for _, value in shown if hasattr(value, "_repr_html_")]
    assert len(tables) == 3
    assert sum("as expected" in table for table in tables) == 2
    assert True in [value for _, value in shown if isinstance(value, bool)]
    # 128 x 128 floats are 2,048 sectors of 32 bytes; each row of a warp that writes down a column
    # touches 32 of them in the place of 4.
    before, after = map(names["sectors"], (names["before"], names["after"]))
    assert sorted(before.values()) == [2048 + 8 * 2048]
    assert sorted(after.values()) == [2048, 2048]
    printed = capsys.readouterr().out
    assert "18432 → 4096 sectors" in printed
    assert "in line 6" in printed
    assert shown[-1][1]["transpose", "shared_bytes"] == (0, 32 * 33 * 4)
