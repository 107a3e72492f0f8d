// Sorting within a block, and within a warp.

extern "C" __global__ void sort_bitonic(float* data) {
    __shared__ float held[512];
    data += blockIdx.x * 512;
    for (int i = threadIdx.x; i < 512; i += blockDim.x) held[i] = data[i];
    for (int size = 2; size <= 512; size *= 2)
        for (int step = size / 2; step > 0; step /= 2) {
            __syncthreads();
            int low = 2 * threadIdx.x - (threadIdx.x & (step - 1)), high = low + step;
            bool rises = (low & size) == 0;
            float a = held[low], b = held[high];
            if ((a > b) == rises) {
                held[low] = b;
                held[high] = a;
            }
        }
    __syncthreads();
    for (int i = threadIdx.x; i < 512; i += blockDim.x) data[i] = held[i];
}

// By four bits at a time; as many keys as threads.
extern "C" __global__ void sort_radix(unsigned* keys, unsigned* values) {
    __shared__ unsigned key[256], value[256];
    __shared__ unsigned counts[16][8], starts[16][8];
    int i = threadIdx.x, warp = i / 32, lane = i % 32;
    keys += blockIdx.x * 256;
    values += blockIdx.x * 256;
    unsigned k = keys[i], v = values[i];
    for (int shift = 0; shift < 32; shift += 4) {
        unsigned digit = k >> shift & 15;
        if (lane < 16) counts[lane][warp] = 0;
        __syncwarp();
        unsigned same = __match_any_sync(~0u, digit);
        unsigned rank = __popc(same & ((1u << lane) - 1));
        if (rank == 0) counts[digit][warp] = __popc(same);
        __syncthreads();
        if (i < 128) {
            unsigned sum = 0;
            for (int before = 0; before < i; ++before) sum += counts[before / 8][before % 8];
            starts[i / 8][i % 8] = sum;
        }
        __syncthreads();
        unsigned to = starts[digit][warp] + rank;
        key[to] = k;
        value[to] = v;
        __syncthreads();
        k = key[i];
        v = value[i];
    }
    keys[i] = k;
    values[i] = v;
}

extern "C" __global__ void sort_warp(int* data) {
    int at = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    int own = data[at];
    for (int size = 2; size <= 32; size *= 2)
        for (int step = size / 2; step > 0; step /= 2) {
            int other = __shfl_xor_sync(~0u, own, step);
            bool wants_small = ((lane & step) == 0) == ((lane & size) == 0);
            own = wants_small ? min(own, other) : max(own, other);
        }
    data[at] = own;
}

// Each thread sorts a few numbers of its own in local memory, with a stack of its own.
extern "C" __global__ void sort_local(short* data, int each) {
    short held[32];
    signed char stack[64];
    short* own = data + (blockIdx.x * blockDim.x + threadIdx.x) * each;
    for (int i = 0; i < each; ++i) held[i] = own[i];
    int top = 0;
    stack[top++] = 0;
    stack[top++] = each - 1;
    while (top) {
        int high = stack[--top], low = stack[--top];
        if (low >= high) continue;
        short pivot = held[(low + high) / 2];
        int i = low, j = high;
        while (i <= j) {
            while (held[i] < pivot) ++i;
            while (held[j] > pivot) --j;
            if (i <= j) {
                short kept = held[i];
                held[i++] = held[j];
                held[j--] = kept;
            }
        }
        stack[top++] = low;
        stack[top++] = j;
        stack[top++] = i;
        stack[top++] = high;
    }
    for (int i = 0; i < each; ++i) own[i] = held[i];
}
