template <int N>
__global__ void k(float *p) {
    p[threadIdx.x] = N;
}
template <typename T>
__global__ void t(T *p, T v) {
    p[threadIdx.x] = v;
}
#include <tuple>
#include <vector>
int main() {
    float *p = 0;
    std::vector<decltype(&k<1>)> v{&k<1>, &k<2>};
    for (auto f : v)
        f<<<1, 1>>>(p);
    auto u = std::make_tuple(k<3>, k<4>);
    std::get<0>(u)<<<1, 1>>>(p);
}
