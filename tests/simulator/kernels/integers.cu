// Whole numbers of all widths, and their bits.

extern "C" __global__ void divide(
    const int* a, const int* b, int* quotients, unsigned* others, long long* wide, int n
) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = a[i], y = b[i];
    quotients[2 * i] = x / y;
    quotients[2 * i + 1] = x % y;
    others[3 * i] = (unsigned)x / (unsigned)y;
    others[3 * i + 1] = (unsigned)x % 10u;
    others[3 * i + 2] = x / 7 + x % 1000;
    long long u = (long long)x * 0x123456789ll + y, v = (long long)y * 77777;
    wide[4 * i] = u / v;
    wide[4 * i + 1] = u % v;
    wide[4 * i + 2] = (unsigned long long)u / (unsigned long long)v;
    wide[4 * i + 3] = u / y + (unsigned long long)u % 1000003ull;
}

extern "C" __global__ void bits(const unsigned* x, const unsigned* y, unsigned* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned a = x[i], b = y[i];
    unsigned* own = out + i * 24;
    own[0] = __popc(a);
    own[1] = __clz(a & b);
    own[2] = __ffs(a);
    own[3] = __brev(a);
    own[4] = __byte_perm(a, b, b & 0x7777);
    own[5] = __funnelshift_l(a, b, b & 63);
    own[6] = __funnelshift_r(a, b, b & 63);
    own[7] = __funnelshift_lc(a, b, b & 63);
    own[8] = __funnelshift_rc(a, b, b & 63);
    own[9] = __sad(a, b, 17u);
    own[10] = __umulhi(a, b);
    own[11] = __mulhi((int)a, (int)b);
    own[12] = __umul24(a, b);
    own[13] = __mul24((int)a, (int)b);
    own[14] = __uhadd(a, b) ^ __urhadd(a, b);
    own[15] = __dp4a(a, b, 5u) ^ __dp4a((int)a, (int)b, -5);
    own[16] = __dp2a_lo(a, b, 5u) ^ __dp2a_hi((int)a, (int)b, -5);
    asm("bfe.s32 %0, %1, %2, %3;" : "=r"(own[17]) : "r"(a), "r"(b & 31), "r"(b >> 5 & 31));
    asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(own[18]) : "r"(a), "r"(b), "r"(b & 31), "r"(a & 31));
    asm("bfind.shiftamt.u32 %0, %1;" : "=r"(own[19]) : "r"(a & b));
    asm("bfind.s32 %0, %1;" : "=r"(own[20]) : "r"(a));
    asm("fns.b32 %0, %1, %2, %3;" : "=r"(own[21]) : "r"(a), "r"(b & 31), "r"((int)(b >> 5 & 3) + 1));
    asm("lop3.b32 %0, %1, %2, %3, 0xca;" : "=r"(own[22]) : "r"(a), "r"(b), "r"(a ^ i));
    own[23] = (a << (b & 63)) ^ (b >> (a & 63)) ^ (unsigned)((int)a >> (b & 63));
}

// 128-bit sums and products by carries.
extern "C" __global__ void wide_numbers(const unsigned long long* x, unsigned long long* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long a = x[2 * i], b = x[2 * i + 1];
    unsigned long long* own = out + 8 * i;
    own[0] = __umul64hi(a, b);
    own[1] = __mul64hi((long long)a, (long long)b);
    unsigned __int128 p = (unsigned __int128)a * b, s = p + a;
    s = s << (b & 63) | s >> 100;
    own[2] = (unsigned long long)s;
    own[3] = (unsigned long long)(s >> 64);
    own[4] = __popcll(a) + __clzll(b) * 100 + __ffsll(a & b) * 10000;
    own[5] = __brevll(a) ^ b >> (a & 63) ^ a << (b & 63);
    unsigned l, h;
    asm("{ add.cc.u32 %0, %2, %4; addc.cc.u32 %1, %3, %5; subc.u32 %1, %1, %2; }"
        : "=&r"(l), "=&r"(h)
        : "r"((unsigned)a), "r"((unsigned)(a >> 32)), "r"((unsigned)b), "r"((unsigned)(b >> 32)));
    own[6] = (unsigned long long)h << 32 | l;
    asm("{ mad.lo.cc.u32 %0, %2, %3, %4; madc.hi.u32 %1, %2, %3, %5; }" : "=&r"(l), "=&r"(h)
        : "r"((unsigned)a), "r"((unsigned)b), "r"((unsigned)(a >> 32)), "r"((unsigned)(b >> 32)));
    own[7] = (unsigned long long)h << 32 | l;
}

