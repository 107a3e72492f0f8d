from numba import cuda


def first(x):
    i = cuda.threadIdx.x
    x[i] = i
