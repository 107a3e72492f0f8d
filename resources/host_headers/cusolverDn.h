#pragma once
#include <jitstudio/host.h>
typedef struct cusolverDnContext *cusolverDnHandle_t;
typedef int cusolverStatus_t;
