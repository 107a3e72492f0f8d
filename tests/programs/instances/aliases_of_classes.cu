template <int N>
__global__ void k(float *p) {
    p[threadIdx.x] = N;
}
template <typename T>
__global__ void t(T *p, T v) {
    p[threadIdx.x] = v;
}
template <typename T>
struct Op {
    static void launch(T *p) { t<T><<<1, 32>>>(p, T(1)); }
};
using FloatOp = Op<float>;
typedef Op<double> DoubleOp;
int main() {
    float *p = 0;
    double *q = 0;
    FloatOp::launch(p);
    DoubleOp::launch(q);
}
