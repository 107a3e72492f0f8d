#include <thrust/device_vector.h>
#include <thrust/random.h>
#include <thrust/reduce.h>
#include <thrust/transform_reduce.h>
#include <cstdio>

// Device code uses of Thrust what is for both; the containers and algorithms are the host's.
struct Inside {
    __host__ __device__ float operator()(const thrust::tuple<unsigned, float> &seeded) const
    {
        thrust::default_random_engine engine(thrust::get<0>(seeded));
        thrust::uniform_real_distribution<float> side(0.0f, thrust::get<1>(seeded));
        float x = side(engine), y = side(engine);
        return x * x + y * y < 1 ? 4.0f : 0.0f;
    }
};

__global__ void throw_darts(float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = Inside()(thrust::make_tuple(unsigned(i), 1.0f));
}

int main()
{
    const int n = 10000;
    thrust::device_vector<float> darts(n);
    throw_darts<<<(n + 255) / 256, 256>>>(thrust::raw_pointer_cast(darts.data()), n);
    std::printf("%f\n", thrust::reduce(darts.begin(), darts.end()) / n);
    return 0;
}
