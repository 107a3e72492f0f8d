/*!
 * \file conjugate_gradient.cu
 * \brief Solves the Poisson equation on a square with conjugate gradients, without a matrix.
 */
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

#include <cuda_runtime.h>

#if !defined(GRID)
#  define GRID 256
#endif

namespace detail
{
//! \brief Grid-stride range for `for (auto i : range(n))`.
struct range
{
  struct iterator
  {
    int i;
    __device__ int operator*() const { return i; }
    __device__ iterator& operator++() { i += blockDim.x * gridDim.x; return *this; }
    __device__ bool operator!=(const iterator& end) const { return i < end.i; }
  };
  int n;
  __device__ explicit range(int n) : n(n) {}
  __device__ iterator begin() const { return {static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x)}; }
  __device__ iterator end() const { return {n}; }
};
} // namespace detail

//! \brief q = A p for the 5-point Laplacian
template <typename Real>
__global__ void laplacian(const Real* __restrict__ p, Real* __restrict__ q)
{
  for (auto i : detail::range(GRID * GRID))
  {
    const int x = i % GRID, y = i / GRID;
    Real v = 4 * p[i];
    if (x > 0) v -= p[i - 1];
    if (x < GRID - 1) v -= p[i + 1];
    if (y > 0) v -= p[i - GRID];
    if (y < GRID - 1) v -= p[i + GRID];
    q[i] = v;
  }
}

//! \brief y = x + a y or y += a x, decided at compile time
template <bool Accumulate, typename Real>
__global__ void axpy(Real a, const Real* x, Real* y)
{
  for (auto i : detail::range(GRID * GRID))
  {
    if constexpr (Accumulate)
      y[i] += a * x[i];
    else
      y[i] = x[i] + a * y[i];
  }
}

template <typename Real>
__global__ void dot(const Real* x, const Real* y, Real* result)
{
  static_assert(std::is_floating_point_v<Real>, "a field");
  Real sum = 0;
  for (auto i : detail::range(GRID * GRID))
    sum += x[i] * y[i];
  for (int offset = 16; offset; offset /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (threadIdx.x % 32 == 0)
    atomicAdd(result, sum);
}

template <typename Real>
class Solver
{
  struct Free { void operator()(Real* p) const { cudaFree(p); } };
  using Field = std::unique_ptr<Real, Free>;

  static Field make(int n)
  {
    Real* p;
    cudaMallocManaged(&p, n * sizeof(Real));
    cudaMemset(p, 0, n * sizeof(Real));
    return Field(p);
  }

  Real product(const Field& a, const Field& b)
  {
    *scalar_ = 0;
    dot<Real><<<blocks, threads>>>(a.get(), b.get(), scalar_.get());
    cudaDeviceSynchronize();
    return *scalar_;
  }

public:
  std::pair<int, Real> solve(Real tolerance)
  {
    for (int i = 0; i < GRID * GRID; ++i)
      r_.get()[i] = p_.get()[i] = Real(1) / (GRID * GRID);
    Real rr = product(r_, r_), first = rr;
    int k = 0;
    for (; k < 10 * GRID && rr > tolerance * tolerance * first; ++k)
    {
      laplacian<Real><<<blocks, threads>>>(p_.get(), q_.get());
      const Real alpha = rr / product(p_, q_);
      axpy<true, Real><<<blocks, threads>>>(alpha, p_.get(), x_.get());
      axpy<true, Real><<<blocks, threads>>>(-alpha, q_.get(), r_.get());
      const Real next = product(r_, r_);
      axpy<false, Real><<<blocks, threads>>>(next / rr, r_.get(), p_.get());
      rr = next;
    }
    return {k, std::sqrt(rr / first)};
  }

private:
  static constexpr int threads = 256, blocks = 128;
  Field x_ = make(GRID * GRID), r_ = make(GRID * GRID), p_ = make(GRID * GRID), q_ = make(GRID * GRID), scalar_ = make(1);
};

int main()
{
  Solver<double> solver;
  auto [iterations, residual] = solver.solve(1e-8);
  std::printf("%d iterations, residual %.3e\n", iterations, residual);
  return residual <= std::numeric_limits<float>::epsilon() ? 0 : 1;
}
