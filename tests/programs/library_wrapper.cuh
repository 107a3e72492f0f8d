#pragma once
#include <cstdint>

namespace library {

template <typename T>
__global__ void hash_keys(const T* keys, std::uint64_t* hashes, int n, std::uint64_t seed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    std::uint64_t h = seed;
    const unsigned char* p = reinterpret_cast<const unsigned char*>(keys + i);
    for (unsigned b = 0; b < sizeof(T); ++b) h = (h ^ p[b]) * 1099511628211ull;
    hashes[i] = h;
}

static __global__ void clear_hashes(std::uint64_t* hashes, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) hashes[i] = 0;
}

template <typename T>
inline cudaError_t hash(const T* keys, std::uint64_t* hashes, int n, cudaStream_t stream = 0)
{
    static constexpr int threads = 160;
    clear_hashes<<<(n + threads - 1) / threads, threads, 0, stream>>>(hashes, n);
    hash_keys<<<(n + threads - 1) / threads, threads, 0, stream>>>(keys, hashes, n, 14695981039346656037ull);
    return cudaGetLastError();
}

}  // namespace library
