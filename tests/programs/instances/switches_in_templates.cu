template <int N>
__global__ void k(float *p) {
    p[threadIdx.x] = N;
}
template <typename T>
__global__ void t(T *p, T v) {
    p[threadIdx.x] = v;
}
template <typename T, int N>
__global__ void tn(T *p) {
    p[0] = N;
}
template <typename T>
void sized(T *p, int n) {
    switch (n) {
    case 32: {
        constexpr int kBlock = 32;
        tn<T, kBlock><<<1, kBlock>>>(p);
        break;
    }
    case 64: {
        constexpr int kBlock = 64;
        tn<T, kBlock><<<1, kBlock>>>(p);
        break;
    }
    }
}
#define DISPATCH(type, NAME, ...)                                                                  \
    switch (type) {                                                                                \
    case 0: {                                                                                      \
        using NAME = float;                                                                        \
        __VA_ARGS__();                                                                             \
        break;                                                                                     \
    }                                                                                              \
    default: {                                                                                     \
        using NAME = int;                                                                          \
        __VA_ARGS__();                                                                             \
    }                                                                                              \
    }
int main(int c, char **) { DISPATCH(c, scalar_t, [&] { sized<scalar_t>(nullptr, c); }); }
