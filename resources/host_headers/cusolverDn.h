#pragma once
#include <jitstudio/host.h>
#include <cublas_v2.h>
#include <cusolver_common.h>
typedef struct cusolverDnContext *cusolverDnHandle_t;
typedef struct cusolverDnParams *cusolverDnParams_t;
typedef struct syevjInfo *syevjInfo_t;
typedef struct gesvdjInfo *gesvdjInfo_t;
