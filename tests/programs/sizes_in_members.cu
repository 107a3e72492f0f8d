#include <cstddef>
#include <utility>

template <typename r>
__global__ void draw(r *individuals, int size, r a, r b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) individuals[i] = a + (b - a) * ((i * 7919) % 1000) / 1000;
}

__global__ void rank_all(const float *individuals, int *ranks, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size) return;
    int rank = 0;
    for (int j = 0; j < size; j++) rank += individuals[j] < individuals[i];
    ranks[i] = rank;
}

template <class T>
class Base {
protected:
    int size;
    T *individuals = nullptr;
    explicit Base(int size) : size(size) { cudaMalloc(&individuals, size * sizeof(T)); }
    virtual ~Base() { cudaFree(individuals); }
};

template <class T>
class Population : public Base<T> {
    int *ranks_;
    unsigned block_count_, block_size_ = 160;

public:
    Population(int size) : Base<T>(size)
    {
        cudaMalloc(&ranks_, size * sizeof(int));
        block_count_ = (size + block_size_ - 1) / block_size_;
    }
    template <typename r>
    void random(r a, r b)
    {
        draw<<<this->size / 1024 + 1, 1024>>>(this->individuals, this->size, a, b);
    }
    void rank() { rank_all<<<block_count_, this->block_size_>>>(this->individuals, ranks_, this->size); }
};

int main()
{
    Population<float> population(2500);
    population.random(-1.0f, 1.0f);
    population.rank();
    return cudaDeviceSynchronize();
}
