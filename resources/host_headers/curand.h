#pragma once
#include <jitstudio/host.h>
typedef struct curandGenerator_st *curandGenerator_t;
typedef int curandStatus_t;
