template <int N>
__global__ void k(float *p) {
    p[threadIdx.x] = N;
}
template <typename T>
__global__ void t(T *p, T v) {
    p[threadIdx.x] = v;
}
struct Engine {
    template <int N>
    Engine &step(float *p) {
        k<N><<<1, 1>>>(p);
        return *this;
    }
};
struct Car {
    Engine engine;
    Engine *spare;
    Engine &get() { return engine; }
};
template <typename F>
void drive(F &car, float *p) {
    car.engine.template step<4>(p);
}
int main() {
    float *p = 0;
    Car car;
    car.engine.step<1>(p).step<2>(p);
    car.spare->step<3>(p);
    drive(car, p);
    car.get().step<5>(p);
    Car cars[2];
    cars[1].engine.step<6>(p);
}
