// Transforms, fractals, graphs, texts.

extern "C" __global__ void mandelbrot(int* counts, int width, int height, int limit) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float u = __fsub_rn(__fmul_rn(x, 3.0f / width), 2.0f);
    float v = __fsub_rn(__fmul_rn(y, 2.0f / height), 1.0f), a = 0, b = 0;
    int count = 0;
    while (count < limit) {
        float aa = __fmul_rn(a, a), bb = __fmul_rn(b, b);
        if (__fadd_rn(aa, bb) > 4.0f) break;
        b = __fadd_rn(__fmul_rn(2 * a, b), v);
        a = __fadd_rn(__fsub_rn(aa, bb), u);
        ++count;
    }
    counts[y * width + x] = count;
}

// 256 complex numbers for each block.
extern "C" __global__ void fft(float2* data) {
    __shared__ float2 held[256];
    int t = threadIdx.x;
    data += blockIdx.x * 256;
    held[__brev(t) >> 24] = data[t];
    held[__brev(t + 128) >> 24] = data[t + 128];
    for (int half = 1; half < 256; half *= 2) {
        __syncthreads();
        int k = t & (half - 1), i = 2 * (t - k) + k, j = i + half;
        float s, c;
        sincospif(-(float)k / half, &s, &c);
        float2 a = held[i], b = held[j];
        float re = fmaf(c, b.x, -__fmul_rn(s, b.y)), im = fmaf(c, b.y, __fmul_rn(s, b.x));
        held[i] = make_float2(a.x + re, a.y + im);
        held[j] = make_float2(a.x - re, a.y - im);
    }
    __syncthreads();
    data[t] = held[t];
    data[t + 128] = held[t + 128];
}

// One level of a search through a graph.
extern "C" __global__ void bfs_step(
    const int* starts, const int* edges, int* levels, int* changed, int level, int n
) {
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= n || *(volatile int*)&levels[node] != level) return;
    for (int i = starts[node]; i < starts[node + 1]; ++i)
        if (atomicCAS(&levels[edges[i]], -1, level + 1) == -1) atomicAdd(changed, 1);
}

// The smallest number of a part that hangs together, for each of its nodes.
extern "C" __global__ void components(const int2* edges, int* labels, int nodes, int count) {
    for (int round = 0; round < nodes; ++round) {
        int changed = 0;
        for (int i = threadIdx.x; i < count; i += blockDim.x) {
            int2 e = edges[i];
            int a = *(volatile int*)&labels[e.x], b = *(volatile int*)&labels[e.y];
            if (a != b) {
                atomicMin(&labels[a > b ? e.x : e.y], min(a, b));
                changed = 1;
            }
        }
        if (!__syncthreads_or(changed)) break;
    }
}

extern "C" __global__ void find_text(
    const char* text, const char* pattern, int* first, int* count, int length, int size
) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, matched = 0;
    if (i + size > length) return;
    while (matched < size && text[i + matched] == pattern[matched]) ++matched;
    if (matched < size) return;
    atomicMin(first, i);
    atomicAdd(count, 1);
}

// How far two texts are apart: one anti-diagonal after another.
extern "C" __global__ void edit_distance(const char* a, const char* b, int* distance, int n) {
    extern __shared__ int rows[];
    int t = threadIdx.x, width = n + 1;
    a += blockIdx.x * n;
    b += blockIdx.x * n;
    for (int d = 0; d <= 2 * n; ++d) {
        int* now = rows + d % 3 * width;
        int* last = rows + (d + 2) % 3 * width;
        int* older = rows + (d + 1) % 3 * width;
        for (int i = t; i <= n && i <= d; i += blockDim.x) {
            int j = d - i;
            if (j > n) continue;
            if (i == 0 || j == 0) now[i] = d;
            else {
                int replace = older[i - 1] + (a[i - 1] != b[j - 1]);
                now[i] = min(replace, min(last[i - 1], last[i]) + 1);
            }
        }
        __syncthreads();
    }
    if (t == 0) distance[blockIdx.x] = rows[2 * n % 3 * width + n];
}

// All shortest ways of a graph of 32 nodes, one for each block.
extern "C" __global__ void shortest_ways(int* distances) {
    __shared__ int d[32][33];
    int x = threadIdx.x, y = threadIdx.y;
    int* own = distances + blockIdx.x * 1024;
    for (int j = y; j < 32; j += 8) d[j][x] = own[j * 32 + x];
    __syncthreads();
    for (int k = 0; k < 32; ++k) {
        for (int j = y; j < 32; j += 8) {
            int through = d[j][k] + d[k][x];
            if (j != k && x != k) d[j][x] = min(d[j][x], through);
        }
        __syncthreads();
    }
    for (int j = y; j < 32; j += 8) own[j * 32 + x] = d[j][x];
}

// To which of some centres each point is nearest, and the sums of the points of each.
extern "C" __global__ void nearest(
    const int2* points, const int2* centres, int* owners, int* sums, int n, int k
) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    long long best = 0x7fffffffffffffffll;
    int owner = 0;
    for (int c = 0; c < k; ++c) {
        long long dx = points[i].x - centres[c].x, dy = points[i].y - centres[c].y;
        long long distance = dx * dx + dy * dy;
        if (distance < best) {
            best = distance;
            owner = c;
        }
    }
    owners[i] = owner;
    atomicAdd(&sums[3 * owner], points[i].x);
    atomicAdd(&sums[3 * owner + 1], points[i].y);
    atomicAdd(&sums[3 * owner + 2], 1);
}

// Primes below a bound: each thread strikes out the multiples of its numbers.
extern "C" __global__ void sieve(unsigned* composite, int words) {
    int limit = words * 32;
    for (int p = 3 + 2 * threadIdx.x; p * p < limit; p += 2 * blockDim.x)
        for (int multiple = p * p; multiple < limit; multiple += 2 * p)
            atomicOr(&composite[multiple >> 5], 1u << (multiple & 31));
}
