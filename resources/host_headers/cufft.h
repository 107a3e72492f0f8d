#pragma once
#include <jitstudio/host.h>
#include <cuComplex.h>
typedef int cufftHandle;
typedef int cufftResult;
typedef float2 cufftComplex;
typedef double2 cufftDoubleComplex;
typedef float cufftReal;
typedef double cufftDoubleReal;
