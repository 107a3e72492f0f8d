#pragma once
#include <jitstudio/host.h>
typedef struct cudnnContext *cudnnHandle_t;
typedef int cudnnStatus_t;
