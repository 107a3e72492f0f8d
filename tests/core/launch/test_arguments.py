import struct
from dataclasses import replace

import pytest

from jitstudio.core.diagnostics import Severity
from jitstudio.core.launch.argument_values import arguments_of
from jitstudio.core.launch.c_types import named, struct_of
from jitstudio.core.launch.faults import SpecFaults
from jitstudio.core.launch.request import (
    Buffer,
    Direction,
    Fill,
    FillKind,
    FormParameter,
    KernelForm,
    ModuleVariable,
    ParameterSlot,
    ValueArgument,
)
from jitstudio.core.launch.types import Array, Pointer
from jitstudio.core.launch.values import integer
from tests.core.launch.forms import SAXPY, form, pointer
from tests.support import refusal

FLOAT, INT = named("float"), named("int")


def read(of, folder="", **texts):
    faults = SpecFaults()
    return arguments_of(of, tuple(texts.items()), folder, faults), faults.problems


def told(problems):
    return [(problem.where, problem.message) for problem in problems]


def test_the_arguments_of_saxpy():
    found, problems = read(SAXPY, n="1<<10", a="2.5f", x="n:random(7):in", y="n")
    assert problems == []
    assert found.values == (
        ValueArgument("a", FLOAT, 0, struct.pack("<f", 2.5), 2.5),
        Buffer("x", FLOAT, 8, 1024, Fill(FillKind.RANDOM, (7,)), Direction.IN),
        Buffer("y", FLOAT, 16, 1024, Fill(), Direction.INOUT),
        ValueArgument("n", named("int"), 24, struct.pack("<i", 1024), 1024),
    )
    assert found.names == {"a": 2.5, "n": 1024}


@pytest.mark.parametrize(
    ("const", "text", "fill", "direction"),
    [
        (True, "8", FillKind.RANDOM, Direction.IN),
        (False, "8", FillKind.ZEROS, Direction.INOUT),
        (False, "8:in", FillKind.RANDOM, Direction.IN),
        (False, "8:out", FillKind.ZEROS, Direction.OUT),
        (True, "8:range", FillKind.RANGE, Direction.IN),
    ],
)
def test_what_a_text_leaves_open_follows_from_the_pointer(const, text, fill, direction):
    found, problems = read(form(("p", pointer(const=const))), p=text)
    (buffer,) = found.values
    assert (buffer.fill.kind, buffer.direction, problems) == (fill, direction, [])


def test_a_null_pointer_is_a_buffer_without_elements():
    found, problems = read(form(("p", pointer())), p="null")
    assert found.values == (Buffer("p", FLOAT, 0, 0),)
    assert problems == []


@pytest.mark.parametrize(
    ("text", "element", "length"),
    [
        ("16", "unsigned char", 16),
        ("float[4]", "float", 4),
        ("float4[2*2]:zeros", "float4", 4),
        ("unsigned int[3]", "unsigned int", 3),
    ],
)
def test_the_elements_of_an_unknown_pointer_stand_in_the_text(text, element, length):
    found, problems = read(form(("p", pointer("void"))), p=text)
    assert [(b.element.name, b.length) for b in found.values] == [(element, length)]
    assert problems == []


def test_values_may_need_each_other_in_any_order():
    kernel = form(("half", "int"), ("n", "int"), ("twice", "int"))
    found, problems = read(kernel, half="n/2", n="100", twice="half*4")
    assert [value.number for value in found.values] == [50, 100, 200]
    assert problems == []


def test_values_that_need_each_other_in_a_circle_are_told():
    _, problems = read(form(("a", "int"), ("b", "int")), a="b", b="a")
    assert [(problem.where, problem.message[-4:]) for problem in problems] == [
        ("arguments.a", "'b'."),
        ("arguments.b", "'a'."),
    ]


def test_a_parameter_may_be_called_like_a_word_of_python():
    found, problems = read(
        form(("in", pointer()), ("lambda", "int")), **{"in": "lambda", "lambda": "5"}
    )
    assert [getattr(a, "length", 0) for a in found.values] == [5, 0]
    assert problems == []


def test_relative_paths_start_at_the_folder(tmp_path):
    found, _ = read(form(("p", pointer())), str(tmp_path), p="8:file(x.npy)")
    assert found.values[0].fill.text == str(tmp_path / "x.npy")


def test_a_missing_argument_is_told_with_a_text_for_it():
    _, problems = read(SAXPY, a="1", y="n", n="8")
    assert told(problems) == [("arguments.x", "The argument 'x' is missing.")]
    assert problems[0].remedy == "Give it a text such as x=n:random."


def test_an_unknown_argument_is_told_with_those_there_are():
    _, problems = read(SAXPY, a="1", x="n", y="n", n="8", alpha="2")
    assert told(problems) == [("arguments.alpha", "saxpy<float> has no parameter 'alpha'.")]
    assert problems[0].remedy == "Known here: a, x, y and n."


def test_an_argument_is_given_once():
    faults = SpecFaults()
    arguments_of(form(("n", "int")), (("n", "1"), ("n", "2")), "", faults)
    assert told(faults.problems) == [("arguments.n", "'n' is given twice.")]


