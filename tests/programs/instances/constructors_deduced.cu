template <int N>
__global__ void k(float *p) {
    p[threadIdx.x] = N;
}
template <typename T>
__global__ void t(T *p, T v) {
    p[threadIdx.x] = v;
}
#include <memory>
#include <vector>
template <typename T>
struct Buffer {
    T *p;
    int n;
    Buffer(const std::vector<T> &v) : p(nullptr), n(int(v.size())) { t<T><<<1, n>>>(p, v[0]); }
    ~Buffer() { k<int(sizeof(T))><<<1, 1>>>(nullptr); }
};
template <int N>
class Timer {
    float *p_ = nullptr;

  public:
    Timer() { k<N><<<1, 1>>>(p_); }
};
struct Holder {
    Timer<11> timer;
    Buffer<double> buffer;
    Holder() : buffer(std::vector<double>(3)) {}
};
int main() {
    std::vector<float> v(3);
    Buffer b(v);
    Timer<12> timer;
    auto p = std::make_unique<Timer<13>>();
    auto q = new Timer<14>;
    Holder h;
}
