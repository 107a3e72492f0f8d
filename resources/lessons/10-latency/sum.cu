extern "C" __global__ void sum(const float* x, float* result, int count)
{
    int t = threadIdx.x;
    int threads = blockDim.x;
    float a = 0.0f;
#pragma unroll 1
    for (int k = 0; k < count; ++k) {
        a += x[k * threads + t];
    }
    result[t] = a;
}
