"""Lines that call the math library, told from those that have a condition of their own."""

import pytest

from jitstudio.listing.cuda.math_calls import MathCalls, math_calls

TEXT = b"""
#define CLAMP(x) ((x) > 1 ? 1 : sinf(x))
__device__ float own(float x);
__global__ void k(float* a, int n) {
  float v = sinf(a[0]) + std::pow(a[1], 2.0f);
  a[1] = v > 0 ? cosf(v) : 0;
  a[2] = own(sinf(v));
  a[3] = CLAMP(sinf(v));
  if (expf(v) > 2)
    a[4] = a[5] && fmodf(v, 3);
  for (int i = 0; i < n; ++i) {
    a[i] = tanf(
        v > 0 ? v : 1);
    a[i] = __fdividef(v, sqrtf(v)) + float(i);
    a[i] += v;
  }
}
"""


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("float v =", MathCalls(("sinf", "pow"), False)),
        ("a[1] = v", MathCalls(("cosf",), True)),
        ("a[2] = own", None),
        ("a[3] = CLAMP", None),
        ("if (expf", MathCalls(("expf",), True)),
        ("a[4] =", MathCalls(("fmodf",), True)),
        ("for (int i", None),
        ("a[i] = tanf", MathCalls(("tanf",), True)),
        ("a[i] = __f", MathCalls(("sqrtf",), False)),
        ("a[i] += v", None),
    ],
)
def test_calls_and_conditions_of_a_line(words, expected):
    line = TEXT[: TEXT.index(words.encode())].count(b"\n") + 1
    assert math_calls(TEXT, {line}).get(line) == expected
