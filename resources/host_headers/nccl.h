#pragma once
#include <jitstudio/host.h>
typedef struct ncclComm *ncclComm_t;
typedef int ncclResult_t;
