// Producers and consumers of one grid with a ring buffer in global memory.
#include <atomic>
#include <cassert>
#include <cstdio>
#include <cstring>
#include <thread>
#include <mutex>
#include <condition_variable>

#include <cuda/atomic>

template <typename T, unsigned Capacity>
class Ring
{
    static_assert((Capacity & (Capacity - 1)) == 0, "Capacity must be a power of two");

    struct Slot
    {
        cuda::atomic<unsigned, cuda::thread_scope_device> sequence;
        T value;
    };

    Slot slots[Capacity];
    cuda::atomic<unsigned, cuda::thread_scope_device> head, tail;

public:
    // host side, before any kernel runs
    void reset()
    {
        for (unsigned i = 0; i < Capacity; ++i) slots[i].sequence.store(i);
        head.store(0);
        tail.store(0);
    }

    __device__ bool push(const T &value)
    {
        unsigned at = tail.load(cuda::memory_order_relaxed);
        for (;;) {
            Slot &slot = slots[at & (Capacity - 1)];
            int ahead = (int)(slot.sequence.load(cuda::memory_order_acquire) - at);
            if (ahead == 0) {
                if (tail.compare_exchange_weak(at, at + 1, cuda::memory_order_relaxed)) {
                    slot.value = value;
                    slot.sequence.store(at + 1, cuda::memory_order_release);
                    return true;
                }
            } else if (ahead < 0) {
                return false;
            } else {
                at = tail.load(cuda::memory_order_relaxed);
            }
        }
    }

    __device__ bool pop(T &value)
    {
        unsigned at = head.load(cuda::memory_order_relaxed);
        for (;;) {
            Slot &slot = slots[at & (Capacity - 1)];
            int ahead = (int)(slot.sequence.load(cuda::memory_order_acquire) - (at + 1));
            if (ahead == 0) {
                if (head.compare_exchange_weak(at, at + 1, cuda::memory_order_relaxed)) {
                    value = slot.value;
                    slot.sequence.store(at + Capacity, cuda::memory_order_release);
                    return true;
                }
            } else if (ahead < 0) {
                return false;
            } else {
                at = head.load(cuda::memory_order_relaxed);
            }
        }
    }
};

struct Task { int id; float payload; };
typedef Ring<Task, 256> Queue;

__global__ void produce(Queue *queue, int perThread)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < perThread; k++)
        while (!queue->push(Task{me * perThread + k, 0.5f * k})) __nanosleep(100);
}

__global__ void consume(Queue *queue, int perThread, unsigned long long *sum)
{
    Task task;
    for (int k = 0; k < perThread; k++) {
        while (!queue->pop(task)) __nanosleep(100);
        atomicAdd(sum, (unsigned long long)task.id);
    }
}

int main()
{
    Queue *queue;
    unsigned long long *sum;
    cudaMallocManaged(&queue, sizeof(Queue));
    cudaMallocManaged(&sum, sizeof *sum);
    memset((void *)queue, 0, sizeof(Queue));
    queue->reset();
    *sum = 0;

    const int threads = 64, perThread = 100, total = threads * perThread;
    std::mutex mutex;
    std::condition_variable started;
    bool go = false;
    std::thread producer([&] {
        std::unique_lock<std::mutex> lock(mutex);
        started.wait(lock, [&] { return go; });
        cudaStream_t s;
        cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
        produce<<<2, threads / 2, 0, s>>>(queue, perThread);
        cudaStreamSynchronize(s);
        cudaStreamDestroy(s);
    });
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    consume<<<2, threads / 2, 0, s>>>(queue, perThread, sum);
    {
        std::lock_guard<std::mutex> lock(mutex);
        go = true;
    }
    started.notify_all();
    producer.join();
    cudaStreamSynchronize(s);
    printf("%llu, expected %llu\n", *sum, (unsigned long long)total * (total - 1) / 2);
    return 0;
}
