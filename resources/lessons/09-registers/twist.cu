extern "C" __global__ void __launch_bounds__(1024) twist(const float* x, float* y, int rounds)
{
    float v[96];
    for (int k = 0; k < 96; ++k) {
        v[k] = x[k * 256 + threadIdx.x];
    }
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int k = 0; k < 96; ++k) {
            v[k] = 0.5f * v[k] + 0.5f * v[(k * 7 + 5) % 96];
        }
    }
    for (int k = 0; k < 96; ++k) {
        y[k * 256 + threadIdx.x] = v[k];
    }
}
