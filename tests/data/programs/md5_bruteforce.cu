#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cstdint>
#include <chrono>
#include <iostream>
#include <iomanip>
#include <sstream>

#define CONST_WORD_LIMIT 10
#define CONST_CHARSET "abcdefghijklmnopqrstuvwxyz0123456789"
#define CONST_CHARSET_LENGTH (sizeof(CONST_CHARSET) - 1)
#define TOTAL_BLOCKS 16384UL
#define TOTAL_THREADS 512UL
#define HASHES_PER_KERNEL 128UL

#define ERROR_CHECK(X) { gpuAssert((X), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char* file, int line, bool abort = true) {
  if (code != cudaSuccess) {
    std::cout << "Error: " << cudaGetErrorString(code) << " " << file << " " << line << std::endl;
    if (abort) exit(code);
  }
}

/* F, G and I are basic MD5 functions. */
#define F(x, y, z) (((x) & (y)) | ((~x) & (z)))
#define G(x, y, z) (((x) & (z)) | ((y) & (~z)))
#define H(x, y, z) ((x) ^ (y) ^ (z))
#define I(x, y, z) ((y) ^ ((x) | (~z)))
#define ROTATE_LEFT(x, n) (((x) << (n)) | ((x) >> (32 - (n))))

__constant__ uint32_t c_K[64];
__constant__ unsigned char c_R[16] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};

__host__ __device__ inline void advance(uint64_t index, int length, char *word) {
  for (int i = 0; i < length; i++, index /= CONST_CHARSET_LENGTH)
    word[i] = CONST_CHARSET[index % CONST_CHARSET_LENGTH];
}

__device__ void md5Hash(const char* data, uint32_t length, uint32_t *out) {
  uint32_t x[16] = {0};
  for (uint32_t i = 0; i < length; i++) x[i / 4] |= (uint32_t)(unsigned char)data[i] << (8 * (i % 4));
  x[length / 4] |= 0x80u << (8 * (length % 4));
  x[14] = length * 8;
  uint32_t a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
  for (int i = 0; i < 64; i++) {
    uint32_t f, g;
    switch (i / 16) {
      case 0: f = F(b, c, d); g = i; break;
      case 1: f = G(b, c, d); g = (5 * i + 1) % 16; break;
      case 2: f = H(b, c, d); g = (3 * i + 5) % 16; break;
      default: f = I(b, c, d); g = (7 * i) % 16;
    }
    uint32_t t = d;
    d = c; c = b;
    b = b + ROTATE_LEFT(a + f + c_K[i] + x[g], c_R[i / 16 * 4 + i % 4]);
    a = t;
  }
  out[0] = a + 0x67452301; out[1] = b + 0xefcdab89; out[2] = c + 0x98badcfe; out[3] = d + 0x10325476;
}

__global__ void md5Crack(uint64_t start, int wordLength, uint4 target, char *found) {
  uint64_t idx = start + ((uint64_t)blockIdx.x * blockDim.x + threadIdx.x) * HASHES_PER_KERNEL;
  char word[CONST_WORD_LIMIT];
  uint32_t hash[4];
  for (uint64_t k = 0; k < HASHES_PER_KERNEL; k++) {
    advance(idx + k, wordLength, word);
    md5Hash(word, wordLength, hash);
    if (hash[0] == target.x && hash[1] == target.y && hash[2] == target.z && hash[3] == target.w)
      for (int i = 0; i < wordLength; i++) found[i] = word[i];
  }
}

int main(int argc, char* argv[]) {
  if (argc != 2 || strlen(argv[1]) != 32) {
    std::cout << argv[0] << " <md5_hash>" << std::endl;
    return -1;
  }
  uint32_t sums[4], k[64];
  for (int i = 0; i < 4; i++) {
    unsigned int v = 0;
    std::istringstream(std::string(argv[1] + i * 8, 8)) >> std::hex >> v;
    sums[i] = __builtin_bswap32(v);
  }
  for (int i = 0; i < 64; i++) k[i] = (uint32_t)(4294967296.0 * __builtin_fabs(__builtin_sin(i + 1.0)));
  ERROR_CHECK(cudaMemcpyToSymbol(c_K, k, sizeof k));

  char *found;
  ERROR_CHECK(cudaMallocManaged(&found, CONST_WORD_LIMIT));
  memset(found, 0, CONST_WORD_LIMIT);
  auto begin = std::chrono::steady_clock::now();
  for (int length = 1; length <= 6 && !found[0]; length++) {
    uint64_t words = 1;
    for (int i = 0; i < length; i++) words *= CONST_CHARSET_LENGTH;
    for (uint64_t start = 0; start < words && !found[0]; start += TOTAL_BLOCKS * TOTAL_THREADS * HASHES_PER_KERNEL) {
      md5Crack<<<TOTAL_BLOCKS, TOTAL_THREADS>>>(start, length, make_uint4(sums[0], sums[1], sums[2], sums[3]), found);
      ERROR_CHECK(cudaGetLastError());
      ERROR_CHECK(cudaDeviceSynchronize());
    }
  }
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::cout << (found[0] ? found : "nothing found") << " after " << std::setprecision(3) << took.count() << " s" << std::endl;
}
