"""Kernels that generic lambdas launch are made for each type that their parameters have."""

from itertools import product
from random import Random

import pytest

from jitstudio.listing.cuda.host_code import find_host_code
from tests.support import cuda, request

KERNEL = "template <typename T, int N> __global__ void k(T* p) { *p += N; }\n"
TAGS = """\
template <typename T> struct Tag { using type = T; };
template <int N> struct Int { static constexpr int value = N; };
"""
TYPES = {"int": "i", "float": "f", "double": "d", "unsigned": "j", "short": "s"}
# How a function calls the lambda, and how the lambda is written.
CALLS = ("f({});", "return f({});", "static_cast<F&&>(f)({});")
LAMBDAS = ("[&](auto {})", "[=] (const auto &{})", "[&] (auto {}) -> void")
# The type, and the number, by the parameters of the lambdas.
USES = (
    ("typename decltype({})::type", "decltype({})::value"),
    ("typename std::decay_t<decltype({})>::type", "std::decay_t<decltype({})>::value"),
)


def program(random, types, numbers):
    """A program that chooses a type and a number by lambdas, with plain lambdas between."""
    call, other = random.choice(CALLS), random.choice(CALLS)
    by_type = "".join(
        f"if (n == {n}) {call.format(f'Tag<{t}>{{}}')}\n" for n, t in enumerate(types)
    )
    cases = "".join(f"case {n}: {other.format(f'Int<{n}>()')} break;\n" for n in numbers)
    first, second = random.choice(LAMBDAS), random.choice(LAMBDAS)
    # What takes its parameter by reference has a reference in `decltype`.
    kind = USES[1 if "&{" in first else 0][0].format("tag")
    number = USES[1 if "&{" in second else 0][1].format("items")
    before = random.choice(["", "0, ", "g(1, 2), "])
    parameters = {"": "", "0, ": "int, ", "g(1, 2), ": "int, "}[before]
    return f"""\
#include <type_traits>
{TAGS}{KERNEL}
int g(int a, int b) {{ return a + b; }}
template <typename F> void by_type(int n, F&& f) {{ {by_type} }}
template <typename F> void by_number({parameters}int n, F f) {{ switch (n) {{ {cases} }} }}
int main(int argc, char** argv)
{{
    by_type(argc, {first.format("tag")} {{
        using T = {kind};
        auto plain = [](int x) {{ return x + 1; }};
        T* p = nullptr;
        by_number({before}plain(argc), {second.format("items")} {{
            k<T, {number}><<<1, 32>>>(p);
        }});
    }});
}}
"""


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.tools
def test_each_case_of_generic_lambdas_is_an_instance(builder, seed):
    random = Random(seed)
    types = random.sample(sorted(TYPES), random.randint(1, 3))
    numbers = random.sample(range(1, 9), random.randint(1, 3))
    text = program(random, types, numbers)
    result = builder.build(request(cuda(text), emit="ptx"))
    assert result.ok, result.diagnostics
    wanted = {f"_Z1kI{TYPES[t]}Li{n}EEvPT_" for t, n in product(types, numbers)}
    assert {kernel.name for kernel in result.kernels} == wanted


def test_lambdas_that_nobody_calls_are_no_instance():
    text = (
        f"{KERNEL}template <typename F> void run(F f) {{}}\nint main() {{ run([](auto x) {{ }}); }}"
    )
    assert find_host_code(text.encode()).instances == ()


@pytest.mark.parametrize("value", ["double{}", "double(0)", "double{1.5}", "double(2 + 3)"])
def test_objects_may_have_a_value(value):
    text = (
        f"{KERNEL}template <typename F> void run(F f) {{ f(float{{}}); f({value}); }}\n"
        "int main() { run([](auto x) { k<decltype(x), 1><<<1, 1>>>(nullptr); }); }"
    )
    instances = find_host_code(text.encode()).instances
    assert [name for name, _ in instances] == [
        "k<decltype(float{}), 1>",
        "k<decltype(double{}), 1>",
    ]
