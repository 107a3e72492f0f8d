template <int N>
__global__ void k(float *p) {
    p[threadIdx.x] = N;
}
template <typename T>
__global__ void t(T *p, T v) {
    p[threadIdx.x] = v;
}
#include <utility>
template <typename... T>
void types(T *...p) {
    (t<T><<<1, 1>>>(p, T(0)), ...);
}
template <int... N>
struct Sizes {
    static void go() { (void)std::initializer_list<int>{(k<N + 1><<<1, 1>>>(nullptr), 0)...}; }
};
template <int Base, int... I>
void from(std::integer_sequence<int, I...>) {
    (k<Base + I><<<1, 1>>>(nullptr), ...);
}
int main() {
    types((float *)nullptr, (int *)nullptr);
    Sizes<1, 3>::go();
    from<20>(std::make_integer_sequence<int, 3>{});
}
