#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/functional.h>
#include <thrust/execution_policy.h>
#include <iostream>

struct Wave {
    float frequency;
    __host__ __device__ float operator()(float x) const { return sinf(frequency * x); }
};

__global__ void clip(float *x, float low, float high, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = fminf(fmaxf(x[i], low), high);
}

int main()
{
    const int n = 5000;
    thrust::device_vector<float> v(n);
    thrust::sequence(v.begin(), v.end());
    thrust::transform(thrust::device, v.begin(), v.end(), v.begin(), Wave{0.01f});
    clip<<<(n + 127) / 128, 128>>>(thrust::raw_pointer_cast(v.data()), -0.5f, 0.5f, n);
    thrust::sort(v.begin(), v.end(), thrust::greater<float>());
    thrust::host_vector<float> h = v;
    std::cout << h[0] << ' ' << h[n - 1] << std::endl;
    float *raw = thrust::raw_pointer_cast(&v[0]);
    clip<<<dim3(5), dim3(1000)>>>(raw, 0.0f, 0.25f, v.size());
    return cudaDeviceSynchronize();
}
