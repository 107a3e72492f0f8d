// Error checks as a small project has them.
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>

static void report(cudaError_t status, const char *what, const char *file, int line)
{
    if (status == cudaSuccess)
        return;
    fprintf(stderr, "%s:%d: %s: %s\n", file, line, what, cudaGetErrorString(status));
    exit(EXIT_FAILURE);
}

#define CHECK(call) report((call), #call, __FILE__, __LINE__)
#define CHECK_LAUNCH()                        \
    do {                                      \
        CHECK(cudaGetLastError());            \
        CHECK(cudaDeviceSynchronize());       \
    } while (0)

#endif
