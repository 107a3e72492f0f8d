#include <iostream>
#include <string>
#include <vector>

using namespace std;

__global__ void add_matrices(const double* a, const double* b, double* c, size_t rows, size_t cols) {
    size_t row = blockIdx.y * blockDim.y + threadIdx.y;
    size_t col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows && col < cols) c[row * cols + col] = a[row * cols + col] + b[row * cols + col];
}

int main(int argc, char* argv[]) {
    if (argc != 3) {
        cerr << "usage: " << argv[0] << " ROWS COLS" << endl;
        return 1;
    }
    size_t rows = stoul(argv[1]), cols = stoul(argv[2]);
    vector<double> h_a(rows * cols, 1.0), h_b(rows * cols, 2.0), h_c(rows * cols);
    double *d_a, *d_b, *d_c;
    size_t bytes = h_a.size() * sizeof(double);
    cudaMalloc(&d_a, bytes);
    cudaMalloc(&d_b, bytes);
    cudaMalloc(&d_c, bytes);
    cudaMemcpy(d_a, h_a.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, h_b.data(), bytes, cudaMemcpyHostToDevice);
    dim3 block(32, 8);
    dim3 grid((cols + block.x - 1) / block.x, (rows + block.y - 1) / block.y);
    add_matrices<<<grid, block>>>(d_a, d_b, d_c, rows, cols);
    cudaMemcpy(h_c.data(), d_c, bytes, cudaMemcpyDeviceToHost);
    cout << "c[0] = " << h_c[0] << '\n';
    for (double* p : {d_a, d_b, d_c}) cudaFree(p);
}
