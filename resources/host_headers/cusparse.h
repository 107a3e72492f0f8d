#pragma once
#include <jitstudio/host.h>
#include <cuComplex.h>
typedef struct cusparseContext *cusparseHandle_t;
typedef int cusparseStatus_t;
