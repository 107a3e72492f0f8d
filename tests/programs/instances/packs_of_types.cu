template <int N>
__global__ void k(float *p) {
    p[threadIdx.x] = N;
}
template <typename T>
__global__ void t(T *p, T v) {
    p[threadIdx.x] = v;
}
template <class... T>
void every() {
    (t<T><<<1, 1>>>((T *)nullptr, T(0)), ...);
}
template <typename First, typename... Rest>
void peel() {
    t<First><<<1, 1>>>((First *)nullptr, First(0));
    if constexpr (sizeof...(Rest) > 0)
        peel<Rest...>();
}
int main() {
    every<int, float>();
    peel<short, double>();
}
