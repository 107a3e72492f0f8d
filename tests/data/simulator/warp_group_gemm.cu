// One block of 128 threads, a warp group, multiplies c[64, 64] = a[64, 64] b[64, 64]^T of halves.
// Rows of a and b have 64 halves, 128 bytes: they lie in shared memory one behind the other, with
// their pieces of 16 bytes swizzled by the row.
#include <cuda_fp16.h>

__device__ unsigned long long descriptor(const void* at) {
  unsigned long long start = (unsigned)__cvta_generic_to_shared(at);
  return (start & 0x3FFFF) >> 4   // start address
         | 1ull << 16             // leading offset: not used with a swizzle
         | (1024ull >> 4) << 32   // stride: 8 rows of 128 bytes
         | 1ull << 62;            // swizzle of 128 bytes
}

__device__ void load_swizzled(uint4* to, const half* from) {
  for (int i = threadIdx.x; i < 64 * 8; i += blockDim.x) {
    int row = i / 8, piece = i % 8;
    to[row * 8 + (piece ^ row % 8)] = reinterpret_cast<const uint4*>(from)[i];
  }
}

__device__ void multiply(float (&d)[32], unsigned long long a, unsigned long long b, int adds) {
  asm volatile(
      "{ .reg .pred p; setp.ne.b32 p, %34, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
      "%32, %33, p, 1, 1, 0, 0; }\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
        "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
        "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]),
        "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]),
        "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
      : "l"(a), "l"(b), "r"(adds));
}

extern "C" __global__ void gemm(const half* a, const half* b, float* c) {
  __shared__ alignas(1024) uint4 left[64 * 8], right[64 * 8];
  load_swizzled(left, a);
  load_swizzled(right, b);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();

  float d[32];
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  for (int k = 0; k < 4; k++)  // 16 halves on are 2 pieces
    multiply(d, descriptor(left) + 2 * k, descriptor(right) + 2 * k, k > 0);
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");

  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int i = 0; i < 32; i++) {
    int row = 16 * warp + lane / 4 + i / 2 % 2 * 8, column = i / 4 * 8 + lane % 4 * 2 + i % 2;
    c[row * 64 + column] = d[i];
  }
}
