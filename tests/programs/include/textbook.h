// Helpers of a course on CUDA: checks, random data, a swap for either side.
#ifndef __TEXTBOOK_H__
#define __TEXTBOOK_H__
#include <stdio.h>
#include <stdlib.h>

static void StopOnError(cudaError_t err, const char *file, int line) {
    if (err != cudaSuccess) {
        printf("%s in %s at line %d\n", cudaGetErrorString(err), file, line);
        exit(EXIT_FAILURE);
    }
}
#define STOP_ON_ERROR(err) (StopOnError(err, __FILE__, __LINE__))

#define STOP_ON_NULL(p) {if (p == NULL) { \
                            printf("no host memory in %s at line %d\n", \
                                   __FILE__, __LINE__); \
                            exit(EXIT_FAILURE);}}

template <typename T>
void swap_values(T &a, T &b) {
    T t = a;
    a = b;
    b = t;
}

void *big_random_block(int size) {
    unsigned char *data = (unsigned char *)malloc(size);
    STOP_ON_NULL(data);
    for (int i = 0; i < size; i++)
        data[i] = rand();
    return data;
}

// Used on both sides.
__device__ unsigned char channel(float n1, float n2, int hue) {
    if (hue > 360) hue -= 360;
    else if (hue < 0) hue += 360;
    if (hue < 60)
        return (unsigned char)(255 * (n1 + (n2 - n1) * hue / 60));
    if (hue < 180)
        return (unsigned char)(255 * n2);
    return (unsigned char)(255 * n1);
}

__global__ void colours_of_floats(unsigned char *out, const float *in) {
    int x = threadIdx.x + blockIdx.x * blockDim.x;
    int y = threadIdx.y + blockIdx.y * blockDim.y;
    int at = x + y * blockDim.x * gridDim.x;
    float l = in[at];
    int h = (180 + (int)(360.0f * in[at])) % 360;
    float m2 = l <= 0.5f ? l * 2.0f : 1.0f;
    float m1 = 2 * l - m2;
    out[at * 4 + 0] = channel(m1, m2, h + 120);
    out[at * 4 + 1] = channel(m1, m2, h);
    out[at * 4 + 2] = channel(m1, m2, h - 120);
    out[at * 4 + 3] = 255;
}

#if defined(__unix__)
#include <pthread.h>
typedef pthread_t WorkerThread;
typedef void *(*WorkerRoutine)(void *);
#define WORKER_PROC void *
#define WORKER_END return 0
#else
#error "the course runs on Unix"
#endif

WorkerThread start_worker(WorkerRoutine routine, void *data) {
    pthread_t thread;
    pthread_create(&thread, NULL, routine, data);
    return thread;
}

void end_worker(WorkerThread thread) {
    pthread_join(thread, NULL);
}
#endif  // __TEXTBOOK_H__
