template <int N>
__global__ void k(float *p) {
    p[threadIdx.x] = N;
}
template <typename T>
__global__ void t(T *p, T v) {
    p[threadIdx.x] = v;
}
template <typename T, int N>
struct Op {
    static void launch(T *p) {
        t<T><<<1, 32>>>(p, T(1));
        k<N><<<1, 1>>>(nullptr);
    }
};
template <typename T>
using Op4 = Op<T, 4>;
namespace lib {
using DoubleOp = Op4<double>;
}
struct Holder {
    using type = Op<short, 6>;
    void go() { type::launch(nullptr); }
};
int main() {
    Op4<float>::launch(nullptr);
    lib::DoubleOp::launch(nullptr);
    using Local = Op<int, 8>;
    Local::launch(nullptr);
    Holder().go();
}
