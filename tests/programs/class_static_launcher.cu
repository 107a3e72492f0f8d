#include "include/check.h"

namespace physics {
namespace detail {

template <typename Real>
__global__ void advance(Real *position, Real *velocity, Real dt, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) position[i] += velocity[i] * dt;
}

__global__ void bounce(double *position, double *velocity, double wall, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && position[i] > wall) velocity[i] = -velocity[i];
}

}  // namespace detail

template <typename Real>
class World {
public:
    static const int kThreads = 192;

    explicit World(int n) : n_(n), position_(nullptr), velocity_(nullptr)
    {
        CHECK(cudaMalloc(&position_, n * sizeof(Real)));
        CHECK(cudaMalloc(&velocity_, n * sizeof(Real)));
    }
    ~World()
    {
        cudaFree(position_);
        cudaFree(velocity_);
    }
    void step(Real dt) { launch_advance(position_, velocity_, dt, n_); }
    Real *position() { return position_; }
    Real *velocity() { return velocity_; }

private:
    static int blocks(int n) { return (n + kThreads - 1) / kThreads; }
    static void launch_advance(Real *p, Real *v, Real dt, int n)
    {
        detail::advance<Real><<<blocks(n), kThreads>>>(p, v, dt, n);
        CHECK_LAUNCH();
    }
    int n_;
    Real *position_, *velocity_;
};

}  // namespace physics

int main()
{
    physics::World<double> world(3000);
    world.step(0.01);
    physics::detail::bounce<<<12, 256>>>(world.position(), world.velocity(), 1.0, 3000);
    CHECK_LAUNCH();
    return 0;
}
