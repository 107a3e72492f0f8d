// Calls, pointers to functions, recursion, locks, constants, printing.

// ---- recursion

__device__ __noinline__ unsigned ackermann(unsigned m, unsigned n) {
    if (m == 0) return n + 1;
    if (n == 0) return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

__device__ __noinline__ int queens(int n, int row, unsigned columns, unsigned left, unsigned right) {
    if (row == n) return 1;
    int found = 0;
    unsigned free = ~(columns | left | right) & ((1u << n) - 1);
    while (free) {
        unsigned bit = free & -free;
        free -= bit;
        found += queens(n, row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return found;
}

extern "C" __global__ void recursion(unsigned* ackermanns, int* solutions) {
    int i = threadIdx.x;
    ackermanns[i] = ackermann(i % 3, i / 3);
    solutions[i] = queens(i % 7, 0, 0, 0, 0);
}

// ---- functions by their addresses

typedef int (*Operation)(int, int);

__device__ __noinline__ int plus(int a, int b) { return a + b; }
__device__ __noinline__ int times(int a, int b) { return a * b; }
__device__ __noinline__ int shifted(int a, int b) { return a << (b & 31); }
__device__ __noinline__ int larger(int a, int b) { return a > b ? a : b; }
__device__ Operation operations[4] = {plus, times, shifted, larger};

extern "C" __global__ void call_table(const int* which, const int* x, int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int made = operations[which[i] & 3](x[i], i);
    Operation chosen = which[i] & 4 ? operations[(which[i] + 1) & 3] : plus;
    out[i] = chosen(made, 3);
}

// ---- objects with virtual functions, made on the device

struct Shape {
    float size;
    __device__ Shape(float s) : size(s) {}
    __device__ virtual float area() const = 0;
    __device__ virtual int corners() const { return 0; }
};
struct Square : Shape {
    __device__ Square(float s) : Shape(s) {}
    __device__ float area() const override { return size * size; }
    __device__ int corners() const override { return 4; }
};
struct Circle : Shape {
    __device__ Circle(float s) : Shape(s) {}
    __device__ float area() const override { return 3.14159265f * size * size; }
};
struct Triangle : Shape {
    __device__ Triangle(float s) : Shape(s) {}
    __device__ float area() const override { return 0.4330127f * size * size; }
    __device__ int corners() const override { return 3; }
};

extern "C" __global__ void shapes(const float* sizes, float* areas, int* corners) {
    int i = threadIdx.x;
    Square square(sizes[i]);
    Circle circle(sizes[i]);
    Triangle triangle(sizes[i]);
    Shape* all[3] = {&square, &circle, &triangle};
    const Shape* own = all[(i * 7) % 3];
    areas[i] = own->area();
    corners[i] = own->corners();
}

// ---- templates

template <typename T, int N> struct Vector {
    T parts[N];
    template <typename F> __device__ Vector map(F f) const {
        Vector made;
        for (int i = 0; i < N; ++i) made.parts[i] = f(parts[i], i);
        return made;
    }
};
template <typename T> __device__ T sum_of(T last) { return last; }
template <typename T, typename... More> __device__ T sum_of(T first, More... more) {
    return first * 2 + sum_of<T>(more...);
}

template <typename T, int N> __global__ void templates(const T* in, T* out, Vector<T, N> weights) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Vector<T, N> own;
    for (int k = 0; k < N; ++k) own.parts[k] = in[i * N + k];
    T factor = in[i];
    own = own.map([=](T v, int k) { return v * weights.parts[k] + factor; });
    out[i] = sum_of<T>(own.parts[0], own.parts[1], own.parts[N - 1]);
}
template __global__ void templates<int, 5>(const int*, int*, Vector<int, 5>);
template __global__ void templates<short, 3>(const short*, short*, Vector<short, 3>);

// ---- locks: what is counted has no atomics of its own

__device__ int lock_word;

extern "C" __global__ void spin_lock(volatile int* counter, int* order, int* locks) {
    for (int turn = 0; turn < 2; ++turn) {
        bool done = false;
        while (!done) {
            if (atomicCAS(&lock_word, 0, 1) == 0) {
                __threadfence();
                *counter = *counter + 1 + threadIdx.x;
                __threadfence();
                atomicExch(&lock_word, 0);
                done = true;
            }
        }
    }
    atomicAdd(order, 1);
    if (threadIdx.x == 0) atomicAdd(&locks[blockIdx.x], 1);
}

// A lock that is taken in the order of tickets; of one thread in each block, as lanes of a warp
// would wait for those that wait for them.
extern "C" __global__ void ticket_lock(unsigned* next, volatile unsigned* serving, int* sum) {
    unsigned own = atomicAdd(next, 1u);
    while (*serving != own) __nanosleep(20);
    __threadfence();
    *(volatile int*)sum = *(volatile int*)sum * 3 + 1;
    __threadfence();
    *serving = own + 1;
}

// ---- variables of the module

struct Entry { short key; double value; const char* name; };
__constant__ int primes_[8] = {2, 3, 5, 7, 11, 13, 17, 19};
__device__ const char words[] = "constant text";
__device__ Entry entries[3] = {{1, 1.5, "one"}, {2, 2.5, words + 3}, {-3, 1e300, "three"}};
__device__ int* middle = nullptr;
__device__ unsigned long long state[2] = {0x0123456789abcdefull, 42};

extern "C" __global__ void module_variables(int* out, double* values, char* text) {
    int i = threadIdx.x;
    const Entry& e = entries[i % 3];
    out[i] = primes_[i & 7] * 1000 + e.key + e.name[i % 3];
    values[i] = e.value * (middle == nullptr ? 2 : 3);
    text[i] = words[i % sizeof words];
    __syncthreads();
    if (i < 2) state[i] += i + 1;
    __syncthreads();
    if (i == 31) out[i] = (int)(state[0] >> 32) ^ (int)state[1];
}

extern "C" __global__ void print(const int* x, const double* y) {
    int i = threadIdx.x;
    if (i == 3) printf("thread %d of block %u: x = %5d, y = %.3f, %s|%c|%lld|%#x%%\n", i, blockIdx.x,
                       x[i], y[i], "text", 'c', (long long)x[i] << 40, (unsigned)x[i]);
    assert(x[i] >= 0);
}

// Arrays of several types in one dynamic allocation; vectors of all widths.
extern "C" __global__ void dynamic_shared(const double2* in, short* out, int n) {
    extern __shared__ __align__(16) char bytes[];
    double2* pairs = (double2*)bytes;
    int* ints = (int*)(pairs + n);
    short4* shorts = (short4*)(ints + n);
    int i = threadIdx.x;
    pairs[i] = in[i];
    ints[i] = (int)in[i].x;
    __syncthreads();
    double2 other = pairs[n - 1 - i];
    shorts[i] = make_short4((short)other.y, (short)ints[(i + 1) % n], (short)i, -1);
    __syncthreads();
    short4 v = shorts[i ^ 1];
    *(short4*)(out + i * 4) = v;
}
