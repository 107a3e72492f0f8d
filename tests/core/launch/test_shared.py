"""Pointers into the memory of another buffer."""

from dataclasses import replace

import pytest

from jitstudio.core.diagnostics import Severity
from jitstudio.core.launch.argument_values import arguments_of
from jitstudio.core.launch.c_types import FLOAT, INT, struct_of
from jitstudio.core.launch.faults import SpecFaults
from jitstudio.core.launch.request import Buffer, Direction, SharedPointer
from jitstudio.core.launch.shared import SharedText, parse_shared, with_owners
from jitstudio.core.launch.types import Handle, HandleKind, Pointer
from tests.core.launch.forms import form, pointer

VIEW = struct_of("View", (("p", Pointer(FLOAT)), ("n", INT)))
THREE = form(("a", pointer(const=True)), ("b", pointer()), ("c", pointer("int")), ("n", "int"))
USUAL = {"a": "8:range", "b": "8", "c": "8", "n": "4"}


def problems_of(of, **texts):
    faults = SpecFaults()
    arguments_of(of, tuple((USUAL | texts).items()), "", faults)
    return faults.problems


def read(of=THREE, usual=USUAL, **texts):
    faults = SpecFaults()
    found = arguments_of(of, tuple((usual | texts).items()), "", faults).values
    return {a.name: a for a in found}, [p.message for p in faults.problems]


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("same(a)", SharedText("a")),
        (" same ( view.p + n*2 ) ", SharedText("view.p", "n*2")),
        ("same(rows[0]+(n+1))", SharedText("rows[0]", "(n+1)")),
        ("same(ns::x)", SharedText("ns::x")),
        ("samesize", None),
        ("n:random", None),
    ],
)
def test_a_text_names_a_buffer_and_a_place_in_it(text, parsed):
    assert parse_shared(text) == parsed


def test_a_place_counts_elements_of_the_buffer():
    found, problems = read(b="same(a+n)", c="same(b+2)")
    assert problems == []
    assert found["b"] == SharedPointer("b", FLOAT, 8, "a", 16)
    assert found["c"] == SharedPointer("c", INT, 16, "a", 24)


def test_what_is_written_by_another_pointer_is_no_input_only():
    assert read()[0]["a"].direction is Direction.IN
    found, problems = read(b="same(a)")
    assert (found["a"].direction, problems) == (Direction.INOUT, [])
    assert read(a="8:range:in", b="same(a)")[0]["a"].direction is Direction.IN
    # Nothing is said of const, as another pointer writes there.
    assert read(a="8:range:inout", b="same(a)")[1] == []


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ({"b": "same(x)"}, "There is no buffer 'x'."),
        ({"b": "same(n)"}, "There is no buffer 'n'."),
        ({"b": "same(b)"}, "b shares its own."),
        ({"b": "same(c)", "c": "same(b)"}, "b and c share the memory of each other."),
        ({"b": "same(a+9)"}, "b is to begin at element 9 of a, which has 8."),
        ({"b": "same(a-1)"}, "'same(a-1)' points in front of a."),
        ({"b": "same(a+n-9)"}, "b is to begin at element -5 of a, which has 8."),
        ({"a": "null", "b": "same(a)"}, "a is null, so that nothing shares its memory."),
        ({"b": "same()"}, "'same()' names no buffer."),
        (
            {"b": "same(a):out"},
            "'out' belongs to the buffer whose memory it is, as fill and direction do.",
        ),
    ],
)
def test_what_shares_nothing_is_told(texts, message):
    assert message in read(**texts)[1]


def test_the_end_of_a_buffer_is_a_place():
    assert read(b="same(a+8)")[0]["b"].shift == 32


def test_textures_share_nothing():
    of = form(("t", Handle(HandleKind.TEXTURE)), ("b", pointer()))
    assert read(of, {"t": "float[4]", "b": "same(t)"})[1] == [
        "t is a texture or surface, which has no address."
    ]
    assert read(of, {"t": "same(b)", "b": "4"})[1] == [
        "t is a texture or surface, which shares no memory."
    ]


def test_pointers_in_structs_share_too():
    of = form(("v", VIEW), ("w", VIEW))
    texts = {"v": "{p=8:zeros, n=2}", "w": "{p=same(v.p+v.n), n=1}"}
    found, problems = read(of, texts)
    assert problems == []
    assert found["w.p"] == SharedPointer("w.p", FLOAT, 16, "v.p", 8, "w")


def test_memory_that_is_declared_to_be_apart_is_told():
    apart = replace(THREE.parameters[1], spelling="float *__restrict__")
    of = replace(THREE, parameters=(THREE.parameters[0], apart, *THREE.parameters[2:]))
    (problem,) = read(of, b="same(a)")[1]
    assert problem == (
        "b and a share memory, and b is declared __restrict__: the compiler may take it that "
        "they do not."
    )


def test_halves_of_a_buffer_may_be_declared_to_be_apart():
    """Nobody knows how far the kernel goes from each: that is a condition, and no warning."""
    rows = [replace(p, spelling=f"{p.type.name} __restrict__") for p in THREE.parameters[:3]]
    of = replace(THREE, parameters=(*rows, *THREE.parameters[3:]))
    (problem,) = problems_of(of, b="same(a+4)")
    assert problem.severity is Severity.INFO
    assert problem.message.startswith("b and a begin at different elements of one buffer")
    assert (
        "only if the kernel writes elements by one of them that it accesses by" in problem.message
    )
    # Each pair of pointers into it is looked at, also two of which none is its owner.
    problems = problems_of(of, b="same(a+4)", c="same(a+4)")
    assert [(p.where, p.severity) for p in problems] == [
        ("arguments.b", Severity.INFO),
        ("arguments.c", Severity.INFO),
        ("arguments.c", Severity.WARNING),
    ]
    assert problems[2].message.startswith("c and b share memory")


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ({"a": "8:rnge", "b": "same(a)"}, "fill"),
        ({"a": "8:rnge", "b": "same(a)", "c": "same(b+1)"}, "fill"),
        ({"a": "same(b)", "b": "same(a)"}, "a and b share"),
        ({"a": "same(b)", "b": "same(a)", "c": "same(a)"}, "a and b share"),
    ],
)
def test_a_buffer_with_a_wrong_text_is_told_once(texts, message):
    (problem,) = read(**texts)[1]
    assert message in problem


def test_a_missing_buffer_is_told_once():
    faults = SpecFaults()
    arguments_of(THREE, (("b", "same(a)"), ("c", "8"), ("n", "4")), "", faults)
    assert [p.message for p in faults.problems] == ["The argument 'a' is missing."]


def test_expressions_are_about_the_buffer():
    arguments = (
        Buffer("a", FLOAT, 0, 8),
        SharedPointer("b", FLOAT, 8, "a", 16),
        SharedPointer("b.x", FLOAT, 8, "a", 0),
    )
    assert with_owners("b + b[1:] * b.x - ab + 'b' + x.b", arguments) == (
        "a[4:] + a[4:][1:] * a - ab + 'b' + x.b"
    )
    assert read(b="same(a+4)", c="8:expr(b + 1)")[0]["c"].fill.text == "a[4:] + 1"
    assert read(c="same(a+4)", b="8:expr(c + 1)")[1] == [
        "c is the memory of a, whose elements are float and not int."
    ]


def test_the_place_is_counted_from_the_address_that_the_kernel_gets():
    found, problems = read(a="8@2:range", b="same(a+1)")
    assert problems == []
    assert found["b"].shift == 12
