template <int N>
__global__ void k(float *p) {
    p[threadIdx.x] = N;
}
template <typename T>
__global__ void t(T *p, T v) {
    p[threadIdx.x] = v;
}
template <typename T>
struct Registrar {
    Registrar() { t<T><<<1, 1>>>((T *)nullptr, T(0)); }
};
static Registrar<float> r1;
namespace {
Registrar<unsigned char> r2{};
}
int main() {}
