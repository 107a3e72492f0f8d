// Breadth-first search: level-synchronous, frontier queues
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <queue>
#include <vector>

#define CHECK(call)                                                     \
{                                                                       \
    const cudaError_t error = call;                                     \
    if (error != cudaSuccess)                                           \
    {                                                                   \
        printf("Error: %s:%d, ", __FILE__, __LINE__);                   \
        printf("code:%d, reason: %s\n", error, cudaGetErrorString(error)); \
        exit(1);                                                        \
    }                                                                   \
}

struct Graph
{
    std::vector<int> rowOffsets, columns;

    int vertices() const { return (int)rowOffsets.size() - 1; }

    static Graph grid(int side)
    {
        Graph g;
        g.rowOffsets.push_back(0);
        for (int y = 0; y < side; y++)
            for (int x = 0; x < side; x++)
            {
                if (x > 0) g.columns.push_back(y * side + x - 1);
                if (x + 1 < side) g.columns.push_back(y * side + x + 1);
                if (y > 0) g.columns.push_back((y - 1) * side + x);
                if (y + 1 < side) g.columns.push_back((y + 1) * side + x);
                g.rowOffsets.push_back((int)g.columns.size());
            }
        return g;
    }
};

struct DeviceGraph
{
    int *rowOffsets;
    int *columns;
};

__global__ void expand(DeviceGraph g, int level, int *distance, const int *frontier, int frontierSize,
                       int *next, int *nextSize)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= frontierSize) return;
    int u = frontier[t];
    for (int e = g.rowOffsets[u]; e < g.rowOffsets[u + 1]; e++)
    {
        int v = g.columns[e];
        if (distance[v] == INT_MAX && atomicMin(&distance[v], level + 1) == INT_MAX)
        {
            int position = atomicAdd(nextSize, 1);
            next[position] = v;
        }
    }
}

std::vector<int> bfsCpu(const Graph &g, int source)
{
    std::vector<int> distance(g.vertices(), INT_MAX);
    std::queue<int> todo;
    distance[source] = 0;
    todo.push(source);
    while (!todo.empty())
    {
        int u = todo.front();
        todo.pop();
        for (int e = g.rowOffsets[u]; e < g.rowOffsets[u + 1]; e++)
            if (distance[g.columns[e]] == INT_MAX)
            {
                distance[g.columns[e]] = distance[u] + 1;
                todo.push(g.columns[e]);
            }
    }
    return distance;
}

int main(int argc, char **argv)
{
    Graph g = Graph::grid(argc > 1 ? atoi(argv[1]) : 300);
    int n = g.vertices(), source = 0, size = 1;
    DeviceGraph d;
    int *distance, *queues[2], *nextSize;
    CHECK(cudaMalloc(&d.rowOffsets, (n + 1) * sizeof(int)));
    CHECK(cudaMalloc(&d.columns, g.columns.size() * sizeof(int)));
    CHECK(cudaMalloc(&distance, n * sizeof(int)));
    CHECK(cudaMalloc(&queues[0], n * sizeof(int)));
    CHECK(cudaMalloc(&queues[1], n * sizeof(int)));
    CHECK(cudaMallocManaged(&nextSize, sizeof(int)));
    CHECK(cudaMemcpy(d.rowOffsets, g.rowOffsets.data(), (n + 1) * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d.columns, g.columns.data(), g.columns.size() * sizeof(int), cudaMemcpyHostToDevice));

    std::vector<int> h(n, INT_MAX);
    h[source] = 0;
    CHECK(cudaMemcpy(distance, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(queues[0], &source, sizeof(int), cudaMemcpyHostToDevice));
    for (int level = 0; size > 0; level++)
    {
        *nextSize = 0;
        expand<<<size / 1024 + 1, 1024>>>(d, level, distance, queues[level & 1], size,
                                          queues[~level & 1], nextSize);
        CHECK(cudaDeviceSynchronize());
        size = *nextSize;
    }
    CHECK(cudaMemcpy(h.data(), distance, n * sizeof(int), cudaMemcpyDeviceToHost));
    puts(h == bfsCpu(g, source) ? "distances agree" : "distances DIFFER");
    return 0;
}
