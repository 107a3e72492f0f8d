template <int N>
__global__ void k(float *p) {
    p[threadIdx.x] = N;
}
template <typename T>
__global__ void t(T *p, T v) {
    p[threadIdx.x] = v;
}
template <typename T>
class Matrix {
  public:
    T *data;
    Matrix(int n) { cudaMalloc(&data, n); }
    template <int N>
    void scale(T v) {
        k<N><<<1, 1>>>(nullptr);
        t<<<1, N>>>(data, v);
    }
    template <typename U>
    void convert(Matrix<U> &other) {
        t<U><<<1, 1>>>(other.data, U(0));
        t<T><<<2, 1>>>(data, T(0));
    }
};
int main() {
    Matrix<float> a(3);
    Matrix<double> b(3);
    a.scale<2>(1.f);
    auto *q = new Matrix<short>(4);
    q->scale<3>(1);
    a.convert(b);
}
