import pytest

from jitstudio.numerics.expression_text import ExpressionError, parse


def refused(expression, parameters=("x", "n")):
    with pytest.raises(ExpressionError) as caught:
        parse(expression, parameters)
    return str(caught.value)


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("x * n + 1", {"x", "n"}),
        ("np.sqrt(x)", {"x"}),
        ("sum(x, axis=0)", {"x"}),
        ("pi + np.pi", set()),
        ("x['n']", {"x"}),
        ("in + lambda", {"in", "lambda"}),
        ("sum.sum() + np.sum(x)", {"sum", "x"}),
        ("x if n > 3 else i", {"x", "n", "i"}),
    ],
)
def test_the_parameters_that_occur_are_told(expression, names):
    parameters = {"x", "n", "i", "y", "in", "lambda", "sum"}
    assert parse(expression, parameters).names == names


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("", "There is no expression."),
        ("x +", "This is not a NumPy expression: invalid syntax (at character 4)."),
        ("  (x", "This is not a NumPy expression: '(' was never closed (at character 3)."),
        ("x $ 1", "This is not a NumPy expression: invalid syntax (at character 3)."),
        ("x = 1", "This is not a NumPy expression: invalid syntax"),
        ("x\n+ y", "y is not known in expressions (at character 5)."),
        ("sqr(x)", "sqr is not known in expressions; did you mean sqrt? (at character 1)."),
        ("x + sqrt", "sqrt is a function: write sqrt(...) (at character 5)."),
        ("x.sum + 1", ".sum is a function: write .sum(...) (at character 1)."),
        ("1 + x(3)", "x is a parameter and cannot be called (at character 5)."),
        ("sqrt(x, out=x)", "An argument out is not allowed in expressions (at character 13)."),
        ("b'x'", "This constant is not allowed in expressions (at character 1)."),
    ],
)
def test_what_is_wrong_is_told_with_its_place(expression, words):
    assert refused(expression).startswith(words)


@pytest.mark.parametrize(
    ("expression", "position"),
    [
        ("in + nope", 5),
        ("in*in*in + nope", 11),
        (" in\t+ nope", 6),
        ("lambda + in + nope", 14),
        ("ä + 1", 0),
        ("in + in + (1", 10),
    ],
)
def test_places_are_those_of_what_the_user_wrote(expression, position):
    with pytest.raises(ExpressionError) as caught:
        parse(expression, {"in", "lambda"})
    assert caught.value.position == position


def test_a_keyword_is_a_parameter_only_where_there_is_one():
    assert "invalid syntax" in refused("in + 1")
    assert parse("1 in [1, 2]", {"x"}).names == set()
    assert parse("in + in_ + in__", {"in", "in_", "in__"}).names == {"in", "in_", "in__"}


@pytest.mark.parametrize(
    "expression",
    ["(" * 300 + "x" + ")" * 300, "-" * 5000 + "x", "x" + "+x" * 4000, "[" * 4000, "x" * 20_000],
    ids=lambda expression: expression[:3],
)
def test_monsters_are_refused(expression):
    assert refused(expression).endswith(".")


@pytest.mark.parametrize("expression", ["\ud800", "x + '\udfff'", "\U0001d499.[03"])
def test_odd_characters_are_refused_in_words(expression):
    with pytest.raises(ExpressionError):
        parse(expression, ("x",))
