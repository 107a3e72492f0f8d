#include <cstdio>
#include <cstdlib>
#include <type_traits>

// A value of a trait, by its braces, is what decides between these.
template <typename T, typename std::enable_if<std::is_integral<T>{}>::type * = nullptr>
bool alike(const T *values, int count)
{
    for (int i = 1; i < count; i++) {
        if (values[i] != values[0]) return false;
    }
    return true;
}

template <typename T, typename std::enable_if<!std::is_integral<T>{}>::type * = nullptr>
bool alike(const T *values, int count)
{
    for (int i = 1; i < count; i++) {
        if (std::abs(values[i] - values[0]) > 1e-6) return false;
    }
    return true;
}

template <typename T, bool Signed = std::is_signed<T>{}>
__global__ void spread(T *out, T value) { out[threadIdx.x] = Signed ? -value : value; }

template <typename T>
void check(T value)
{
    T *out, host[64];
    cudaMalloc(&out, sizeof host);
    spread<<<1, 64>>>(out, value);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    std::printf("%d\n", alike(host, 64));
    cudaFree(out);
}

int main()
{
    check(3);
    check(2.5f);
    return 0;
}
