template <int N>
__global__ void k(float *p) {
    p[threadIdx.x] = N;
}
template <typename T>
__global__ void t(T *p, T v) {
    p[threadIdx.x] = v;
}
template <class Derived, typename T>
struct Base {
    using value = T;
    void run(T *p) {
        k<Derived::kSize * 2><<<1, 1>>>(nullptr);
        t<T><<<1, 1>>>(p, T(0));
    }
};
class First : public Base<First, float> {
  public:
    static const int kSize = 3;
};
namespace other {
struct Second : private First, public Base<Second, int> {
    enum : int { kSize = 4 };
};
}  // namespace other
int main() {
    First f;
    f.run(nullptr);
    other::Second s;
    s.Base<other::Second, int>::run(nullptr);
}
