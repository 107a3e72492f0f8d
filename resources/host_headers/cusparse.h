#pragma once
#include <jitstudio/host.h>
typedef struct cusparseContext *cusparseHandle_t;
typedef int cusparseStatus_t;
