template <int N>
__global__ void k(float *p) {
    p[threadIdx.x] = N;
}
template <typename T>
__global__ void t(T *p, T v) {
    p[threadIdx.x] = v;
}
template <typename T, typename Acc = double, int N = 2>
__global__ void sum(const T *p, Acc *out) {
    out[0] = p[0] * N;
}
template <bool B = true>
__global__ void flag(int *p) {
    p[0] = B;
}
template <typename T, int N = sizeof(T)>
void all(T *p) {
    k<N><<<1, 1>>>(nullptr);
    sum<T><<<1, 1>>>(p, (double *)nullptr);
}
int main() {
    float *p = 0;
    float *q = 0;
    sum<<<1, 1>>>(p, q);
    sum<int, float><<<1, 1>>>(nullptr, q);
    flag<<<1, 1>>>(nullptr);
    flag<false><<<1, 1>>>(nullptr);
    all(p);
    all<char, 9>(nullptr);
}
