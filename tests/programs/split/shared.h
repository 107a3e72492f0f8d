#ifndef SPLIT_SHARED_H
#define SPLIT_SHARED_H

#ifdef __cplusplus
extern "C" {
#endif

#define CELLS 256

typedef struct cell {
    int alive;
    int age;
} cell_t;

void world_init(cell_t **now, cell_t **next);
void world_step(cell_t *now, cell_t *next, int steps);
int world_report(const char *title, int (*callback)(const char *));

#ifdef __cplusplus
}
#endif

#ifdef __CUDACC__
__device__ __host__ inline int wrap(int i) { return (i + CELLS) % CELLS; }
#endif

#endif
