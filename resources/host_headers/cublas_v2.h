#pragma once
#include <jitstudio/host.h>
// As the header of the library does, by which programs have the types of halves and complex numbers.
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
typedef struct cublasContext *cublasHandle_t;
typedef int cublasStatus_t;
