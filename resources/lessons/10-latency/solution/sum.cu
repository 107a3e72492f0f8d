extern "C" __global__ void sum(const float* x, float* result, int count)
{
    int t = threadIdx.x;
    int threads = blockDim.x;
    float a = 0.0f;
    float b = 0.0f;
    float c = 0.0f;
    float d = 0.0f;
#pragma unroll 1
    for (int k = 0; k < count; k += 4) {
        a += x[k * threads + t];
        b += x[(k + 1) * threads + t];
        c += x[(k + 2) * threads + t];
        d += x[(k + 3) * threads + t];
    }
    result[t] = (a + b) + (c + d);
}
