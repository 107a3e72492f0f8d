"""A weighted mean of three neighbours with Numba.

A number such as 0.25 is a float64 to Numba, and so is all that is computed with it: see the
conversions and the arithmetic in double precision (DMUL, DFMA). With `float32(0.25)` they go.
"""

from numba import cuda


@cuda.jit(lineinfo=True)
def smooth(values, out):
    i = cuda.grid(1)
    if 0 < i < values.size - 1:
        out[i] = 0.25 * values[i - 1] + 0.5 * values[i] + 0.25 * values[i + 1]


if __name__ == "__main__":
    import numpy as np

    values = np.random.rand(1 << 20).astype(np.float32)
    out = np.zeros_like(values)
    smooth.forall(values.size)(values, out)
    print(out[1:4], values[:5])
