#include "library_wrapper.cuh"

int main()
{
    const int n = 1600;
    short* small;
    double* large;
    std::uint64_t* hashes;
    cudaMalloc(&small, n * sizeof(short));
    cudaMalloc(&large, n * sizeof(double));
    cudaMalloc(&hashes, n * sizeof(std::uint64_t));
    if (library::hash(small, hashes, n)) return 1;
    if (library::hash<double>(large, hashes, n)) return 2;
    return cudaDeviceSynchronize();
}
