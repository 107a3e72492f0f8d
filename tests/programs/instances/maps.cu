template <int N>
__global__ void k(float *p) {
    p[threadIdx.x] = N;
}
template <typename T>
__global__ void t(T *p, T v) {
    p[threadIdx.x] = v;
}
#include <map>
int main() {
    float *p = 0;
    std::map<int, void (*)(float *)> m;
    m[3] = k<3>;
    m.emplace(4, &k<4>);
    m.insert({5, k<5>});
    m[3]<<<1, 1>>>(p);
}
