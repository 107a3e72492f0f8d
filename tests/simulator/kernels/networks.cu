// What neural networks and particle codes do: exponentials, reciprocal roots, tanh.

constexpr float lowest = -3.0e38f;

__device__ float block_reduce(float value, bool is_max, float* warps) {
    for (int step = 16; step > 0; step /= 2) {
        float other = __shfl_xor_sync(~0u, value, step);
        value = is_max ? fmaxf(value, other) : value + other;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
    __syncthreads();
    value = warps[0];
    for (int w = 1; w < blockDim.x / 32; ++w)
        value = is_max ? fmaxf(value, warps[w]) : value + warps[w];
    return value;
}

extern "C" __global__ void softmax(const float* in, float* out, int width) {
    __shared__ float warps[32];
    in += blockIdx.x * width;
    out += blockIdx.x * width;
    float highest = lowest, sum = 0;
    for (int i = threadIdx.x; i < width; i += blockDim.x) highest = fmaxf(highest, in[i]);
    highest = block_reduce(highest, true, warps);
    for (int i = threadIdx.x; i < width; i += blockDim.x) sum += expf(in[i] - highest);
    sum = block_reduce(sum, false, warps);
    for (int i = threadIdx.x; i < width; i += blockDim.x) out[i] = expf(in[i] - highest) / sum;
}

extern "C" __global__ void layer_norm(
    const float* in, const float* scale, const float* shift, float* out, int width
) {
    __shared__ float warps[32];
    in += blockIdx.x * width;
    out += blockIdx.x * width;
    float sum = 0, squares = 0;
    for (int i = threadIdx.x; i < width; i += blockDim.x) sum += in[i];
    float mean = block_reduce(sum, false, warps) / width;
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
        float d = in[i] - mean;
        squares = fmaf(d, d, squares);
    }
    float factor = rsqrtf(block_reduce(squares, false, warps) / width + 1e-5f);
    for (int i = threadIdx.x; i < width; i += blockDim.x)
        out[i] = fmaf((in[i] - mean) * factor, scale[i], shift[i]);
}

extern "C" __global__ void activations(
    const float* in, float* gelu, float* fast, float* sigmoid, float* swish, int n
) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = in[i];
    gelu[i] = 0.5f * x * (1.0f + erff(x * 0.70710678f));
    fast[i] = 0.5f * x * (1.0f + tanhf(0.79788456f * fmaf(0.044715f * x * x, x, x)));
    sigmoid[i] = 1.0f / (1.0f + __expf(-x));
    swish[i] = __fdividef(x, 1.0f + exp2f(-x));
}

extern "C" __global__ void n_body(
    const float4* bodies, float4* forces, int n, float softening
) {
    __shared__ float4 held[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 own = bodies[i];
    float fx = 0, fy = 0, fz = 0;
    for (int tile = 0; tile < n; tile += 128) {
        held[threadIdx.x] = bodies[tile + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 128; ++j) {
            float dx = held[j].x - own.x, dy = held[j].y - own.y, dz = held[j].z - own.z;
            float square = fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, softening)));
            float inverse = rsqrtf(square);
            float pull = held[j].w * (inverse * inverse * inverse);
            fx = fmaf(pull, dx, fx);
            fy = fmaf(pull, dy, fy);
            fz = fmaf(pull, dz, fz);
        }
        __syncthreads();
    }
    forces[i] = make_float4(fx, fy, fz, 0);
}

// Attention of one query for each warp over keys of 32 numbers, with the sum kept as it goes.
extern "C" __global__ void attention(
    const float* queries, const float* keys, const float* values, float* out, int count
) {
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float query = queries[warp * 32 + lane], highest = lowest, sum = 0, held = 0;
    for (int k = 0; k < count; ++k) {
        float score = query * keys[k * 32 + lane];
        for (int step = 16; step > 0; step /= 2) score += __shfl_xor_sync(~0u, score, step);
        float higher = fmaxf(highest, score);
        float shrink = __expf(highest - higher), weight = __expf(score - higher);
        sum = fmaf(sum, shrink, weight);
        held = fmaf(held, shrink, weight * values[k * 32 + lane]);
        highest = higher;
    }
    out[warp * 32 + lane] = held / sum;
}
