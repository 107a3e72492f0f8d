template <int N>
__global__ void k(float *p) {
    p[threadIdx.x] = N;
}
template <typename T>
__global__ void t(T *p, T v) {
    p[threadIdx.x] = v;
}
#include <utility>
template <std::size_t... I>
void all(float *p, std::index_sequence<I...>) {
    (k<int(I) * 2><<<1, 1>>>(p), ...);
}
template <int... N>
void each(float *p) {
    int x[] = {(k<N><<<1, 1>>>(p), 0)...};
    (void)x;
}
int main() {
    float *p = 0;
    all(p, std::make_index_sequence<3>{});
    each<7, 9>(p);
}
