"""Conditions of `if constexpr` against NVRTC, which puts a table of random ones into PTX."""

import random
import re

from jitstudio.listing.cuda.host_launches.templates import truth
from tests.support import cuda, request

TRAITS = """\
using Real = float;
namespace std {
template <class T, class U> constexpr bool is_same_v = false;
template <class T> constexpr bool is_same_v<T, T> = true;
template <class T, class U> struct is_same { static constexpr bool value = is_same_v<T, U>; };
}
"""


def number(rng):
    return rng.choice(["0", "1", "2", "4", "7", "0x10", "2 + 2", "3 * 2", "(1 + 1)", "9 % 4"])


def part(rng):
    """A comparison, a number, or whether two types are the same."""
    match rng.randrange(6):
        case 0:
            types = ", ".join(
                rng.choice(["int", "float", "unsigned int", "Real"]) for _ in range(2)
            )
            return rng.choice([f"std::is_same_v<{types}>", f"std::is_same<{types}>::value"])
        case 1:
            return number(rng)
        case _:
            space = rng.choice(["", " "])
            relation = rng.choice(["==", "!=", "<", "<=", ">", ">="])
            return f"{number(rng)}{space}{relation}{space}{number(rng)}"


def condition(rng, depth=2):
    match rng.randrange(4 if depth else 1):
        case 1:
            inner = condition(rng, depth - 1)
            return rng.choice([f"!{inner}", f"! {inner}", f"!({inner})", f"({inner})"])
        case 2:
            return f"{condition(rng, depth - 1)} && {condition(rng, depth - 1)}"
        case 3:
            return f"{condition(rng, depth - 1)} || {condition(rng, depth - 1)}"
    return part(rng)


def test_conditions_hold_as_the_compiler_says(tools):
    rng = random.Random(8)
    conditions = list(dict.fromkeys(condition(rng) for _ in range(1500)))
    rows = ", ".join(f"({words}) ? 1 : 2" for words in conditions)
    text = f'{TRAITS}extern "C" __device__ const unsigned char table[] = {{{rows}}};'
    (built,) = tools.build(request(cuda(text), emit="ptx")).artifacts
    table = re.search(r"table\[\d+\] = \{([^}]*)\}", built.text)[1].split(",")
    expected = {words: int(value) == 1 for words, value in zip(conditions, table, strict=True)}
    answers = {words: truth(words.encode()) for words in conditions}
    wrong = {
        words: answers[words] for words in conditions if answers[words] is (not expected[words])
    }
    assert wrong == {}
    known = [words for words in conditions if answers[words] is not None]
    assert len(known) > len(conditions) / 3
    # What has neither ! nor parentheses is always known, and so is ! of a number.
    plain = [words for words in conditions if not re.search(r"!(?!=)|\(|<[^<>]*>", words)]
    negated = [words for words in conditions if re.fullmatch(r"! ?[0-9]|!\(1 \+ 1\)", words)]
    same = [words for words in conditions if re.fullmatch(r"!*std[^&|Ru]*(?:int|float)>\S*", words)]
    assert min(len(negated), len(same)) > 3
    assert {*plain, *negated, *same} <= {*known}
