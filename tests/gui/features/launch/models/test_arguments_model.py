import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QFont

from jitstudio.core.diagnostics import Severity
from jitstudio.core.launch.arguments import parse_buffer
from jitstudio.core.launch.problems import SpecProblem
from jitstudio.core.launch.request import FormParameter, KernelForm, ParameterSlot
from jitstudio.core.launch.types import Array, Handle, HandleKind, Pointer
from jitstudio.gui.features.launch.models.arguments_model import (
    DIRECTION,
    FILL,
    PARAMETER,
    TINT_ROLE,
    TYPE,
    VALUE,
    ArgumentsModel,
    BufferLabels,
    buffer_labels,
    example,
    length_example,
    texel_labels,
)
from jitstudio.gui.kit.presentation import MARK_ROLE, MUTED_ROLE
from tests.gui.launch_kernels import APPLY, BYTES, FLOAT, PARAMS, SAXPY, SAXPY_TEXTS, TICK

TEXTS = {
    "n": BufferLabels("n"),
    "n:random": BufferLabels("n", "random"),
    "n:out": BufferLabels("n", "", "out"),
    "n*2:range(0,2):inout": BufferLabels("n*2", "range(0,2)", "inout"),
    "n:file(C:\\data.npz::x):in": BufferLabels("n", "file(C:\\data.npz::x)", "in"),
    "float4[n]:zeros": BufferLabels("float4[n]", "zeros"),
}


@pytest.mark.parametrize(("text", "words"), TEXTS.items())
def test_a_text_is_taken_apart_and_put_together(text, words):
    assert buffer_labels(text) == words
    assert words.text == text


@pytest.mark.parametrize("text", TEXTS)
def test_it_is_parted_where_the_launch_parts_it(text):
    words, read = buffer_labels(text), parse_buffer(text)
    assert words.direction == (read.direction.value if read.direction else "")
    assert bool(words.fill) == (read.fill is not None)
    assert words.length == (f"{read.element}[{read.length}]" if read.element else read.length)


@pytest.mark.parametrize("text", ["", "n:", "n:fil", ":zeros", "n:random(1", "n:in:zeros"])
def test_half_typed_texts_have_words_too(text):
    words = buffer_labels(text)
    assert buffer_labels(words.text) == words


def test_the_text_of_a_texture_has_its_sampling_last():
    for text, words in {
        "float[w,h]": BufferLabels("float[w,h]"),
        "float[w,h]:linear,clamp": BufferLabels("float[w,h]", "", "linear,clamp"),
        "int2[4]:file(a:b):out": BufferLabels("int2[4]", "file(a:b)", "out"),
    }.items():
        assert texel_labels(text) == words
        assert words.text == text


def test_a_null_pointer_has_neither_fill_nor_direction():
    assert BufferLabels("null", "zeros", "out").text == "null"
    assert buffer_labels("null").is_alone


def test_spaces_are_no_words():
    assert buffer_labels(" n : random(1) : in ") == BufferLabels("n", "random(1)", "in")


def test_examples_fit_their_types():
    assert example(PARAMS) == "{x=0, y=0}"
    assert example(Array(FLOAT, 3)) == "{0, 0, 0}"
    assert example(BYTES.type) == "12 bytes in hexadecimal digits"
    assert length_example(Pointer(FLOAT)) == "n"
    assert length_example(Pointer(None)) == "float[n]"


EDITABLE = Qt.ItemFlag.ItemIsEditable
WRONG = SpecProblem("arguments.n", "'m' is no argument.", "Did you mean n?")
ODD = SpecProblem("arguments.x", "It is never read.", severity=Severity.WARNING)


@pytest.fixture
def model():
    model = ArgumentsModel()
    model.show(SAXPY, SAXPY_TEXTS)
    return model


def row(model, number, role=Qt.ItemDataRole.DisplayRole):
    return [model.index(number, column).data(role) for column in range(model.columnCount())]


def put(model, number, column, text):
    return model.setData(model.index(number, column), text)


def test_is_a_sound_model_through_all_its_changes(model, qtmodeltester):
    qtmodeltester.check(model)
    put(model, 1, FILL, "zeros")
    put(model, 0, VALUE, "3")
    model.show_problems((WRONG, ODD))
    model.show(APPLY, {})
    model.show(TICK, {})
    model.show(None, {})
    assert model.rowCount() == 0


def test_each_parameter_is_a_row_and_a_buffer_has_three_cells(model):
    assert [row(model, number) for number in range(4)] == [
        ["a", "T", "2.0f", "", ""],
        ["x", "const T*", "n", "random(1)", "in"],
        ["y", "T*", "n", "zeros", "out"],
        ["n", "int", "1024", "", ""],
    ]


def test_textures_and_surfaces_have_three_cells_too():
    model = ArgumentsModel()
    slot = ParameterSlot(0, 8, 8)
    kinds = [(kind.value, Handle(kind)) for kind in HandleKind]
    parameters = tuple(FormParameter(name, kind, slot) for name, kind in kinds)
    model.show(KernelForm("k", "k", parameters), {"texture": "float4[w,h]", "surface": ""})
    names = ["cudaTextureObject_t", "cudaSurfaceObject_t"]
    assert row(model, 0) == ["texture", names[0], "float4[w,h]", "random", "point,clamp"]
    assert row(model, 1) == ["surface", names[1], "float[w,h]", "zeros", "inout"]
    assert [model.is_texture(number) for number in range(2)] == [True, False]
    assert put(model, 0, DIRECTION, "linear,border")
    assert put(model, 0, FILL, "zeros")
    assert put(model, 1, VALUE, "null")
    assert dict(model.arguments)["texture"] == "float4[w,h]:zeros:linear,border"
    assert row(model, 1)[VALUE:] == ["null", "", ""]
    assert "normalizedCoords" in model.index(0, DIRECTION).data(Qt.ItemDataRole.ToolTipRole)
    assert "uchar4[640,480]" in model.index(0, VALUE).data(Qt.ItemDataRole.ToolTipRole)


