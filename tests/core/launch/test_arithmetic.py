import math

import pytest

from jitstudio.core.launch.problems import TextError
from jitstudio.core.launch.values import UnknownNameError, evaluate, integer

NAMES = {"n": 1000, "count": 7, "in": 3, "lambda": 4, "ratio": 0.5}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("n", 1000),
        ("n*2", 2000),
        (" n * 2\t", 2000),
        ("(n+255)//256", 4),
        ("(n+255)/256", 4),
        ("-7/2", -3),
        ("-7//2", -4),
        ("-7%3", -1),
        ("7%-3", 1),
        ("1<<20", 1 << 20),
        ("n>>3 & 0xF | 1 ^ 2", 1000 >> 3 & 15 | 1 ^ 2),
        ("~0", -1),
        ("+n", 1000),
        ("2**10", 1024),
        ("min(n, 1024)", 1000),
        ("max(n,1024)", 1024),
        ("ceil_div(n, 256)", 4),
        ("abs(-n)", 1000),
        ("0x10u", 16),
        ("0b101", 5),
        ("10ULL", 10),
        ("1'000'000", 1_000_000),
        ("0xFFFFFFFFFFFFFFFF", 2**64 - 1),
        ("sizeof(float4) * n", 16_000),
        ("sizeof( unsigned int )", 4),
        ("true", 1),
        ("False", 0),
        ("in + lambda", 7),
        ("2.5f", 2.5),
        (".5", 0.5),
        ("1.f", 1.0),
        ("1e-3f", 1e-3),
        ("1.0/4", 0.25),
        ("ratio * n", 500.0),
        ("7.5 % 2", 1.5),
        ("-inf", -math.inf),
    ],
)
def test_an_expression_is_evaluated_as_c_would(text, value):
    found = evaluate(text, NAMES)
    assert (found, type(found)) == (value, type(value))


def test_nan_is_a_number_to_be_written():
    assert math.isnan(evaluate("nan"))


def test_an_argument_hides_a_constant_of_the_same_name():
    assert evaluate("pi", {"pi": 3}) == 3


@pytest.mark.parametrize(
    "text",
    [
        "9**9**9",
        "1<<10**9",
        "1<<64<<64",
        "2**64*2",
        "(2**64)**64",
        "9" * 900,
        "((((" * 200 + "1" + "))))" * 200,
        "(" * 400 + "1" + ")" * 400,
        "-" * 990 + "1.5.2",
        "n" * 100_000,
    ],
)
def test_what_would_grow_without_end_is_refused_at_once(text):
    with pytest.raises(TextError) as caught:
        evaluate(text, NAMES)
    assert len(caught.value.message) < 200


@pytest.mark.parametrize(
    "text",
    [
        "n if n else 1",
        "(lambda: 1)()",
        "[1]",
        "n, n",
        "'n'",
        "n.real",
        "n[0]",
        "n == 1",
        "not n",
        "n n",
        "2n",
        "0x1G",
        "1_0",
        "010",
        "n!",
        "n\0",
        "min(n, key=1)",
        "min(*n)",
        "f'{n}'",
        "__import__('os')",
        "ceil_div",
        "5 +",
        ")",
    ],
)
def test_all_the_rest_of_python_is_refused_in_words(text):
    with pytest.raises(TextError, match=r"is not a number|is neither a number|There is no|takes 2"):
        evaluate(text, NAMES)


def test_an_unknown_name_is_told_with_those_there_are():
    with pytest.raises(UnknownNameError) as caught:
        evaluate("2*width", {"n": 1, "m": 2})
    assert caught.value.name == "width"
    assert str(caught.value) == "There is no number 'width'. Known here: n and m."


def test_a_name_that_is_nearly_right_is_suggested():
    with pytest.raises(UnknownNameError, match=r"Did you mean count\?"):
        evaluate("cuont", NAMES)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "There is no number."),
        ("n/(count-7)", "'n/(count-7)' divides by zero."),
        ("n % 0", "'n % 0' divides by zero."),
        ("1.0/0", "'1.0/0' divides by zero."),
        ("1<<2.5", "Shifts, powers and bits need integers, not 2.5."),
        ("2**-1", "A shift or a power by -1 is refused: it has to be from 0 to 64."),
        ("sizeof(Unknown)", "sizeof(Unknown) is unknown here."),
        ("min(1)", "min takes 2 numbers, not 1."),
        ("pow(2, 3)", "There is no function 'pow'."),
    ],
)
def test_what_makes_no_sense_is_told(text, message):
    with pytest.raises(TextError) as caught:
        evaluate(text, NAMES)
    assert caught.value.message == message


def test_a_whole_number_may_be_written_as_a_float():
    assert (integer("1e6"), integer("n*ratio", NAMES)) == (1_000_000, 500)


@pytest.mark.parametrize("text", ["2.5", "nan", "inf", "1.0/3"])
def test_a_fraction_is_no_integer(text):
    with pytest.raises(TextError, match="not a whole number"):
        integer(text)


def test_an_integer_has_at_most_64_bits():
    with pytest.raises(TextError, match="leaves the range of 64 bits"):
        integer("1e300")
