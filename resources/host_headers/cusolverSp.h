#pragma once
#include <jitstudio/host.h>
#include <cublas_v2.h>
#include <cusolver_common.h>
#include <cusparse.h>
typedef struct cusolverSpContext *cusolverSpHandle_t;
typedef struct csrqrInfo *csrqrInfo_t;
