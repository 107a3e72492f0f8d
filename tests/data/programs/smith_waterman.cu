#include <algorithm>
#include <iostream>
#include <cstdlib>
#include <string>
#include <cassert>

enum { MATCH = 3, MISMATCH = -3, GAP = -2 };

/* similarity of two bases */
__host__ __device__ inline int similarity(char a, char b) { return a == b ? MATCH : MISMATCH; }

// One anti-diagonal: all its cells are independent of each other
__global__ void diagonal(int k, const char* a, int n, const char* b, int m, int* H, int* best)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + max(1, k - m);
    int j = k - i;
    if (i > n || j < 1) return;
    int w = m + 1;
    int score = max(0, max(H[(i - 1) * w + j - 1] + similarity(a[i - 1], b[j - 1]),
                           max(H[(i - 1) * w + j], H[i * w + j - 1]) + GAP));
    H[i * w + j] = score;
    if (score > 0) atomicMax(best, score);
}

static std::string random_sequence(int n)
{
    static const char bases[] = { 'A', 'C', 'G', 'T' };
    std::string s;
    while (n--) s += bases[rand() % 4];
    return s;
}

int score_on_host(const std::string& a, const std::string& b)
{
    int n = a.size(), m = b.size(), best = 0;
    int **H = new int*[n + 1];
    for (int i = 0; i <= n; ++i) H[i] = new int[m + 1]();
    for (int i = 1; i <= n; ++i)
        for (int j = 1; j <= m; ++j) {
            H[i][j] = std::max({0, H[i-1][j-1] + similarity(a[i-1], b[j-1]), H[i-1][j] + GAP, H[i][j-1] + GAP});
            best = std::max(best, H[i][j]);
        }
    for (int i = 0; i <= n; ++i) delete[] H[i];
    delete[] H;
    return best;
}

int main(int argc, char** argv)
{
    const std::string a = argc > 2 ? argv[1] : random_sequence(1500);
    const std::string b = argc > 2 ? argv[2] : random_sequence(2000);
    const int n = a.length(), m = b.length();

    char *da, *db;
    int *H, *best, result;
    cudaMalloc(&da, n);
    cudaMalloc(&db, m);
    cudaMalloc(&H, (n + 1) * (m + 1) * sizeof(int));
    cudaMalloc(&best, sizeof(int));
    cudaMemcpy(da, a.c_str(), n, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.c_str(), m, cudaMemcpyHostToDevice);
    cudaMemset(H, 0, (n + 1) * (m + 1) * sizeof(int));
    cudaMemset(best, 0, sizeof(int));

    for (int k = 2; k <= n + m; ++k) {
        int cells = std::min(n, k - 1) - std::max(1, k - m) + 1;
        diagonal<<<(cells + 63) / 64, 64>>>(k, da, n, db, m, H, best);
    }
    cudaMemcpy(&result, best, sizeof(int), cudaMemcpyDeviceToHost);
    std::cout << "score " << result << std::endl;
    assert(result == score_on_host(a, b));
    cudaFree(da); cudaFree(db); cudaFree(H); cudaFree(best);
    return 0;
}
