#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>
#include <limits>
#include <map>

using std::string;
using std::vector;

static const float INF = 1e30f;

// no atomicMin for floats: compare and swap on the bits
__device__ float atomicMinFloat(float *address, float value) {
    int *bits = reinterpret_cast<int *>(address);
    int old = *bits, assumed;
    while (value < __int_as_float(old)) {
        assumed = old;
        old = atomicCAS(bits, assumed, __float_as_int(value));
        if (old == assumed) break;
    }
    return __int_as_float(old);
}

__global__ void initialize(float *dist, int *pred, int n, int source, float infinity) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n) {
        dist[v] = v == source ? 0.f : infinity;
        pred[v] = -1;
    }
}

__global__ void relax(const int *from, const int *to, const float *weight, int edges, float *dist,
                      bool *changed) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < edges) {
        float d = dist[from[e]] + weight[e];
        if (d < dist[to[e]]) {
            atomicMinFloat(&dist[to[e]], d);
            *changed = true;
        }
    }
}

__global__ void predecessors(const int *from, const int *to, const float *weight, int edges,
                             const float *dist, int *pred) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < edges && dist[from[e]] + weight[e] == dist[to[e]]) pred[to[e]] = from[e];
}

struct EdgeList {
    vector<int> from, to;
    vector<float> weight;
    std::map<string, int> names;

    int vertex(const string &name) { return names.emplace(name, (int)names.size()).first->second; }
    bool load(std::istream &in) {
        string line, a, b;
        float w;
        while (std::getline(in, line)) {
            if (line.empty() || line[0] == '#') continue;
            std::istringstream words(line);
            if (!(words >> a >> b >> w)) return false;
            from.push_back(vertex(a)), to.push_back(vertex(b)), weight.push_back(w);
        }
        return !from.empty();
    }
};

template <typename T> T *upload(const vector<T> &v) {
    T *p = nullptr;
    cudaMalloc(&p, v.size() * sizeof(T));
    cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    return p;
}

int main(int argc, char **argv) {
    EdgeList g;
    if (argc > 1) {
        std::ifstream file(argv[1]);
        if (!g.load(file)) { std::cerr << "bad edge list " << argv[1] << "\n"; return 1; }
    } else {
        std::istringstream text("a b 4\na c 1\nc b 2\nb d 5\nc d 8\nd e 3\n");
        g.load(text);
    }
    int n = g.names.size(), m = g.from.size(), rounds = 0;
    int *from = upload(g.from), *to = upload(g.to), *pred;
    float *weight = upload(g.weight), *dist;
    bool *changed;
    cudaMalloc(&dist, n * sizeof(float));
    cudaMalloc(&pred, n * sizeof(int));
    cudaMallocManaged(&changed, sizeof(bool));
    initialize<<<(n + 127) / 128, 128>>>(dist, pred, n, 0, INF);
    do {
        *changed = false;
        relax<<<(m + 127) / 128, 128>>>(from, to, weight, m, dist, changed);
        cudaDeviceSynchronize();
    } while (*changed && ++rounds < n);
    predecessors<<<(m + 127) / 128, 128>>>(from, to, weight, m, dist, pred);
    vector<float> h(n);
    cudaMemcpy(h.data(), dist, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (auto &entry : g.names) std::cout << entry.first << ": " << h[entry.second] << "\n";
    return rounds == n ? 2 : 0;
}