// Four rounds of lanes: bytes and halves in a word.
extern "C" __global__ void packed_bytes(const uchar4* x, const short2* y, uchar4* sums,
                                        short2* others, signed char* narrow) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uchar4 u = x[i];
    short2 v = y[i];
    u.x += v.x;
    u.y = u.y > 100 ? u.y - 100 : u.w;
    u.z = (unsigned char)(u.z * 3 + u.x);
    u.w ^= v.y;
    sums[i] = u;
    v.x = (short)(v.x * v.y);
    v.y = (short)max((int)v.y, -1000) >> 3;
    others[i] = v;
    narrow[i] = (signed char)(v.x / (short)(u.w + 1));
}

// Counter-based random numbers.
__device__ uint4 philox(uint4 counter, uint2 key) {
    for (int round = 0; round < 10; ++round) {
        unsigned h0 = __umulhi(0xD2511F53u, counter.x), l0 = 0xD2511F53u * counter.x;
        unsigned h1 = __umulhi(0xCD9E8D57u, counter.z), l1 = 0xCD9E8D57u * counter.z;
        counter = make_uint4(h1 ^ counter.y ^ key.x, l1, h0 ^ counter.w ^ key.y, l0);
        key.x += 0x9E3779B9u;
        key.y += 0xBB67AE85u;
    }
    return counter;
}

extern "C" __global__ void random_numbers(uint4* out, float* uniform, unsigned long long seed) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 made = philox(make_uint4(i, 0, 0, 0), make_uint2((unsigned)seed, (unsigned)(seed >> 32)));
    out[i] = made;
    uniform[i] = made.x * 2.3283064e-10f + 1.1641532e-10f;
}

// Checksums of rows, by a table in constant memory that is filled as it is compiled.
struct Table {
    unsigned words[256];
    constexpr Table() : words() {
        for (unsigned i = 0; i < 256; ++i) {
            unsigned c = i;
            for (int bit = 0; bit < 8; ++bit) c = c & 1 ? c >> 1 ^ 0xEDB88320u : c >> 1;
            words[i] = c;
        }
    }
};
__constant__ Table table;

extern "C" __global__ void checksums(const unsigned char* data, unsigned* sums, int width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned c = ~0u;
    for (int k = 0; k < width; ++k) c = table.words[(c ^ data[i * width + k]) & 255] ^ c >> 8;
    sums[i] = ~c;
}

// Whether a number is prime, by powers modulo it.
__device__ unsigned long long power(unsigned long long base, unsigned e, unsigned m) {
    unsigned long long made = 1;
    for (base %= m; e; e >>= 1, base = base * base % m)
        if (e & 1) made = made * base % m;
    return made;
}

extern "C" __global__ void primes(const unsigned* x, unsigned char* is_prime, int* divisors) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned n = x[i] | 1, odd = n - 1;
    int twos = __ffs(odd) - 1;
    odd >>= twos;
    bool passes = n > 3;
    const unsigned witnesses[] = {2, 7, 61};
    for (unsigned w : witnesses) {
        if (!passes || w % n == 0) continue;
        unsigned long long p = power(w, odd, n);
        bool found = p == 1 || p == n - 1;
        for (int k = 1; k < twos && !found; ++k) found = (p = p * p % n) == n - 1;
        passes = found;
    }
    is_prime[i] = passes || n == 3;
    unsigned a = x[i], b = x[i ^ 1];
    while (b) {
        unsigned rest = a % b;
        a = b;
        b = rest;
    }
    divisors[i] = a;
}