def test_what_the_text_leaves_to_the_default_is_muted(model):
    model.show(SAXPY, {"x": "n", "y": "n", "a": "1"})
    assert row(model, 1) == ["x", "const T*", "n", "random", "in"]
    assert row(model, 2) == ["y", "T*", "n", "zeros", "inout"]
    assert row(model, 1, MUTED_ROLE) == [False, True, False, True, True]


def test_a_struct_without_text_shows_its_fields_but_does_not_take_them(model):
    model.show(APPLY, {})
    index = model.index(1, VALUE)
    assert index.data() == "{x=0, y=0}"
    assert index.data(MUTED_ROLE)
    assert index.data(Qt.ItemDataRole.EditRole) == ""
    assert dict(model.arguments)["params"] == ""


def test_an_edit_changes_one_part_of_the_text_and_is_told(model, qtbot):
    with qtbot.waitSignal(model.arguments_changed):
        assert put(model, 1, FILL, " constant(2) ")
    put(model, 1, VALUE, "n*2")
    put(model, 2, DIRECTION, "inout")
    put(model, 0, VALUE, "0.5f")
    assert model.arguments == (
        ("a", "0.5f"),
        ("x", "n*2:constant(2)"),
        ("y", "n:zeros:inout"),
        ("n", "1024"),
    )


def test_the_same_text_is_no_edit(model, qtbot):
    with qtbot.assertNotEmitted(model.arguments_changed):
        assert put(model, 0, VALUE, "2.0f ")


def test_only_cells_that_a_parameter_has_can_be_edited(model):
    editable = [
        [bool(model.index(number, column).flags() & EDITABLE) for column in range(5)]
        for number in (0, 1)
    ]
    assert editable == [[False, False, True, False, False], [False, False, True, True, True]]
    assert not put(model, 0, FILL, "zeros")
    assert not put(model, 0, PARAMETER, "b")


def test_a_null_pointer_loses_fill_and_direction_and_gets_them_again(model):
    put(model, 2, VALUE, "null")
    assert dict(model.arguments)["y"] == "null"
    assert row(model, 2) == ["y", "T*", "null", "", ""]
    assert not model.index(2, FILL).flags() & EDITABLE
    put(model, 2, VALUE, "n")
    assert row(model, 2)[FILL] == "zeros"


def test_problems_mark_their_row_and_say_the_remedy(model):
    model.show_problems((WRONG, ODD, SpecProblem("block", "Too many threads.")))
    assert [model.index(number, 0).data(MARK_ROLE) for number in range(4)] == [
        None,
        "warning",
        None,
        "error",
    ]
    assert row(model, 3, TINT_ROLE) == ["error"] * 5
    tip = model.index(3, VALUE).data(Qt.ItemDataRole.ToolTipRole)
    assert "&#x27;m&#x27; is no argument. Did you mean n?" in tip
    spoken = model.index(3, VALUE).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "1024; error: 'm' is no argument. Did you mean n?"
    model.show_problems(())
    assert row(model, 3, TINT_ROLE) == [None] * 5


def test_problems_leave_values_alone(model, qtbot):
    with qtbot.waitSignal(model.dataChanged) as changed:
        model.show_problems((WRONG,))
    assert Qt.ItemDataRole.EditRole not in changed.args[2]
    assert Qt.ItemDataRole.DisplayRole not in changed.args[2]
    assert changed.args[2]


def test_showing_the_same_kernel_again_keeps_the_rows(model, qtbot):
    with (
        qtbot.assertNotEmitted(model.modelReset),
        qtbot.assertNotEmitted(model.arguments_changed),
        qtbot.waitSignal(model.dataChanged) as changed,
    ):
        model.show(SAXPY, SAXPY_TEXTS | {"n": "7"})
    assert changed.args[0].row() == 3
    assert dict(model.arguments)["n"] == "7"


def test_a_parameter_tells_where_it_lies(model):
    tip = model.index(1, TYPE).data(Qt.ItemDataRole.ToolTipRole)
    assert "x: const T*, 8 bytes at offset 8, aligned to 8" in tip


def test_a_type_without_spelling_goes_by_its_name(model):
    model.show(KernelForm("k", "k", (BYTES,)), {})
    assert row(model, 0)[:2] == ["arg0", "unknown"]
    assert row(model, 0)[2].startswith("12 bytes ")


def test_headers_say_what_is_written_below_them(model):
    titles = [model.headerData(n, Qt.Orientation.Horizontal) for n in range(5)]
    assert titles == ["Parameter", "Type", "Value or length", "Fill", "Access"]
    tip = model.headerData(FILL, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    assert tip == "What the buffer holds before the launch."


def test_everything_is_in_the_code_font(model):
    font = QFont("Code")
    model.set_code_font(font)
    assert row(model, 1, Qt.ItemDataRole.FontRole) == [font] * 5


def test_an_invalid_index_has_no_data(model):
    assert model.data(QModelIndex()) is None
    assert not model.setData(QModelIndex(), "1")
    assert not model.is_buffer(-1)
