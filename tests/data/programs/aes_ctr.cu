/* AES-128 in counter mode. The S-box is computed, not typed in. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef uint8_t u8;

/* multiplication in GF(2^8), on both sides */
__host__ __device__ static inline u8 xtime(u8 x) { return (u8)((x << 1) ^ ((x >> 7) * 0x1b)); }

__constant__ u8 d_sbox[256];
__constant__ u8 d_round_keys[176];

static u8 sbox[256];

static u8 rotl8(u8 x, int shift) { return (u8)((x << shift) | (x >> (8 - shift))); }

static void initialize_sbox(void)
{
    u8 p = 1, q = 1;
    do {
        p = p ^ xtime(p);                       /* times 3 */
        q ^= q << 1; q ^= q << 2; q ^= q << 4;  /* over 3 */
        if (q & 0x80) q ^= 0x09;
        sbox[p] = q ^ rotl8(q, 1) ^ rotl8(q, 2) ^ rotl8(q, 3) ^ rotl8(q, 4) ^ 0x63;
    } while (p != 1);
    sbox[0] = 0x63;
}

static void expand_key(const u8 *key, u8 *w)
{
    u8 rcon = 1;
    memcpy(w, key, 16);
    for (int i = 16; i < 176; i += 4) {
        u8 t[4] = { w[i - 4], w[i - 3], w[i - 2], w[i - 1] };
        if (i % 16 == 0) {
            u8 first = t[0];
            t[0] = sbox[t[1]] ^ rcon; t[1] = sbox[t[2]]; t[2] = sbox[t[3]]; t[3] = sbox[first];
            rcon = xtime(rcon);
        }
        for (int k = 0; k < 4; k++)
            w[i + k] = w[i + k - 16] ^ t[k];
    }
}

__device__ void add_round_key(u8 *s, int round)
{
#pragma unroll
    for (int i = 0; i < 16; i++) s[i] ^= d_round_keys[16 * round + i];
}

__device__ void sub_and_shift(u8 *s)
{
    u8 t[16];
#pragma unroll
    for (int i = 0; i < 16; i++) t[i] = d_sbox[s[(i + (i % 4) * 4) % 16]];
#pragma unroll
    for (int i = 0; i < 16; i++) s[i] = t[i];
}

__device__ void mix_columns(u8 *s)
{
#pragma unroll
    for (int c = 0; c < 16; c += 4) {
        u8 a = s[c], all = s[c] ^ s[c + 1] ^ s[c + 2] ^ s[c + 3];
        s[c] ^= all ^ xtime(s[c] ^ s[c + 1]);
        s[c + 1] ^= all ^ xtime(s[c + 1] ^ s[c + 2]);
        s[c + 2] ^= all ^ xtime(s[c + 2] ^ s[c + 3]);
        s[c + 3] ^= all ^ xtime(s[c + 3] ^ a);
    }
}

__global__ void aes_ctr(const uint4 *in, uint4 *out, size_t blocks, uint64_t nonce)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= blocks) return;
    u8 s[16];
    for (int k = 0; k < 8; k++) {
        s[k] = (u8)(nonce >> (56 - 8 * k));
        s[8 + k] = (u8)((uint64_t)i >> (56 - 8 * k));
    }
    add_round_key(s, 0);
    for (int round = 1; round < 10; round++) {
        sub_and_shift(s);
        mix_columns(s);
        add_round_key(s, round);
    }
    sub_and_shift(s);
    add_round_key(s, 10);
    uint4 v = in[i];
    uint4 pad = *(uint4 *)memcpy(&pad, s, 16);
    out[i] = make_uint4(v.x ^ pad.x, v.y ^ pad.y, v.z ^ pad.z, v.w ^ pad.w);
}

int main(void)
{
    const u8 key[16] = { 0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c };
    const size_t blocks = 1 << 16;
    u8 round_keys[176];
    uint4 *a, *b;
    initialize_sbox();
    expand_key(key, round_keys);
    cudaMemcpyToSymbol(d_sbox, sbox, sizeof sbox);
    cudaMemcpyToSymbol(d_round_keys, round_keys, sizeof round_keys);
    cudaMallocManaged((void **)&a, blocks * 16);
    cudaMallocManaged((void **)&b, blocks * 16);
    for (size_t i = 0; i < blocks; i++) a[i] = make_uint4(i, 2 * i, 3 * i, 4 * i);
    aes_ctr<<<(blocks + 255) / 256, 256>>>(a, b, blocks, 0x0123456789abcdefULL);
    aes_ctr<<<(blocks + 255) / 256, 256>>>(b, b, blocks, 0x0123456789abcdefULL);
    cudaDeviceSynchronize();
    puts(memcmp(a, b, blocks * 16) ? "round trip failed" : "round trip ok");
    return 0;
}