def test_what_only_lacks_a_faulty_argument_is_not_told_twice():
    _, problems = read(SAXPY, a="1", x="n", y="n*2", n="lots of")
    assert [problem.where for problem in problems] == ["arguments.n"]
    _, problems = read(SAXPY, a="1", x="n", y="n")
    assert [problem.where for problem in problems] == ["arguments.n"]
    _, problems = read(SAXPY, a="1", x="n", y="n", n="m")
    assert [(problem.where, problem.message[-4:]) for problem in problems] == [
        ("arguments.n", "'m'.")
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0", "A buffer of 0 elements makes no sense."),
        ("-4", "A buffer of -4 elements makes no sense."),
        ("2.5", refusal(integer, "2.5", {})),
        ("Particle[8]", "'Particle' is not a type that is known here."),
        ("8:often", "'often' fills no buffer."),
    ],
)
def test_a_buffer_that_makes_no_sense_is_told(text, message):
    _, problems = read(form(("p", pointer())), p=text)
    assert told(problems) == [("arguments.p", message)]


def test_all_faults_are_told_at_once():
    _, problems = read(SAXPY, a="x", x="n:often", y="-1", n="1e99", z="1")
    assert [problem.where for problem in problems] == [
        "arguments.z",
        "arguments.n",
        "arguments.a",
        "arguments.x",
        "arguments.y",
    ]


def test_a_const_buffer_that_is_marked_as_written_is_a_warning():
    _, (problem,) = read(form(("p", pointer(const=True))), p="8:zeros:out")
    assert problem.message == "p is const, so the kernel will not write to it."
    assert problem.severity is Severity.WARNING


def test_structs_lie_where_the_code_expects_them():
    pair = struct_of("Pair", (("c", named("char")), ("d", named("double"))))
    found, problems = read(form(("n", "int"), ("p", pair)), n="3", p="{c=n, d=1.5}")
    assert problems == []
    assert (found.values[1].offset, found.values[1].data) == (8, struct.pack("<b7xd", 3, 1.5))
    assert found.names == {"n": 3, "p.c": 3, "p.d": 1.5}


def test_a_value_of_another_size_than_the_code_expects_is_refused():
    kernel = KernelForm("k", "k", (FormParameter("n", named("int"), ParameterSlot(0, 8, 8)),))
    _, problems = read(kernel, n="3")
    assert told(problems) == [
        ("arguments.n", "int has 4 bytes, but the code expects 8 here."),
    ]


ROW = struct_of("Row", [("n", INT), ("p", Pointer(FLOAT))])
CONFIG = FormParameter(
    "cfg",
    struct_of("Config", [("n", INT), ("m", INT)]),
    ParameterSlot(0, 8, 4),
    variable=ModuleVariable("cfg", "__constant__", bytes(8), False, "", True, False),
)
PARTS = KernelForm(
    "k",
    "k",
    (
        FormParameter("rows", Pointer(ROW), ParameterSlot(0, 8, 8)),
        FormParameter("c", Pointer(INT), ParameterSlot(8, 8, 8)),
        FormParameter("d", Pointer(struct_of("D", [("n", INT)])), ParameterSlot(16, 8, 8)),
    ),
    variables=(CONFIG,),
)
PARTS_TEXTS = {"rows": "2", "rows[].p": "4:zeros", "c": "1:zeros", "d": "1", "cfg": "zeros"}


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("c[0]", "c is filled as a whole, so that c[0] has no effect."),
        ("c[99]", "c is filled as a whole, so that c[99] has no effect."),
        ("d[].n", "d is filled as a whole, so that d[].n has no effect."),
        ("rows[7].n", "rows ends at rows[1], so that there is no rows[7].n."),
        ("rows[7].p", "rows ends at rows[1], so that there is no rows[7].p."),
        ("cfg.n", "cfg is filled as a whole, so that cfg.n has no effect."),
    ],
)
def test_a_part_without_effect_is_told(name, why):
    problems = read(PARTS, **PARTS_TEXTS, **{name: "5"})[1]
    assert told(problems) == [(f"arguments.{name}", why)]


@pytest.mark.parametrize("name", ["rows[].n", "rows[1].n", "rows[1].p"])
def test_a_part_with_effect_is_none(name):
    assert read(PARTS, **PARTS_TEXTS, **{name: "5"})[1] == []


def test_parts_of_a_null_pointer_are_told():
    problems = read(PARTS, **PARTS_TEXTS | {"rows": "null", "rows[1].n": "5"})[1]
    assert [p.message for p in problems] == ["rows is null, so that there is no rows[1].n."]


def test_what_is_unfilled_is_warned_of_and_takes_parts():
    zeros = "which has no initialiser and which this launch does not fill: it holds zeros."
    for text in ("", "unfilled", "in"):
        (problem,) = read(PARTS, **PARTS_TEXTS | {"cfg": text})[1]
        assert problem.message.startswith("The kernel reads the __constant__ variable 'cfg'")
        assert zeros in problem.message
    found, problems = read(PARTS, **PARTS_TEXTS | {"cfg": "unfilled", "cfg.m": "3"})
    assert problems == []
    assert found.values[-1].fill == Fill(FillKind.VALUES, data=struct.pack("<ii", 0, 3))


def test_a_number_for_an_array_is_answered_with_both_ways_to_write_it():
    weights = replace(CONFIG, name="w", type=Array(FLOAT, 8))
    (problem,) = read(replace(PARTS, parameters=(), variables=(weights,)), w="2")[1]
    assert problem.remedy == "Write w=constant(2) for all 8 elements, or w={2, …}."
