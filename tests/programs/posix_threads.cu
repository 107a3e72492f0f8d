#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <unistd.h>
#include <sys/time.h>
#include "include/check.h"

#define THREADS 4
#define ELEMENTS 4096

__global__ void fill(int *data, int value, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        data[i] = value;
}

typedef struct {
    int id;
    cudaStream_t stream;
    int *data;
} job_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t finished;
static int completed = 0;

static double seconds(void)
{
    struct timeval now;
    gettimeofday(&now, NULL);
    return now.tv_sec + now.tv_usec * 1e-6;
}

void *worker(void *argument)
{
    job_t *job = (job_t *)argument;
    CHECK(cudaStreamCreate(&job->stream));
    CHECK(cudaMalloc((void **)&job->data, ELEMENTS * sizeof(int)));
    fill<<<ELEMENTS / 256, 256, 0, job->stream>>>(job->data, job->id, ELEMENTS);
    CHECK(cudaStreamSynchronize(job->stream));
    pthread_mutex_lock(&lock);
    completed++;
    pthread_mutex_unlock(&lock);
    sem_post(&finished);
    return (void *)(intptr_t)job->id;
}

int main(void)
{
    pthread_t threads[THREADS];
    job_t jobs[THREADS];
    double begin = seconds();
    sem_init(&finished, 0, 0);
    for (int i = 0; i < THREADS; i++) {
        jobs[i].id = i;
        if (pthread_create(&threads[i], NULL, worker, &jobs[i]))
            return 1;
    }
    for (int i = 0; i < THREADS; i++)
        sem_wait(&finished);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    usleep(10);
    printf("%d of %d in %.3f s\n", completed, THREADS, seconds() - begin);
    return 0;
}
