template <int N>
__global__ void k(float *p) {
    p[threadIdx.x] = N;
}
template <typename T>
__global__ void t(T *p, T v) {
    p[threadIdx.x] = v;
}
template <int N>
constexpr auto kernel_v = k<N>;
template <typename T>
void (*const table_v)(T *, T) = t<T>;
int main() {
    float *p = 0;
    kernel_v<5><<<1, 1>>>(p);
    table_v<float><<<1, 1>>>(p, 1.f);
}
