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
struct Base {
    virtual ~Base() {}
    virtual void run() = 0;
};
template <typename T>
struct Node : Base {
    T *p = nullptr;
    void run() override { t<T><<<1, 32>>>(p, T(2)); }
};
int main() {
    std::vector<std::unique_ptr<Base>> v;
    v.push_back(std::make_unique<Node<float>>());
    v.emplace_back(new Node<int>);
    for (auto &n : v)
        n->run();
}
