"""Rows of the launch form for module variables and for pointers in structs."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt

from jitstudio.core.launch.c_types import FLOAT, INT, struct_of
from jitstudio.core.launch.request import (
    FormParameter,
    KernelForm,
    ModuleVariable,
    ParameterSlot,
)
from jitstudio.core.launch.types import Array, Pointer
from jitstudio.gui.features.launch.models.arguments_model import (
    DIRECTION,
    FILL,
    PARAMETER,
    VALUE,
    ArgumentsModel,
)
from jitstudio.gui.kit.presentation import MUTED_ROLE

VIEW = struct_of("View", (("data", Pointer(FLOAT)), ("n", INT)))


def row(name, kind, **more):
    return FormParameter(name, kind, ParameterSlot(0, kind.size, kind.align), **more)


MASK = row("mask", Array(FLOAT, 3), variable=ModuleVariable("_ZN1a4maskE", "__constant__"))
HITS = row("hits", INT, variable=ModuleVariable("hits", "__device__", writes=True))
START = row(
    "start", INT, variable=ModuleVariable("start", "__device__", b"\5\0\0\0", is_initialised=True)
)
TABLE = row("table", Pointer(FLOAT), variable=ModuleVariable("table", "__device__"))
HALVES = 3 * bytes.fromhex("0000003f")
FORM = KernelForm(
    "k",
    "k",
    (row("view", VIEW), row("rows", Pointer(Pointer(FLOAT)))),
    variables=(MASK, HITS, START, TABLE),
)
NAMES = ["view", "view.data", "rows", "rows[]", "mask", "hits", "start", "table"]


@pytest.fixture
def model(qapp):
    made = ArgumentsModel()
    made.show(FORM, {"view": "{n=4}", "mask": "{1, 2}", "hits": "random:out"})
    return made


def shown(model, column):
    return [model.index(at, column).data() for at in range(model.rowCount())]


def test_each_has_a_row_below_what_it_is_inside_of(model):
    assert shown(model, PARAMETER) == NAMES
    assert shown(model, VALUE) == ["{n=4}", "n", "n", "n", "{1, 2}", "", "5", "not filled"]
    assert shown(model, FILL)[4:] == ["", "random", "", ""]
    assert shown(model, DIRECTION)[4:] == ["", "out", "", ""]
    assert [model.index(at, VALUE).data(MUTED_ROLE) for at in (4, 6)] == [False, True]


@pytest.mark.parametrize(
    ("column", "text", "whole"),
    [
        (VALUE, "7", "7:random:out"),
        (FILL, "", "out"),
        (FILL, "zeros", "zeros:out"),
        (DIRECTION, "", "random"),
    ],
)
def test_the_cells_of_a_variable_are_one_text(model, column, text, whole):
    assert model.setData(model.index(NAMES.index("hits"), column), text)
    assert dict(model.arguments)["hits"] == whole


def test_a_part_that_has_a_text_of_its_own_has_a_row(model):
    model.show(FORM, {"rows": "2", "rows[]": "4:zeros", "rows[1]": "8:random", "view.n": "5"})
    assert shown(model, PARAMETER) == [*NAMES, "rows[1]", "view.n"]
    assert dict(model.arguments)["rows[1]"] == "8:random"
    assert model.is_buffer(len(NAMES))
    assert not model.is_buffer(len(NAMES) + 1)


def test_the_tip_says_where_a_variable_is(model):
    tip = model.index(NAMES.index("mask"), PARAMETER).data(3)
    assert "__constant__, 12 bytes, _ZN1a4maskE in the code" in tip


def test_another_kernel_has_other_rows(model):
    model.show(replace(FORM, variables=()), {})
    assert shown(model, PARAMETER) == NAMES[:4]


VIEWS = [
    row("empty", VIEW, variable=ModuleVariable("empty", "__device__")),
    row("set", VIEW, variable=ModuleVariable("set", "__device__", b"", is_initialised=True)),
    row("mask", Array(FLOAT, 3), variable=ModuleVariable("m", "__constant__", HALVES, True)),
    row("count", INT, variable=ModuleVariable("count", "__device__", b"", True, writes=True)),
]


def test_what_nobody_fills_says_what_it_holds(qapp):
    model = ArgumentsModel()
    form = replace(FORM, parameters=(), variables=tuple(VIEWS))
    model.show(form, {})
    names = ["empty", "empty.data", "set", "set.data", "mask", "count"]
    assert shown(model, PARAMETER) == names
    unfilled = ["not filled", "not filled", "kept", "kept", "{0.5, 0.5, 0.5}", "kept"]
    assert shown(model, VALUE) == unfilled
    assert shown(model, FILL) == shown(model, DIRECTION) == [""] * 6
    assert all(model.index(at, VALUE).data(MUTED_ROLE) for at in range(6))
    model.show(form, {"empty": "{n=3}", "set.data": "n:range", "mask": "out", "count": "zeros"})
    assert shown(model, VALUE) == ["{n=3}", "", "kept", "n", "{0.5, 0.5, 0.5}", ""]
    assert shown(model, FILL) == ["", "", "", "range", "", "zeros"]
    assert shown(model, DIRECTION) == ["", "", "", "inout", "out", "inout"]


def test_a_pointer_into_another_buffer_has_neither_fill_nor_access(model):
    place = NAMES.index("view.data")
    model.show(FORM, {"view": "{n=4}", "view.data": "4:range:in", "rows": "2", "rows[]": "4"})
    assert model.setData(model.index(place, VALUE), "same(rows[0] + 2)")
    assert dict(model.arguments)["view.data"] == "same(rows[0] + 2)"
    cells = [model.index(place, column) for column in (VALUE, FILL, DIRECTION)]
    assert [cell.data() for cell in cells] == ["same(rows[0] + 2)", "", ""]
    editable = [bool(model.flags(cell) & Qt.ItemFlag.ItemIsEditable) for cell in cells]
    assert editable == [True, False, False]
