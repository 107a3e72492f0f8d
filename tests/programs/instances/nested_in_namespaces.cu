template <int N>
__global__ void k(float *p) {
    p[threadIdx.x] = N;
}
template <typename T>
__global__ void t(T *p, T v) {
    p[threadIdx.x] = v;
}
namespace lib {
namespace detail {
template <typename T, int N>
struct Impl {
    struct Runner {
        static void run(T *p) {
            t<T><<<N, 1>>>(p, T(0));
            k<N><<<1, 1>>>(nullptr);
        }
    };
    template <typename U>
    struct Other {
        static void run(U *u) { t<U><<<1, 1>>>(u, U(0)); }
    };
};
}  // namespace detail
template <typename T>
void run(T *p) {
    detail::Impl<T, 5>::Runner::run(p);
    detail::Impl<T, 5>::template Other<unsigned>::run(nullptr);
}
}  // namespace lib
using lib::detail::Impl;
int main() {
    lib::run((float *)nullptr);
    Impl<double, 7>::Runner::run(nullptr);
}
