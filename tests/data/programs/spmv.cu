// y = A x in four formats: CSR scalar, CSR vector, ELL, COO
#include <cassert>
#include <cmath>
#include <cstdio>
#include <vector>

namespace spmv {

template <typename IndexType, typename ValueType>
struct csr_view
{
  IndexType num_rows;
  const IndexType* row_offsets;
  const IndexType* column_indices;
  const ValueType* values;
};

template <typename IndexType, typename ValueType>
__global__ void csr_scalar(csr_view<IndexType, ValueType> A, const ValueType* x, ValueType* y)
{
  IndexType row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= A.num_rows) return;
  ValueType sum = 0;
  for (IndexType jj = A.row_offsets[row]; jj < A.row_offsets[row + 1]; jj++)
    sum += A.values[jj] * x[A.column_indices[jj]];
  y[row] = sum;
}

template <unsigned int THREADS_PER_VECTOR, typename IndexType, typename ValueType>
__global__ void csr_vector(csr_view<IndexType, ValueType> A, const ValueType* x, ValueType* y)
{
  const IndexType thread_id = blockDim.x * blockIdx.x + threadIdx.x;
  const IndexType lane = threadIdx.x & (THREADS_PER_VECTOR - 1);
  const IndexType row = thread_id / THREADS_PER_VECTOR;
  ValueType sum = 0;
  if (row < A.num_rows)
    for (IndexType jj = A.row_offsets[row] + lane; jj < A.row_offsets[row + 1]; jj += THREADS_PER_VECTOR)
      sum += A.values[jj] * x[A.column_indices[jj]];
  for (int offset = THREADS_PER_VECTOR / 2; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, offset, THREADS_PER_VECTOR);
  if (lane == 0 && row < A.num_rows) y[row] = sum;
}

template <typename ValueType>
__global__ void ell(int num_rows, int width, int pitch, const int* columns, const ValueType* values,
                    const ValueType* x, ValueType* y)
{
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= num_rows) return;
  ValueType sum = 0;
  for (int n = 0; n < width; n++) {
    int col = columns[n * pitch + row];
    if (col >= 0) sum += values[n * pitch + row] * x[col];
  }
  y[row] = sum;
}

__global__ void coo(int num_entries, const int* rows, const int* columns, const double* values,
                    const double* x, double* y)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < num_entries) atomicAdd(&y[rows[i]], values[i] * x[columns[i]]);
}

}  // namespace spmv

template <typename T>
struct device_vector
{
  T* p;
  explicit device_vector(const std::vector<T>& h)
  {
    cudaMalloc(&p, h.size() * sizeof(T));
    cudaMemcpy(p, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~device_vector() { cudaFree(p); }
  operator T*() const { return p; }
};

int main()
{
  const int n = 10000;
  std::vector<int> offsets{0}, columns, rows, ell_columns(3 * n, -1);
  std::vector<double> values, ell_values(3 * n), x(n, 1.0), y(n, -1.0);
  for (int i = 0; i < n; i++) {
    int slot = 0;
    for (int j = i - 1; j <= i + 1; j++) {
      if (j < 0 || j >= n) continue;
      rows.push_back(i), columns.push_back(j), values.push_back(i == j ? 2.0 : -1.0);
      ell_columns[slot * n + i] = j;
      ell_values[slot++ * n + i] = values.back();
    }
    offsets.push_back((int)columns.size());
  }
  device_vector<int> d_offsets(offsets), d_columns(columns), d_rows(rows), d_ell_columns(ell_columns);
  device_vector<double> d_values(values), d_ell_values(ell_values), d_x(x), d_y(y);
  spmv::csr_view<int, double> A{n, d_offsets, d_columns, d_values};

  auto verify = [&](const char* name) {
    cudaMemcpy(y.data(), d_y, n * sizeof(double), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (double v : y) sum += std::fabs(v);
    std::printf("%-12s %s\n", name, sum == 2.0 ? "ok" : "wrong");
    cudaMemset(d_y, 0, n * sizeof(double));
  };
  const int blocks = (n + 255) / 256;
  spmv::csr_scalar<<<blocks, 256>>>(A, (const double*)d_x, (double*)d_y);
  verify("csr_scalar");
  spmv::csr_vector<8><<<blocks * 8, 256>>>(A, (const double*)d_x, (double*)d_y);
  verify("csr_vector");
  spmv::ell<double><<<blocks, 256>>>(n, 3, n, d_ell_columns, d_ell_values, d_x, d_y);
  verify("ell");
  spmv::coo<<<(int(rows.size()) + 255) / 256, 256>>>(int(rows.size()), d_rows, d_columns, d_values, d_x, d_y);
  verify("coo");
}
