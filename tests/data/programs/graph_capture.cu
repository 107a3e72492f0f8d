#include <array>
#include <cuda_runtime.h>
#include <iostream>
#include <optional>
#include <string_view>
#include <vector>

#define CUDA_TRY(expr)                                                             \
  [&] {                                                                            \
    const auto status = (expr);                                                    \
    if (status != cudaSuccess)                                                     \
    {                                                                              \
      std::cerr << #expr << ": " << cudaGetErrorName(status) << '\n';              \
      std::exit(EXIT_FAILURE);                                                     \
    }                                                                              \
  }()

__global__ void shortKernel(float *out_d, const float *in_d, std::size_t n)
{
  const auto idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx < n)
    out_d[idx] = 1.23f * in_d[idx];
}

template <typename T, std::size_t N>
struct Coefficients
{
  T values[N];
  [[nodiscard]] __host__ __device__ constexpr T evaluate(T x) const noexcept
  {
    T y{};
    for (std::size_t i = N; i-- > 0;)
      y = y * x + values[i];
    return y;
  }
};

__global__ void polynomial(float *data, std::size_t n, Coefficients<float, 4> c)
{
  if (const auto i = blockIdx.x * blockDim.x + threadIdx.x; i < n)
    data[i] = c.evaluate(data[i]);
}

class Graph
{
public:
  template <typename F>
  static Graph capture(cudaStream_t stream, F &&record)
  {
    Graph g;
    CUDA_TRY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    std::forward<F>(record)();
    CUDA_TRY(cudaStreamEndCapture(stream, &g.graph_));
    CUDA_TRY(cudaGraphInstantiate(&g.exec_, g.graph_, 0));
    return g;
  }
  void launch(cudaStream_t stream) const { CUDA_TRY(cudaGraphLaunch(exec_, stream)); }
  std::size_t nodes() const
  {
    std::size_t count = 0;
    CUDA_TRY(cudaGraphGetNodes(graph_, nullptr, &count));
    return count;
  }

private:
  cudaGraph_t graph_{};
  cudaGraphExec_t exec_{};
};

static std::optional<int> parse(std::string_view text)
{
  int value = 0;
  for (char c : text)
  {
    if (c < '0' || c > '9')
      return std::nullopt;
    value = 10 * value + (c - '0');
  }
  return value;
}

int main(int argc, char **argv)
{
  constexpr std::size_t n = 500000;
  constexpr int kernels = 20;
  const int steps = argc > 1 ? parse(argv[1]).value_or(1000) : 1000;

  std::array<float *, 2> buffers{};
  for (auto &b : buffers)
    CUDA_TRY(cudaMalloc(&b, n * sizeof(float)));
  CUDA_TRY(cudaMemset(buffers[0], 0, n * sizeof(float)));
  cudaStream_t stream;
  CUDA_TRY(cudaStreamCreate(&stream));

  const auto graph = Graph::capture(stream, [&] {
    for (int k = 0; k < kernels; ++k)
      shortKernel<<<(n + 511) / 512, 512, 0, stream>>>(buffers[1], buffers[0], n);
    polynomial<<<(n + 511) / 512, 512, 0, stream>>>(buffers[1], n, Coefficients<float, 4>{{1.f, .5f, .25f, .125f}});
  });
  for (int s = 0; s < steps; ++s)
    graph.launch(stream);
  CUDA_TRY(cudaStreamSynchronize(stream));

  std::vector<float> h(n);
  CUDA_TRY(cudaMemcpy(h.data(), buffers[1], n * sizeof(float), cudaMemcpyDeviceToHost));
  std::cout << graph.nodes() << " nodes, first value " << h.front() << '\n';
  return h.front() == 1.f ? EXIT_SUCCESS : EXIT_FAILURE;
}
