// nvcc: -std=c++20
#include <concepts>
#include <span>
#include <type_traits>
template <int N>
__global__ void k(float *p) {
    p[threadIdx.x] = N;
}
template <typename T>
concept Small = sizeof(T) <= 4 && (std::is_integral_v<T> || std::same_as<T, float>);
template <typename T>
    requires std::is_floating_point<T>::value
__global__ void f(T *p) {
    p[0] = 1;
}
template <Small T>
__global__ void t(T *p, T v) {
    p[threadIdx.x] = v;
}
template <Small T>
void fill(std::span<T> data, T v) {
    t<<<1, 32>>>(data.data(), v);
}
template <std::signed_integral T>
struct Range {
    T *p;
    void go() { t<T><<<1, 1>>>(p, T(0)); }
};
void each(std::floating_point auto *p) { f<<<1, 1>>>(p); }
int main() {
    unsigned short *u = nullptr;
    unsigned int *w = nullptr;
    fill(std::span{u, 4}, (unsigned short)1);
    fill(std::span<unsigned int>(w, 4), 3u);
    Range<int> range{nullptr};
    range.go();
    double *d = nullptr;
    f<double><<<1, 1>>>(d);
}
