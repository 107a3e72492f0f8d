#include <algorithm>
#include <functional>
#include <iostream>
#include <iterator>
#include <vector>
#include <cuda_runtime_api.h>

/// Where the diagonal `diag` crosses the merge path of two sorted ranges.
template <typename T, typename Compare>
__host__ __device__ int mergePath(const T *a, int aCount, const T *b, int bCount, int diag, Compare less)
{
    int begin = diag > bCount ? diag - bCount : 0;
    int end = diag < aCount ? diag : aCount;
    while (begin < end) {
        int mid = (begin + end) >> 1;
        if (!less(b[diag - 1 - mid], a[mid]))
            begin = mid + 1;
        else
            end = mid;
    }
    return begin;
}

struct Less {
    template <typename T>
    __host__ __device__ bool operator()(const T &x, const T &y) const { return x < y; }
};

template <int NT, int VT, typename T, typename Compare>
__launch_bounds__(NT)
__global__ void mergeKernel(const T *a, int aCount, const T *b, int bCount, T *out, Compare less)
{
    const int total = aCount + bCount;
    const int diag = min((int)(blockIdx.x * NT + threadIdx.x) * VT, total);
    int i = mergePath(a, aCount, b, bCount, diag, less);
    int j = diag - i;
    T results[VT];
#pragma unroll
    for (int v = 0; v < VT; ++v) {
        bool takeA = j >= bCount || (i < aCount && !less(b[j], a[i]));
        if (diag + v < total) results[v] = takeA ? a[i++] : b[j++];
    }
#pragma unroll
    for (int v = 0; v < VT; ++v)
        if (diag + v < total) out[diag + v] = results[v];
}

int main(int argc, char *argv[])
{
    enum { NT = 128, VT = 7 };
    const int aCount = 123457, bCount = 98765;
    std::vector<float> a(aCount), b(bCount), out(aCount + bCount), want;
    std::generate(a.begin(), a.end(), [x = 1u]() mutable { return float((x = x * 1103515245u + 12345u) >> 8); });
    std::generate(b.begin(), b.end(), [x = 7u]() mutable { return float((x = x * 1103515245u + 12345u) >> 8); });
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    std::merge(a.cbegin(), a.cend(), b.cbegin(), b.cend(), std::back_inserter(want));

    float *dA, *dB, *dOut;
    cudaMalloc((void **)&dA, aCount * sizeof(float));
    cudaMalloc((void **)&dB, bCount * sizeof(float));
    cudaMalloc((void **)&dOut, out.size() * sizeof(float));
    cudaMemcpy(dA, a.data(), aCount * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, b.data(), bCount * sizeof(float), cudaMemcpyHostToDevice);
    int blocks = (int(out.size()) + NT * VT - 1) / (NT * VT);
    mergeKernel<NT, VT><<<blocks, NT>>>(dA, aCount, dB, bCount, dOut, Less());
    cudaMemcpy(out.data(), dOut, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
    std::cout << (std::equal(out.begin(), out.end(), want.begin()) ? "merged" : "not merged") << '\n';
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dOut);
    return 0;
}
