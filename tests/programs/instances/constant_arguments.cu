template <int N>
__global__ void k(float *p) {
    p[threadIdx.x] = N;
}
template <typename T>
__global__ void t(T *p, T v) {
    p[threadIdx.x] = v;
}
enum class Mode { A = 3, B };
const int kSize = 6;
constexpr int kBits = 3;
template <int N, bool Big>
__global__ void nb(float *p) {
    p[0] = N + Big;
}
template <Mode M>
__global__ void m(float *p) {
    p[0] = (int)M;
}
template <typename T>
void go(float *p) {
    k<sizeof(T)><<<1, 1>>>(p);
    nb<sizeof(T) * 8, (sizeof(T) > 4)><<<1, 1>>>(p);
}
int main() {
    float *p = 0;
    k<kSize * 2><<<1, 1>>>(p);
    k<(1 << kBits)><<<1, 1>>>(p);
    m<Mode::B><<<1, 1>>>(p);
    go<double>(p);
    go<char>(p);
    nb<kSize, (kSize > 4)><<<1, 1>>>(p);
}
