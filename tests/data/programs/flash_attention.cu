#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>
#include <cuda_runtime.h>

// Attention for one head without the N x N matrix: tiles of K and V go through shared memory.
__global__
void forward_kernel(const float* Q, const float* K, const float* V, const int N, const int d,
                    const int Tc, const int Bc, const float softmax_scale, float* l, float *m, float* O) {
    int tx = threadIdx.x;
    int bx = blockIdx.x; int by = blockIdx.y;  // batch and head index

    int qkv_offset = (bx * gridDim.y * N * d) + (by * N * d);
    int lm_offset = (bx * gridDim.y * N) + (by * N);

    // Define SRAM for Q,K,V,S
    extern __shared__ float sram[];
    int tile_size = Bc * d;  // size of Qi, Kj, Vj
    float* Qi = sram;
    float* Kj = &sram[tile_size];
    float* Vj = &sram[tile_size * 2];
    float* S = &sram[tile_size * 3];

    for (int j = 0; j < Tc; j++) {
        for (int x = 0; x < d; x++) {
            Kj[(tx * d) + x] = K[qkv_offset + (tile_size * j) + (tx * d) + x];
            Vj[(tx * d) + x] = V[qkv_offset + (tile_size * j) + (tx * d) + x];
        }
        __syncthreads();

        for (int i = 0; i < Tc; i++) {
            for (int x = 0; x < d; x++)
                Qi[(tx * d) + x] = Q[qkv_offset + (tile_size * i) + (tx * d) + x];
            float row_m_prev = m[lm_offset + (Bc * i) + tx];
            float row_l_prev = l[lm_offset + (Bc * i) + tx];

            // S = QK^T, row_m = rowmax(S)
            float row_m = -INFINITY;
            for (int y = 0; y < Bc; y++) {
                float sum = 0;
                for (int x = 0; x < d; x++)
                    sum += Qi[(tx * d) + x] * Kj[(y * d) + x];
                sum *= softmax_scale;
                S[(Bc * tx) + y] = sum;
                if (sum > row_m) row_m = sum;
            }

            // P = exp(S - row_m), row_l = rowsum(P)
            float row_l = 0;
            for (int y = 0; y < Bc; y++) {
                S[(Bc * tx) + y] = __expf(S[(Bc * tx) + y] - row_m);
                row_l += S[(Bc * tx) + y];
            }

            float row_m_new = max(row_m_prev, row_m);
            float row_l_new = (__expf(row_m_prev - row_m_new) * row_l_prev) + (__expf(row_m - row_m_new) * row_l);
            for (int x = 0; x < d; x++) {
                float pv = 0;  // Pij * Vj
                for (int y = 0; y < Bc; y++)
                    pv += S[(Bc * tx) + y] * Vj[(y * d) + x];
                float *o = &O[qkv_offset + (tile_size * i) + (tx * d) + x];
                *o = (1 / row_l_new) * ((row_l_prev * __expf(row_m_prev - row_m_new) * *o)
                                        + (__expf(row_m - row_m_new) * pv));
            }
            m[lm_offset + (Bc * i) + tx] = row_m_new;
            l[lm_offset + (Bc * i) + tx] = row_l_new;
        }
        __syncthreads();  // otherwise, thread can use the wrong Kj, Vj in inner loop
    }
}

struct CudaDeleter {
    void operator()(float* p) const { cudaFree(p); }
};
using device_ptr = std::unique_ptr<float[], CudaDeleter>;

device_ptr make_device(const std::vector<float>& host)
{
    float* p = nullptr;
    if (cudaMalloc(&p, host.size() * sizeof(float)) != cudaSuccess) std::abort();
    cudaMemcpy(p, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice);
    return device_ptr(p);
}

int main() {
    const int B = 4, nh = 8, N = 256, d = 64, Bc = 32, Tc = N / Bc;
    std::vector<float> q(B * nh * N * d), o(q.size(), 0.f), l(B * nh * N, 0.f), m(l.size(), -INFINITY);
    for (auto& v : q) v = rand() / (float)RAND_MAX - 0.5f;
    auto dq = make_device(q), dk = make_device(q), dv = make_device(q), dO = make_device(o);
    auto dl = make_device(l), dm = make_device(m);

    const int sram_size = (3 * Bc * d + Bc * Bc) * sizeof(float);
    int max_sram_size;
    cudaDeviceGetAttribute(&max_sram_size, cudaDevAttrMaxSharedMemoryPerBlock, 0);
    printf("Max shared memory: %d, requested shared memory: %d \n", max_sram_size, sram_size);

    dim3 grid_dim(B, nh);  // batch_size x num_heads
    dim3 block_dim(Bc);    // Bc threads per block
    forward_kernel<<<grid_dim, block_dim, sram_size>>>(dq.get(), dk.get(), dv.get(), N, d, Tc, Bc,
                                                       1.0f / sqrtf(d), dl.get(), dm.get(), dO.get());
    cudaMemcpy(o.data(), dO.get(), o.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("O[0] = %f (%s)\n", o[0], cudaGetErrorString(cudaGetLastError()));
    return 0;
}
