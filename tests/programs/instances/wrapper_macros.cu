#include <cstdio>
#include <cstdlib>

static void stop_on(cudaError_t status, const char *file, int line)
{
    if (status != cudaSuccess) {
        std::fprintf(stderr, "%s:%d: %s\n", file, line, cudaGetErrorString(status));
        std::exit(EXIT_FAILURE);
    }
}

// The function's name without its beginning, as in cuda(Malloc(&x, 128)).
#define cuda(...) stop_on((cuda##__VA_ARGS__), __FILE__, __LINE__)

// A function for each type, with no semicolon behind it.
#define WRAPPER(TYPE)                        \
    void fill_##TYPE(TYPE *p, TYPE value)    \
    {                                        \
        fill<TYPE><<<2, 32>>>(p, value);     \
        cuda(DeviceSynchronize());           \
    }
#define READER(TYPE)                                                        \
    TYPE first_##TYPE(const TYPE *p)                                        \
    {                                                                       \
        TYPE value;                                                         \
        cuda(Memcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost));      \
        return value;                                                       \
    }
#define LOGGER(name, level) \
    static void name(const char *text) { if (level > 1) std::puts(text); }

namespace {

template <class T> __global__ void fill(T *p, T value) { p[blockIdx.x * 32 + threadIdx.x] = value; }

struct Axpy {
    float a;
    __device__ float operator()(float x, float y) const { return a * x + y; }
};

template <class F> __global__ void map(F f, const float *x, float *y) { y[threadIdx.x] = f(x[threadIdx.x], y[threadIdx.x]); }

}  // namespace

WRAPPER(int)
WRAPPER(float)
READER(float)
LOGGER(debug, 1)
LOGGER(note, 2)

int main()
{
    float *x, *y;
    cuda(Malloc(&x, 64 * sizeof(float)));
    cuda(Malloc((void **)&y, 64 * sizeof(float)));
    fill_float(x, 2.0f);
    fill_int((int *)y, 0);
    map<<<1, 64>>>(Axpy{2.0f}, x, y);
    note("done");
    debug("more");
    std::printf("%f\n", first_float(y));
    cuda(Free(x));
    cuda(DeviceReset());
    return 0;
}
