template <int N>
__global__ void k(float *p) {
    p[threadIdx.x] = N;
}
template <typename T>
__global__ void t(T *p, T v) {
    p[threadIdx.x] = v;
}
#include <optional>
#include <type_traits>
#include <vector>
struct State {
    float *positions;
    const double *masses;
    std::vector<short> flags;
};
short *first(State &s) { return s.flags.data(); }
static inline unsigned count(int n) { return n; }
template <typename T>
void go(T &s) {
    t<<<1, 1>>>(s.positions, 1.f);
}
int main() {
    State state, *other = &state;
    t<<<1, 1>>>(state.positions, 1.f);
    t<std::remove_const_t<std::remove_pointer_t<decltype(other->masses)>>><<<1, 1>>>(nullptr, 1.0);
    auto p = first(state);
    t<<<1, 1>>>(p, short(1));
    using U = decltype(count(3));
    t<U><<<1, 1>>>(nullptr, count(2));
    std::optional<char *> c;
    t<<<1, 1>>>(*c, 'c');
    go(state);
}
