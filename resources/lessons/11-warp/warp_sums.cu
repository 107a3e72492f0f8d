extern "C" __global__ void warp_sums(const float* x, float* sum)
{
    __shared__ float part[8][32];
    int warp = threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    part[warp][lane] = x[blockIdx.x * blockDim.x + threadIdx.x];
    for (int distance = 16; distance > 0; distance /= 2) {
        __syncthreads();
        if (lane < distance) {
            part[warp][lane] += part[warp][lane + distance];
        }
    }
    if (lane == 0) {
        sum[blockIdx.x * 8 + warp] = part[warp][0];
    }
}
