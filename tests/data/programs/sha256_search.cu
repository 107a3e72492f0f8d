// Looks for a nonce whose SHA-256 begins with zero bits.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#define ROTR(x, n) (((x) >> (n)) | ((x) << (32 - (n))))
#define CH(x, y, z) (((x) & (y)) ^ (~(x) & (z)))
#define MAJ(x, y, z) (((x) & (y)) ^ ((x) & (z)) ^ ((y) & (z)))
#define EP0(x) (ROTR(x, 2) ^ ROTR(x, 13) ^ ROTR(x, 22))
#define EP1(x) (ROTR(x, 6) ^ ROTR(x, 11) ^ ROTR(x, 25))
#define SIG0(x) (ROTR(x, 7) ^ ROTR(x, 18) ^ ((x) >> 3))
#define SIG1(x) (ROTR(x, 17) ^ ROTR(x, 19) ^ ((x) >> 10))

__constant__ uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

typedef struct { unsigned char text[48]; int length; } Message;

__device__ uint32_t firstWord(const unsigned char *block)
{
    uint32_t w[64], s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                            0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    const uint32_t first = s[0];
    for (int i = 0, j = 0; i < 16; ++i, j += 4)
        w[i] = (block[j] << 24) | (block[j + 1] << 16) | (block[j + 2] << 8) | block[j + 3];
    for (int i = 16; i < 64; ++i) w[i] = SIG1(w[i - 2]) + w[i - 7] + SIG0(w[i - 15]) + w[i - 16];
    for (int i = 0; i < 64; ++i) {
        uint32_t t1 = s[7] + EP1(s[4]) + CH(s[4], s[5], s[6]) + K[i] + w[i];
        uint32_t t2 = EP0(s[0]) + MAJ(s[0], s[1], s[2]);
        s[7] = s[6]; s[6] = s[5]; s[5] = s[4]; s[4] = s[3] + t1;
        s[3] = s[2]; s[2] = s[1]; s[1] = s[0]; s[0] = t1 + t2;
    }
    return first + s[0];
}

__device__ volatile bool g_found = false;

__global__ void search(Message m, uint32_t start, uint32_t target, uint32_t *answer)
{
    if (g_found) return;
    uint32_t nonce = start + blockIdx.x * blockDim.x + threadIdx.x;
    unsigned char block[64];
    memset(block, 0, sizeof block);
    memcpy(block, m.text, m.length);
    int n = m.length;
    for (int shift = 28; shift >= 0; shift -= 4) block[n++] = "0123456789abcdef"[(nonce >> shift) & 15];
    block[n] = 0x80;
    block[62] = (n * 8) >> 8;
    block[63] = (n * 8) & 255;
    if (firstWord(block) < target && atomicExch((int *)&answer[1], 1) == 0) {
        answer[0] = nonce;
        g_found = true;
        printf("thread %u of block %u has it\n", threadIdx.x, blockIdx.x);
    }
}

int main(int argc, char **argv)
{
    std::string text = argc > 1 ? argv[1] : "hello world ";
    if (text.size() > 47) { fprintf(stderr, "at most 47 characters\n"); return 2; }
    const int zeros = argc > 2 ? atoi(argv[2]) : 24;
    Message m;
    m.length = (int)text.size();
    memcpy(m.text, text.data(), text.size());
    uint32_t *answer;
    cudaMallocManaged(&answer, 2 * sizeof(uint32_t));
    answer[1] = 0;
    for (uint64_t start = 0; start < (1ull << 32) && !answer[1]; start += 1 << 22) {
        search<<<1 << 14, 256>>>(m, (uint32_t)start, 1u << (32 - zeros), answer);
        cudaDeviceSynchronize();
    }
    if (answer[1]) printf("sha256(\"%s%08x\")\n", text.c_str(), answer[0]);
    return !answer[1];
}
