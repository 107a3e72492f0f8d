#pragma once
#include <jitstudio/host.h>
#include <cusolver_common.h>
typedef struct cusolverRfCommon *cusolverRfHandle_t;
