// The overloads of pow that nvcc has and NVRTC lacks: of numbers of which one is no float.
//
// C++ says of them that both arguments are taken as double ([cmath.syn]), and nvcc's headers take
// them so in device code as well. No other function of math.h is ambiguous in NVRTC and not in nvcc.
#pragma once

namespace jitstudio {
template <class T>
struct is_number {
    enum : bool { value = false };
};
#define JITSTUDIO_NUMBER(T)       \
    template <>                   \
    struct is_number<T> {         \
        enum : bool { value = true }; \
    };
JITSTUDIO_NUMBER(float)
JITSTUDIO_NUMBER(double)
JITSTUDIO_NUMBER(bool)
JITSTUDIO_NUMBER(char)
JITSTUDIO_NUMBER(signed char)
JITSTUDIO_NUMBER(unsigned char)
JITSTUDIO_NUMBER(short)
JITSTUDIO_NUMBER(unsigned short)
JITSTUDIO_NUMBER(int)
JITSTUDIO_NUMBER(unsigned)
JITSTUDIO_NUMBER(long)
JITSTUDIO_NUMBER(unsigned long)
JITSTUDIO_NUMBER(long long)
JITSTUDIO_NUMBER(unsigned long long)
#undef JITSTUDIO_NUMBER
template <bool B>
struct double_if {};
template <>
struct double_if<true> {
    using type = double;
};
}  // namespace jitstudio

template <class T, class U>
__host__ __device__ inline typename jitstudio::double_if<jitstudio::is_number<T>::value &&
                                                         jitstudio::is_number<U>::value>::type
pow(T x, U y) {
    return pow(static_cast<double>(x), static_cast<double>(y));
}
