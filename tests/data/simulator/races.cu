extern "C" __global__ void broken(float* out, const float* in)
{
    __shared__ float part[256];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int half = 128; half > 0; half >>= 1) {
        if (t < half)
            part[t] += part[t + half];
    }
    if (t == 0) out[blockIdx.x] = part[0];
}
extern "C" __global__ void mended(float* out, const float* in)
{
    __shared__ float part[256];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int half = 128; half > 0; half >>= 1) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}
__device__ unsigned int done;
extern "C" __global__ void last_block(float* out, float* partial, const float* in)
{
    __shared__ float part[256];
    __shared__ bool last;
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int half = 128; half >= 32; half >>= 1) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    if (t < 32) {
        float v = part[t];
        for (int d = 16; d; d >>= 1) v += __shfl_down_sync(~0u, v, d);
        if (t == 0) {
            partial[blockIdx.x] = v;
            __threadfence();
            last = atomicInc(&done, gridDim.x - 1) == gridDim.x - 1;
        }
    }
    __syncthreads();
    if (last && t == 0) {
        float sum = 0;
        for (int i = 0; i < gridDim.x; i++) sum += partial[i];
        *out = sum;
    }
}
extern "C" __global__ void histogram(int* bins, const int* in, int n)
{
    __shared__ int mine[64];
    if (threadIdx.x < 64) mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[in[i] & 63], 1);
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}
extern "C" __global__ void warp_sum(float* out, const float* in)
{
    __shared__ float part[64];
    int t = threadIdx.x;
    part[t] = in[t] + in[t + 64];
    __syncthreads();
    if (t < 32) {
        for (int d = 32; d; d >>= 1) {
            float v = part[t + d];
            __syncwarp();
            part[t] += v;
            __syncwarp();
        }
        if (t == 0) *out = part[0];
    }
}
extern "C" __global__ void scan(int* out, const int* in, volatile int* flag, volatile int* sums)
{
    __shared__ int s[128];
    __shared__ int before;
    int t = threadIdx.x, b = blockIdx.x;
    s[t] = in[b * 128 + t];
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        int v = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    if (t == 0) {
        int sum = 0;
        if (b > 0) {
            while (flag[b - 1] == 0) {}
            __threadfence();
            sum = sums[b - 1];
        }
        sums[b] = sum + s[127];
        __threadfence();
        flag[b] = 1;
        before = sum;
    }
    __syncthreads();
    out[b * 128 + t] = before + s[t];
}
