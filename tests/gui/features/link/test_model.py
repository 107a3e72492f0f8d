from dataclasses import replace

import pytest
from PySide6.QtCore import QMimeData, QModelIndex, Qt

from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind
from jitstudio.core.request import LinkMode
from jitstudio.core.result import BuildResult, Outcome
from jitstudio.gui.features.link.model import (
    GOES_IN_AS,
    MODULE,
    ModuleRow,
    ModulesModel,
    link_summary,
    link_warning,
    linked_as,
)
from tests.gui.results import APPLY, COMPILED, CRASHED, LINK_RESULT, LINKED_STAGE, MODULES, USER

NOWHERE = QModelIndex()
UNCHECKED = Qt.CheckState.Unchecked
MOVE = Qt.DropAction.MoveAction


@pytest.fixture
def model():
    model = ModulesModel()
    model.set_modules(MODULES)
    return model


def names(model):
    return [module.name for module in model.modules]


def test_is_a_sound_model_through_all_its_changes(model, qtmodeltester):
    qtmodeltester.check(model)
    model.set_mode(LinkMode.LTO)
    model.move(0, 2)
    model.setData(model.index(1, MODULE), UNCHECKED, Qt.ItemDataRole.CheckStateRole)
    model.set_modules(())


@pytest.mark.parametrize(
    ("kind", "mode", "expected"),
    [
        (CodeKind.CUDA, LinkMode.PTX, CodeKind.PTX),
        (CodeKind.CUDA, LinkMode.LTO, CodeKind.LTOIR),
        (CodeKind.LLVM_IR, LinkMode.LTO, CodeKind.LTOIR),
        (CodeKind.PTX, LinkMode.LTO, CodeKind.PTX),
        (CodeKind.LIBRARY, LinkMode.PTX, CodeKind.LIBRARY),
        (CodeKind.SASS, LinkMode.PTX, None),
    ],
)
def test_says_what_a_module_goes_into_the_link_as(kind, mode, expected):
    assert linked_as(kind, mode) is expected


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        (LinkMode.NONE, ["not linked"] * 3),
        (LinkMode.PTX, ["PTX", "PTX", "PTX, as it is"]),
        (LinkMode.LTO, ["LTO-IR", "LTO-IR", "PTX, as it is"]),
    ],
)
def test_shows_it_in_words(model, mode, words):
    model.set_mode(mode)
    assert [model.index(n, GOES_IN_AS).data() for n in range(3)] == words


def test_ticks_tell_the_key_even_if_it_is_large(model, qtbot):
    index = model.index(1, MODULE)
    assert index.data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked
    with qtbot.waitSignal(model.inclusion_changed) as changed:
        assert model.setData(index, UNCHECKED, Qt.ItemDataRole.CheckStateRole)
    assert changed.args == [USER.key, False]
    assert model.modules[1] == replace(USER, included=False)
    assert index.data(Qt.ItemDataRole.CheckStateRole) == UNCHECKED


def test_only_the_name_has_a_tick(model):
    assert model.index(0, GOES_IN_AS).data(Qt.ItemDataRole.CheckStateRole) is None
    assert not model.setData(model.index(0, GOES_IN_AS), UNCHECKED, Qt.ItemDataRole.CheckStateRole)
    assert not model.setData(model.index(0, MODULE), "renamed")


@pytest.mark.parametrize(
    ("row", "to", "expected"),
    [
        (0, 2, ["user_transform.cu", "scale.ptx", "apply_transform.cu"]),
        (2, 0, ["scale.ptx", "apply_transform.cu", "user_transform.cu"]),
        (1, 2, ["apply_transform.cu", "scale.ptx", "user_transform.cu"]),
    ],
)
def test_a_module_moves_to_its_new_place(model, qtbot, row, to, expected):
    with qtbot.waitSignal(model.order_changed) as changed:
        assert model.move(row, to)
    assert names(model) == expected
    assert changed.args == [tuple(module.key for module in model.modules)]


@pytest.mark.parametrize(("row", "to"), [(1, 1), (-1, 0), (0, 3)])
def test_a_move_to_nowhere_is_none(model, qtbot, row, to):
    with qtbot.assertNotEmitted(model.order_changed):
        assert not model.move(row, to)


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        (0, ["apply_transform.cu", "user_transform.cu", "scale.ptx"]),
        (2, ["user_transform.cu", "apply_transform.cu", "scale.ptx"]),
        (-1, ["user_transform.cu", "scale.ptx", "apply_transform.cu"]),
    ],
)
def test_a_dropped_row_lands_before_the_row_pointed_at(model, before, expected):
    dragged = model.mimeData([model.index(0, MODULE)])
    model.dropMimeData(dragged, MOVE, before, 0, NOWHERE)
    assert names(model) == expected


def test_a_table_moves_rows_by_itself(model):
    assert model.moveRow(NOWHERE, 2, NOWHERE, 0)
    assert names(model) == ["scale.ptx", "apply_transform.cu", "user_transform.cu"]
    assert not model.moveRows(NOWHERE, 0, 2, NOWHERE, 3)


def test_what_is_dropped_from_elsewhere_is_refused(model):
    text = QMimeData()
    text.setText("0")
    assert not model.dropMimeData(text, MOVE, 0, 0, NOWHERE)
    assert names(model) == [module.name for module in MODULES]


def test_the_same_modules_again_leave_the_rows_alone(model, qtbot):
    with qtbot.assertNotEmitted(model.modelReset):
        model.set_modules(MODULES)


SASS = ModuleRow(9, "old.sass", CodeKind.SASS, True)
LTOIR = ModuleRow(8, "old.ltoir", CodeKind.LTOIR, True)


@pytest.mark.parametrize(
    ("modules", "mode", "start"),
    [
        ((), LinkMode.LTO, ""),
        (MODULES, LinkMode.PTX, ""),
        ((SASS,), LinkMode.NONE, ""),
        ((replace(APPLY, included=False),), LinkMode.PTX, "No module is "),
        ((APPLY, SASS), LinkMode.LTO, "old.sass cannot be linked"),
        ((APPLY, LTOIR), LinkMode.PTX, "A module of LTO-IR can only"),
        ((APPLY, LTOIR), LinkMode.LTO, ""),
    ],
)
def test_warns_of_a_link_that_makes_no_sense(modules, mode, start):
    warning = link_warning(modules, mode)
    assert warning.startswith(start)
    assert bool(warning) == bool(start)


@pytest.mark.parametrize(
    ("result", "summary"),
    [
        (None, ""),
        (BuildResult(Outcome.BUILT, Arch(90), (COMPILED,)), ""),
        (LINK_RESULT, "Linked by nvJitLink in 1,012.4 ms, a cubin of 4,736 bytes, 1 kernel."),
        (
            BuildResult(Outcome.FAILED, Arch(90), (COMPILED, replace(LINKED_STAGE, ok=False))),
            "nvJitLink did not succeed. Problems and Log say why.",
        ),
        (
            BuildResult(
                Outcome.CRASHED,
                Arch(90),
                (replace(LINKED_STAGE, ok=False, crash=CRASHED.crash),),
            ),
            "nvJitLink crashed (SIGILL). Problems and Log say why.",
        ),
    ],
)
def test_sums_up_what_a_link_came_to(result, summary):
    assert link_summary(result) == summary
