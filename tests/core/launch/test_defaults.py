from dataclasses import replace

import pytest

from jitstudio.core.launch.arguments import default_arguments, default_text
from jitstudio.core.launch.c_types import named, struct_of
from jitstudio.core.launch.request import Direction
from jitstudio.core.launch.types import Opaque, Pointer
from tests.core.launch.forms import SAXPY, form, pointer


def texts(*parameters):
    return [text for _, text in default_arguments(form(*parameters))]


def test_a_fresh_form_of_saxpy_runs_over_a_million_elements():
    assert default_arguments(SAXPY) == (
        ("a", "1.0"),
        ("x", "n:random"),
        ("y", "n:random:inout"),
        ("n", "1048576"),
    )
    assert default_text(SAXPY, "x") == "n:random"


@pytest.mark.parametrize("name", ["n", "N", "size", "count", "len", "length", "numElements"])
def test_the_number_of_elements_is_known_by_its_name(name):
    assert texts(("p", pointer()), (name, "unsigned int")) == [f"{name}:random:inout", "1048576"]


def test_a_matrix_has_its_extents():
    matrix = (("a", pointer(const=True)), ("m", "int"), ("n", "int"), ("k", "int"))
    assert texts(*matrix) == ["m*n:random", "1024", "1024", "1024"]


def test_only_the_first_of_several_sizes_is_that_of_the_buffers():
    assert texts(("p", pointer()), ("n", "int"), ("num_bins", "int")) == [
        "n:random:inout",
        "1048576",
        "1",
    ]


def test_without_a_size_buffers_are_short():
    assert texts(("p", pointer()), ("seed", "int")) == ["1024:random:inout", "1"]


def test_a_size_fits_its_type():
    assert texts(("n", "unsigned char"), ("p", pointer())) == ["255", "n:random:inout"]


def test_the_only_integer_of_a_kernel_without_names_is_its_size():
    assert texts(("arg0", pointer("void")), ("arg1", "unsigned int")) == [
        "float[arg1]:random:inout",
        "1048576",
    ]


@pytest.mark.parametrize(
    ("access", "floats", "integers"),
    [
        (Direction.IN, "random:in", "random:in"),
        (Direction.OUT, "zeros:out", "zeros:out"),
        (Direction.INOUT, "random:inout", "zeros:inout"),
        (None, "random:inout", "zeros:inout"),
    ],
)
def test_a_buffer_begins_as_the_kernel_uses_it(access, floats, integers):
    kernel = form(("f", pointer()), ("v", pointer("float4")), ("u", pointer("unsigned int")))
    used = replace(kernel, parameters=tuple(replace(p, access=access) for p in kernel.parameters))
    assert default_arguments(used) == (
        ("f", f"1024:{floats}"),
        ("v", f"1024:{floats}"),
        ("u", f"1024:{integers}"),
    )


def test_nothing_is_written_behind_a_const_pointer():
    kernel = form(("p", pointer(const=True)))
    (parameter,) = kernel.parameters
    stated = replace(kernel, parameters=(replace(parameter, access=Direction.OUT),))
    assert default_text(stated, "p") == "1024:random"


def test_a_struct_with_an_integer_in_it_begins_with_zeros():
    mixed = struct_of("Mixed", (("x", named("float")), ("count", named("int"))))
    pair = struct_of("Pair", (("x", named("float")), ("y", named("double"))))
    assert texts(("m", Pointer(mixed)), ("p", Pointer(pair))) == [
        "1024:zeros:inout",
        "1024:random:inout",
    ]


def test_a_buffer_of_pointers_leads_to_a_buffer_each():
    assert texts(("rows", Pointer(pointer(), const=True))) == ["4", "1024:random:inout"]


def test_other_values_are_written_so_that_they_can_be_read():
    pair = struct_of("Pair", (("x", named("int")), ("flag", named("bool"))))
    values = (("p", pair), ("b", "bool"), ("h", "__half"), ("o", Opaque("T", 8, 8)))
    assert texts(*values) == ["{x=0, flag=false}", "false", "1.0", ""]
