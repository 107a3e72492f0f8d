/*
 * Compared with a reference on the host, timed by the clock of POSIX.
 */
#include <stdio.h>
#include <stdlib.h>
#include <stdarg.h>
#include <string.h>
#include <math.h>
#include <time.h>
#include <errno.h>
#include <signal.h>

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define NPOINTS (20 * 1000)

struct result { double pi; float ms; };

static volatile sig_atomic_t stopped;
static void on_signal(int number) { stopped = number; }

static void fatal(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fprintf(stderr, " (%s)\n", strerror(errno));
    abort();
}

__host__ __device__ static inline int inside(unsigned seed)
{
    seed = seed * 1664525u + 1013904223u;
    float x = (seed >> 8) * (1.0f / (1 << 24));
    seed = seed * 1664525u + 1013904223u;
    float y = (seed >> 8) * (1.0f / (1 << 24));
    return x * x + y * y < 1.0f;
}

__global__ static void count(unsigned long long *hits, int n)
{
    int mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += inside(i);
    atomicAdd(hits, (unsigned long long)mine);
}

static double on_host(int n)
{
    long hits = 0;
    for (int i = 0; i < n; i++)
        hits += inside(i);
    return 4.0 * hits / n;
}

int main(int argc, char *argv[])
{
    struct timespec t0, t1;
    unsigned long long *hits, h_hits;
    signal(SIGINT, on_signal);
    if (cudaMalloc(&hits, sizeof(*hits)) != cudaSuccess)
        fatal("%s: no memory", argv[0]);
    cudaMemset(hits, 0, sizeof(*hits));
    clock_gettime(CLOCK_MONOTONIC, &t0);
    count<<<MIN(64, NPOINTS / 128), 128>>>(hits, NPOINTS);
    cudaMemcpy(&h_hits, hits, sizeof h_hits, cudaMemcpyDeviceToHost);
    clock_gettime(CLOCK_MONOTONIC, &t1);
    struct result r = {4.0 * h_hits / NPOINTS, (t1.tv_sec - t0.tv_sec) * 1e3f + (t1.tv_nsec - t0.tv_nsec) * 1e-6f};
    printf("%f (host %f) in %.2f ms\n", r.pi, on_host(NPOINTS), r.ms);
    return fabs(r.pi - on_host(NPOINTS)) > 1e-6;
}
