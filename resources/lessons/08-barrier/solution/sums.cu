extern "C" __global__ void sums(const float* x, float* sum)
{
    __shared__ float part[256];
    int t = threadIdx.x;
    part[t] = x[blockIdx.x * 256 + t];
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) {
            part[t] += part[t + half];
        }
    }
    if (t == 0) {
        sum[blockIdx.x] = part[0];
    }
}
