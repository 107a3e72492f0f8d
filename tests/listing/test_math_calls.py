"""Lines that call the math library, told from those that have a condition of their own."""

import pytest

from jitstudio.listing.cuda.math_calls import MathCalls, math_calls

TEXT = b"""
#define LIMIT (v > 2 ? 1 : 2)
#define CLAMP(x) ((x) > 1 ? 1 : sinf(x))
__device__ float own(float x);
__global__ void k(float* a, int n) {
  float v = sinf(a[0]) + std::pow(a[1], 2.0f);
  a[1] = v > 0 ? cosf(v) : 0;
  a[2] = own(sinf(v));
  a[3] = CLAMP(sinf(v));
  if (erff(v) > 2)
    a[4] = a[5] && fmodf(v, 3);
  for (int i = 0; i < n; ++i) {
    a[i] = tanf(
        v > 0 ? v : 1);
    a[i] = __fdividef(v, logf(v)) + float(i);
    a[i] += v;
    v = sqrtf(v) + fabs(v);
    v = expf(a[9]);
    v = exp(a[9]);
  }
  if (n > 3 &&
      fmodf(a[6], 2) > 1) {
    a[7] = 0;
  }
  while (
      fmodf(a[8], v) > 1) { v += 1; }
  do { v += 1;
  } while (v <
      powf(a[10], v));
  v = n > 2 ?
      lgammaf(v) : 0;
  if (n < 3 ||
      v > 9) v += atanf(v);
  v =
      cosf(a[11]);
  v +=
      LIMIT + cosf(a[12]);
}
"""


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("float v =", MathCalls(("sinf", "pow"), False)),
        ("a[1] = v", MathCalls(("cosf",), True)),
        ("a[2] = own", None),
        ("a[3] = CLAMP", None),
        ("if (erff", MathCalls(("erff",), True)),
        ("a[4] =", MathCalls(("fmodf",), True)),
        ("for (int i", None),
        ("a[i] = tanf", MathCalls(("tanf",), True)),
        ("a[i] = __f", MathCalls(("logf",), False)),
        ("a[i] += v", None),
        # No GPU's code for these has a branch; that for double has one of `exp`.
        ("v = sqrtf", None),
        ("v = expf(a[9]", None),
        ("v = exp(a[9]", MathCalls(("exp",), False)),
        # Conditions that have begun on an earlier line.
        ("fmodf(a[6]", MathCalls(("fmodf",), True)),
        ("fmodf(a[8]", MathCalls(("fmodf",), True)),
        ("powf(a[10]", MathCalls(("powf",), True)),
        ("lgammaf(v)", MathCalls(("lgammaf",), True)),
        ("v > 9) v", MathCalls(("atanf",), True)),
        ("cosf(a[11]", MathCalls(("cosf",), False)),
        ("LIMIT + cosf", None),
    ],
)
def test_calls_and_conditions_of_a_line(words, expected):
    line = TEXT[: TEXT.index(words.encode())].count(b"\n") + 1
    assert math_calls(TEXT, {line}).get(line) == expected
