#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SRAND_VALUE 1985
#define BLOCK_SIZE 16

/* ghost cells: copy the rows, then the columns */
__global__ void ghostRows(int dim, int *grid)
{
    int id = blockDim.x * blockIdx.x + threadIdx.x + 1;
    if (id <= dim)
    {
        grid[(dim + 2) * (dim + 1) + id] = grid[(dim + 2) + id];
        grid[id] = grid[(dim + 2) * dim + id];
    }
}

__global__ void ghostCols(int dim, int *grid)
{
    int id = blockDim.x * blockIdx.x + threadIdx.x;
    if (id <= dim + 1)
    {
        grid[id * (dim + 2) + dim + 1] = grid[id * (dim + 2) + 1];
        grid[id * (dim + 2)] = grid[id * (dim + 2) + dim];
    }
}

__global__ void GOL(int dim, int *grid, int *newGrid)
{
    int iy = blockDim.y * blockIdx.y + threadIdx.y + 1;
    int ix = blockDim.x * blockIdx.x + threadIdx.x + 1;
    int id = iy * (dim + 2) + ix;
    int numNeighbors;

    if (iy <= dim && ix <= dim)
    {
        numNeighbors = grid[id + (dim + 2)] + grid[id - (dim + 2)]
                     + grid[id + 1] + grid[id - 1]
                     + grid[id + (dim + 3)] + grid[id - (dim + 3)]
                     + grid[id - (dim + 1)] + grid[id + (dim + 1)];
        int cell = grid[id];
        if (cell == 1 && numNeighbors < 2)
            newGrid[id] = 0;
        else if (cell == 1 && (numNeighbors == 2 || numNeighbors == 3))
            newGrid[id] = 1;
        else if (cell == 1 && numNeighbors > 3)
            newGrid[id] = 0;
        else if (cell == 0 && numNeighbors == 3)
            newGrid[id] = 1;
        else
            newGrid[id] = cell;
    }
}

void show(const int *grid, int dim)
{
    int i, j;
    printf("\033[H");
    for (i = 1; i <= dim && i < 40; i++)
    {
        for (j = 1; j <= dim && j < 80; j++)
            putchar(grid[i * (dim + 2) + j] ? '#' : ' ');
        putchar('\n');
    }
    fflush(stdout);
    usleep(50000);
}

int main(int argc, char *argv[])
{
    int i, j, iter;
    int *h_grid, *d_grid, *d_newGrid, *d_tmpGrid;
    int dim = 1024, maxIter = 1 << 10;
    int quiet = argc > 1 && !strcmp(argv[1], "-q");

    size_t bytes = sizeof(int) * (dim + 2) * (dim + 2);
    h_grid = (int *)malloc(bytes);
    cudaMalloc(&d_grid, bytes);
    cudaMalloc(&d_newGrid, bytes);

    srand(SRAND_VALUE);
    for (i = 1; i <= dim; i++)
        for (j = 1; j <= dim; j++)
            h_grid[i * (dim + 2) + j] = rand() % 2;
    cudaMemcpy(d_grid, h_grid, bytes, cudaMemcpyHostToDevice);

    dim3 blockSize(BLOCK_SIZE, BLOCK_SIZE, 1);
    int linGrid = (int)((dim + BLOCK_SIZE - 1) / BLOCK_SIZE);
    dim3 gridSize(linGrid, linGrid, 1);
    dim3 cpyBlockSize(BLOCK_SIZE, 1, 1);
    dim3 cpyGridRowsGridSize(linGrid, 1, 1);
    dim3 cpyGridColsGridSize(linGrid + 1, 1, 1);

    for (iter = 0; iter < maxIter; iter++)
    {
        ghostRows<<<cpyGridRowsGridSize, cpyBlockSize>>>(dim, d_grid);
        ghostCols<<<cpyGridColsGridSize, cpyBlockSize>>>(dim, d_grid);
        GOL<<<gridSize, blockSize>>>(dim, d_grid, d_newGrid);
        d_tmpGrid = d_grid;
        d_grid = d_newGrid;
        d_newGrid = d_tmpGrid;
        if (!quiet)
        {
            cudaMemcpy(h_grid, d_grid, bytes, cudaMemcpyDeviceToHost);
            show(h_grid, dim);
        }
    }
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess)
        printf("CUDA error %s\n", cudaGetErrorString(error));

    cudaMemcpy(h_grid, d_grid, bytes, cudaMemcpyDeviceToHost);
    int total = 0;
    for (i = 1; i <= dim; i++)
        for (j = 1; j <= dim; j++)
            total += h_grid[i * (dim + 2) + j];
    printf("Total Alive: %d\n", total);

    cudaFree(d_grid);
    cudaFree(d_newGrid);
    free(h_grid);
    return 0;
}
