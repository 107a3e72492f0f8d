template <int N>
__global__ void k(float *p) {
    p[threadIdx.x] = N;
}
template <typename T>
__global__ void t(T *p, T v) {
    p[threadIdx.x] = v;
}
struct Functor {
    float by;
    __device__ float operator()(float x) const { return x * by; }
};
template <typename F>
__global__ void apply(float *p, F f) {
    p[0] = f(p[0]);
}
template <typename F>
void map(float *p, F f) {
    apply<<<1, 1>>>(p, f);
}
namespace ops {
struct Neg {
    __device__ float operator()(float x) const { return -x; }
};
} // namespace ops
int main() {
    float *p = 0;
    map(p, Functor{2});
    map(p, ops::Neg());
    Functor g{3};
    apply<<<1, 1>>>(p, g);
    apply<ops::Neg><<<1, 1>>>(p, {});
}
