#pragma once
#include <jitstudio/host.h>
typedef struct cublasContext *cublasHandle_t;
typedef int cublasStatus_t;
