// Headers of the host that few programs have.
#include <charconv>
#include <cwctype>
#include <gnu/libc-version.h>
#include <memory_resource>
#include <nmmintrin.h>
#include <scoped_allocator>
#include <shared_mutex>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <valarray>
#include <wctype.h>
#include <cstdio>

__global__ void invert(unsigned *words, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) words[i] = ~words[i];
}

int main()
{
    std::pmr::monotonic_buffer_resource arena(1024);
    std::valarray<float> ones(1.0f, 16);
    struct utsname system;
    uname(&system);
    unsigned *words;
    const int count = 96 * 3;
    cudaMalloc(&words, count * sizeof *words);
    invert<<<count / 96, 96>>>(words, count);
    std::printf("%s %s %d %g\n", system.sysname, gnu_get_libc_version(), std::iswalpha(L'a') != 0, ones.sum());
    return cudaDeviceSynchronize();
}
