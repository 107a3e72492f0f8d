#pragma once
#include <jitstudio/host.h>
#include <cusolverDn.h>
typedef struct cusolverMgContext *cusolverMgHandle_t;
typedef void *cudaLibMgGrid_t;
typedef void *cudaLibMgMatrixDesc_t;
