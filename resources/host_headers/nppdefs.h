#pragma once
#include <jitstudio/host.h>
typedef unsigned char Npp8u;
typedef signed char Npp8s;
typedef unsigned short Npp16u;
typedef short Npp16s;
typedef unsigned int Npp32u;
typedef int Npp32s;
typedef unsigned long long Npp64u;
typedef long long Npp64s;
typedef float Npp32f;
typedef double Npp64f;
struct Npp16f {
    short fp16;
};
struct Npp8uc {
    Npp8u re, im;
};
struct Npp16uc {
    Npp16u re, im;
};
struct Npp16sc {
    Npp16s re, im;
};
struct Npp32uc {
    Npp32u re, im;
};
struct Npp32sc {
    Npp32s re, im;
};
struct Npp32fc {
    Npp32f re, im;
};
struct Npp64sc {
    Npp64s re, im;
};
struct Npp64fc {
    Npp64f re, im;
};
struct NppiPoint {
    int x, y;
};
struct NppiPoint32f {
    Npp32f x, y;
};
struct NppiPoint64f {
    Npp64f x, y;
};
struct NppiSize {
    int width, height;
};
struct NppiRect {
    int x, y, width, height;
};
#define NPP_MIN_8U 0
#define NPP_MAX_8U 255
#define NPP_MIN_16U 0
#define NPP_MAX_16U 65535
#define NPP_MIN_32U 0
#define NPP_MAX_32U 4294967295U
#define NPP_MIN_64U 0
#define NPP_MAX_64U 18446744073709551615ULL
#define NPP_MIN_8S (-128)
#define NPP_MAX_8S 127
#define NPP_MIN_16S (-32768)
#define NPP_MAX_16S 32767
#define NPP_MIN_32S (-2147483647 - 1)
#define NPP_MAX_32S 2147483647
#define NPP_MIN_64S (-9223372036854775807LL - 1)
#define NPP_MAX_64S 9223372036854775807LL
#define NPP_MINABS_32F 1.175494351e-38f
#define NPP_MAXABS_32F 3.402823466e+38f
#define NPP_MINABS_64F 2.2250738585072014e-308
#define NPP_MAXABS_64F 1.7976931348623158e+308
enum NppiInterpolationMode {
    NPPI_INTER_UNDEFINED, NPPI_INTER_NN, NPPI_INTER_LINEAR, NPPI_INTER_CUBIC = 4,
    NPPI_INTER_CUBIC2P_BSPLINE, NPPI_INTER_CUBIC2P_CATMULLROM, NPPI_INTER_CUBIC2P_B05C03,
    NPPI_INTER_SUPER, NPPI_INTER_LANCZOS = 16, NPPI_INTER_LANCZOS3_ADVANCED,
    NPPI_SMOOTH_EDGE = (int)0x8000000,
};
enum NppiMaskSize {
    NPP_MASK_SIZE_1_X_3, NPP_MASK_SIZE_1_X_5, NPP_MASK_SIZE_3_X_1 = 100, NPP_MASK_SIZE_5_X_1,
    NPP_MASK_SIZE_3_X_3 = 200, NPP_MASK_SIZE_5_X_5, NPP_MASK_SIZE_7_X_7 = 400,
    NPP_MASK_SIZE_9_X_9 = 500, NPP_MASK_SIZE_11_X_11 = 600, NPP_MASK_SIZE_13_X_13 = 700,
    NPP_MASK_SIZE_15_X_15 = 800,
};
enum NppStatus { NPP_ERROR = -2, NPP_NO_ERROR = 0, NPP_SUCCESS = 0 };
enum NppiAxis { NPP_HORIZONTAL_AXIS, NPP_VERTICAL_AXIS, NPP_BOTH_AXIS };
enum NppCmpOp { NPP_CMP_LESS, NPP_CMP_LESS_EQ, NPP_CMP_EQ, NPP_CMP_GREATER_EQ, NPP_CMP_GREATER };
enum NppRoundMode {
    NPP_RND_NEAR, NPP_ROUND_NEAREST_TIES_TO_EVEN = 0, NPP_RND_FINANCIAL,
    NPP_ROUND_NEAREST_TIES_AWAY_FROM_ZERO = 1, NPP_RND_ZERO, NPP_ROUND_TOWARD_ZERO = 2,
};
enum NppiBorderType {
    NPP_BORDER_UNDEFINED, NPP_BORDER_NONE = 0, NPP_BORDER_CONSTANT, NPP_BORDER_REPLICATE,
    NPP_BORDER_WRAP, NPP_BORDER_MIRROR, NPP_BORDER_MIRROR_REFL,
};
