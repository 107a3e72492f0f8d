template <int N>
__global__ void k(float *p) {
    p[threadIdx.x] = N;
}
template <typename T>
__global__ void t(T *p, T v) {
    p[threadIdx.x] = v;
}
#include <type_traits>
template <typename T>
void go(T *p) {
    using A = typename std::conditional<(sizeof(T) > 4), double, float>::type;
    t<A><<<1, 1>>>((A *)p, A(0));
}
int main() {
    short *p = 0;
    long *q = 0;
    go(p);
    go(q);
}
