extern "C" __global__ void warp_sums(const float* x, float* sum)
{
    int warp = threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    float value = x[blockIdx.x * blockDim.x + threadIdx.x];
    for (int distance = 16; distance > 0; distance /= 2) {
        value += __shfl_down_sync(0xffffffff, value, distance);
    }
    if (lane == 0) {
        sum[blockIdx.x * 8 + warp] = value;
    }
}
