import os

import pytest

from jitstudio.core.launch.arguments import BufferText, absolute, parse_buffer
from jitstudio.core.launch.problems import TextError
from jitstudio.core.launch.request import Direction, Fill, FillKind

ROWS = [
    ("null", None),
    ("n", BufferText("n")),
    ("n*2:random", BufferText("n*2", Fill(FillKind.RANDOM))),
    ("n:out", BufferText("n", None, Direction.OUT)),
    ("n:zeros:inout", BufferText("n", Fill(), Direction.INOUT)),
    ("1<<20:constant(1.5)", BufferText("1<<20", Fill(FillKind.CONSTANT, (1.5,)))),
    ("n:range", BufferText("n", Fill(FillKind.RANGE))),
    ("n:range(0,-2)", BufferText("n", Fill(FillKind.RANGE, (0, -2)))),
    ("n:random(7)", BufferText("n", Fill(FillKind.RANDOM, (7,)))),
    ("n:random(7,-1,1.5):in", BufferText("n", Fill(FillKind.RANDOM, (7, -1, 1.5)), Direction.IN)),
    ("n:constant(inf)", BufferText("n", Fill(FillKind.CONSTANT, (float("inf"),)))),
    ("n:file(x.npy)", BufferText("n", Fill(FillKind.FILE, text="x.npy"))),
    (
        r"n:file(C:\a b\x(1).npz::x):in",
        BufferText("n", Fill(FillKind.FILE, text=r"C:\a b\x(1).npz::x"), Direction.IN),
    ),
    ("n:file(half).npy)", BufferText("n", Fill(FillKind.FILE, text="half).npy"))),
    (
        "n:expr(np.where(a > 0, a[1:], ')')):in",
        BufferText(
            "n", Fill(FillKind.EXPRESSION, text="np.where(a > 0, a[1:], ')')"), Direction.IN
        ),
    ),
    ("float4[n*2]:zeros", BufferText("n*2", Fill(), element="float4")),
    ("n+6@3:random", BufferText("n+6", Fill(FillKind.RANDOM), start="3")),
    ("float4[n]@n-1:zeros", BufferText("n", Fill(), element="float4", start="n-1")),
    ("unsigned int[min(n,2)]", BufferText("min(n,2)", element="unsigned int")),
]


@pytest.mark.parametrize(("text", "meaning"), ROWS)
def test_a_text_is_read(text, meaning):
    assert parse_buffer(text) == meaning


def test_space_and_quotes_around_a_path_are_no_part_of_it():
    found = parse_buffer(" n : file( 'C:\\my data\\x.npy' ) : out ")
    assert found == BufferText("n", Fill(FillKind.FILE, text="C:\\my data\\x.npy"), Direction.OUT)


@pytest.mark.parametrize("text", ["null", " nullptr ", "NULL"])
def test_a_null_pointer_may_be_written_as_in_c(text):
    assert parse_buffer(text) is None


def test_the_number_of_a_fill_may_be_computed():
    found = parse_buffer("n:constant(min(3, 1<<4))")
    assert found is not None
    assert found.fill == Fill(FillKind.CONSTANT, (3,))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "A buffer needs its length"),
        (":zeros", "A buffer needs its length"),
        ("n@:zeros", "'n@:zeros' has no number on one side of @. Write such as n+6@3."),
        ("@3", "'@3' has no number on one side of @"),
        ("n:ones", "'ones' fills no buffer. Write zeros, constant, range"),
        ("n:zeros:both", "'both' is not a direction. Write in, out or inout"),
        ("n:random(1):both", "'both' is not a direction"),
        ("n:out:random", "a direction stands before the end"),
        ("n:in:out", "a direction stands before the end"),
        ("n:random(1", "'random(1' has no closing parenthesis"),
        ("n:constant", "constant has 0 numbers in its parentheses, not 1. Write constant(1.5)"),
        ("n:zeros(1)", "zeros has 1 numbers in its parentheses, not 0"),
        ("n:range(1)", "range has 1 numbers in its parentheses, not 0 or 2"),
        ("n:range(0,nan)", "A range needs finite numbers"),
        ("n:random(-1)", "The seed -1 "),
        ("n:random(1.5)", "The seed 1.5 "),
        ("n:random(1,2,1)", "The lowest random number 2 is above the highest, 1"),
        ("n:random(1,0,inf)", "Random numbers need finite bounds"),
        ("n:random(m)", "no number 'm'"),
        ("n:file()", "file needs something in its parentheses. Write file(data.npy)"),
        ("n:expr", "expr needs something in its parentheses"),
    ],
)
def test_a_fault_is_told_with_what_to_write(text, words):
    with pytest.raises(TextError) as caught:
        parse_buffer(text)
    assert words in str(caught.value)


def test_a_relative_path_starts_at_the_folder(tmp_path):
    fill = Fill(FillKind.FILE, text="data/x.npz::x")
    assert absolute(fill, str(tmp_path)).text == f"{tmp_path}{os.sep}data{os.sep}x.npz::x"


def test_an_absolute_path_stays(tmp_path):
    fill = Fill(FillKind.FILE, text=str(tmp_path / "x.npy"))
    assert absolute(fill, "/elsewhere") == fill


def test_without_a_folder_a_path_starts_where_the_program_does(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert absolute(Fill(FillKind.FILE, text="x.npy"), "").text == str(tmp_path / "x.npy")


def test_what_is_no_file_has_no_path():
    fill = Fill(FillKind.EXPRESSION, text="i/2")
    assert absolute(fill, "/folder") == fill
