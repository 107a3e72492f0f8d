template <int N>
__global__ void k(float *p) {
    p[threadIdx.x] = N;
}
template <typename T>
__global__ void t(T *p, T v) {
    p[threadIdx.x] = v;
}
#define DISPATCH(n, ...)                                                                           \
    [&] {                                                                                          \
        switch (n) {                                                                               \
        case 1: {                                                                                  \
            constexpr int N = 1;                                                                   \
            return __VA_ARGS__();                                                                  \
        }                                                                                          \
        case 2: {                                                                                  \
            constexpr int N = 2;                                                                   \
            return __VA_ARGS__();                                                                  \
        }                                                                                          \
        }                                                                                          \
    }()
#define BOOL_SWITCH(c, NAME, ...)                                                                  \
    [&] {                                                                                          \
        if (c) {                                                                                   \
            constexpr static bool NAME = true;                                                     \
            return __VA_ARGS__();                                                                  \
        } else {                                                                                   \
            constexpr static bool NAME = false;                                                    \
            return __VA_ARGS__();                                                                  \
        }                                                                                          \
    }()
template <int N, bool B>
__global__ void nb(float *p) {
    p[0] = N + B;
}
void go(float *p, int n, bool b) {
    DISPATCH(n, [&] { BOOL_SWITCH(b, kB, [&] { nb<N, kB><<<1, 1>>>(p); }); });
}
int main() { go(nullptr, 1, true); }
