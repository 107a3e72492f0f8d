#pragma once
#include <jitstudio/host.h>
#include <cublas_v2.h>
typedef struct cublasLtContext *cublasLtHandle_t;
