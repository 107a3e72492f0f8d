import pytest

from jitstudio.core.launch.arguments import parse_buffer
from jitstudio.core.launch.types import Array, Pointer
from jitstudio.gui.features.launch.models.argument_text import (
    BufferLabels,
    buffer_words,
    example,
    length_example,
)
from tests.gui.launch_kernels import BYTES, FLOAT, PARAMS

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
    assert buffer_words(text) == words
    assert words.text == text


@pytest.mark.parametrize("text", TEXTS)
def test_it_is_parted_where_the_launch_parts_it(text):
    words, read = buffer_words(text), parse_buffer(text)
    assert words.direction == (read.direction.value if read.direction else "")
    assert bool(words.fill) == (read.fill is not None)
    assert words.length == (f"{read.element}[{read.length}]" if read.element else read.length)


@pytest.mark.parametrize("text", ["", "n:", "n:fil", ":zeros", "n:random(1", "n:in:zeros"])
def test_half_typed_texts_have_words_too(text):
    words = buffer_words(text)
    assert buffer_words(words.text) == words


def test_a_null_pointer_has_neither_fill_nor_direction():
    assert BufferLabels("null", "zeros", "out").text == "null"
    assert buffer_words("null").is_null


def test_spaces_are_no_words():
    assert buffer_words(" n : random(1) : in ") == BufferLabels("n", "random(1)", "in")


def test_examples_fit_their_types():
    assert example(PARAMS) == "{x=0, y=0}"
    assert example(Array(FLOAT, 3)) == "{0, 0, 0}"
    assert example(BYTES.type) == "12 bytes in hexadecimal digits"
    assert length_example(Pointer(FLOAT)) == "n"
    assert length_example(Pointer(None)) == "float[n]"
