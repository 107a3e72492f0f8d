template <int N>
__global__ void k(float *p) {
    p[threadIdx.x] = N;
}
template <typename T>
__global__ void t(T *p, T v) {
    p[threadIdx.x] = v;
}
template <typename F>
void with(F f, float *p) {
    f<<<1, 1>>>(p);
}
int main() {
    float *p = 0;
    auto launch = [&](auto kernel, int n) { kernel<<<n, 32>>>(p); };
    launch(k<1>, 2);
    launch(k<2>, 3);
    with(k<3>, p);
}
