// What device code may use of the host's headers, where none of those is found.
//
// NVRTC itself knows printf, assert, malloc, memcpy, clock, the functions of math.h, and the types
// and constants of the CUDA runtime that device code may have. nvcc includes cuda_runtime.h before
// all else and by it most of the C library, so that every one of these headers gives all of this.
//
// To add a header of the host that is stood in for: a file in the parent folder that includes this
// one. No constant of a class here: NVRTC puts each into the PTX, used or not.
#pragma once
#include <jitstudio/platform.h>

// NVIDIA's own headers define these the same way, so that both may be included.
#if !defined(JITSTUDIO_ALONE) && __cplusplus >= 201703L && __has_include(<cuda/std/cstdint>)
#include <cuda/std/cfloat>
#include <cuda/std/climits>
#include <cuda/std/cstdint>
#else
typedef signed char int8_t;
typedef signed short int16_t;
typedef signed int int32_t;
#ifdef JITSTUDIO_ALONE
// With no header of NVIDIA's that says otherwise: as on the host, by which kernels are named.
typedef signed long int64_t;
typedef unsigned long uint64_t;
#else
typedef signed long long int64_t;
typedef unsigned long long uint64_t;
#endif
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef int64_t intptr_t;
typedef uint64_t uintptr_t;
typedef int64_t intmax_t;
typedef uint64_t uintmax_t;
#define INT8_MAX 127
#define INT16_MAX 32767
#define INT32_MAX 2147483647
#define INT64_MAX 9223372036854775807LL
#define INT8_MIN (-128)
#define INT16_MIN (-32768)
#define INT32_MIN (-2147483647 - 1)
#define INT64_MIN (-INT64_MAX - 1)
#define UINT8_MAX 255
#define UINT16_MAX 65535
#define UINT32_MAX 4294967295U
#define UINT64_MAX 18446744073709551615ULL
#define SIZE_MAX UINT64_MAX
#define CHAR_BIT 8
#define SCHAR_MAX 127
#define SCHAR_MIN (-128)
#define UCHAR_MAX 255
#define CHAR_MAX 127
#define CHAR_MIN (-128)
#define SHRT_MAX 32767
#define SHRT_MIN (-32768)
#define USHRT_MAX 65535
#define INT_MAX 2147483647
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 4294967295U
#define LONG_MAX 9223372036854775807L
#define LONG_MIN (-LONG_MAX - 1)
#define ULONG_MAX 18446744073709551615UL
#define LLONG_MAX 9223372036854775807LL
#define LLONG_MIN (-LLONG_MAX - 1)
#define ULLONG_MAX 18446744073709551615ULL
#endif
#ifndef FLT_MAX
#define FLT_MAX 3.402823466e+38F
#define FLT_MIN 1.175494351e-38F
#define FLT_EPSILON 1.192092896e-7F
#define FLT_DIG 6
#define FLT_MANT_DIG 24
#define DBL_MAX 1.7976931348623157e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
#define DBL_DIG 15
#define DBL_MANT_DIG 53
#endif

typedef unsigned char u_char;
typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned long ulong;
typedef long ssize_t;
typedef long off_t;
typedef struct _IO_FILE FILE;
#if defined(JITSTUDIO_ALONE) && !defined(_WIN32)
typedef long time_t;
#else
typedef long long time_t;
#endif
struct timeval {
    time_t tv_sec;
    long tv_usec;
};

#ifndef INFINITY
#define INFINITY (__builtin_bit_cast(float, 0x7f800000))
#endif
#ifndef NAN
#define NAN (__builtin_bit_cast(float, 0x7fffffff))
#endif
#ifndef HUGE_VAL
#define HUGE_VAL (__builtin_bit_cast(double, 0x7ff0000000000000ULL))
#define HUGE_VALF (__builtin_bit_cast(float, 0x7f800000))
#endif
#ifndef M_PI
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#endif
#ifndef RAND_MAX
#define RAND_MAX 2147483647
#endif
#ifndef EXIT_SUCCESS
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#endif
#ifndef EOF
#define EOF (-1)
#endif
#ifndef PRId64
#define PRId32 "d"
#define PRIu32 "u"
#define PRIx32 "x"
#define PRId64 "lld"
#define PRIu64 "llu"
#define PRIx64 "llx"
#endif

// What was not constexpr before C++14.
#if __cplusplus >= 201402L
#define JITSTUDIO_CONSTEXPR constexpr
#else
#define JITSTUDIO_CONSTEXPR
#endif

namespace std {

using nullptr_t = decltype(nullptr);
using ::abs;
using ::acos;
using ::acosh;
using ::asin;
using ::asinh;
using ::atan;
using ::atan2;
using ::atanh;
using ::cbrt;
using ::ceil;
using ::copysign;
using ::cos;
using ::cosh;
using ::erf;
using ::erfc;
using ::exp;
using ::exp2;
using ::expm1;
using ::fabs;
using ::fdim;
using ::floor;
using ::fma;
using ::fmax;
using ::fmin;
using ::fmod;
using ::free;
using ::frexp;
using ::hypot;
using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::int8_t;
using ::intptr_t;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::ldexp;
using ::lgamma;
using ::llround;
using ::log;
using ::log10;
using ::log1p;
using ::log2;
using ::lround;
using ::malloc;
using ::memcpy;
using ::memset;
using ::modf;
using ::nearbyint;
using ::nextafter;
using ::pow;
using ::printf;
using ::ptrdiff_t;
using ::remainder;
using ::rint;
using ::round;
using ::signbit;
using ::sin;
using ::sinh;
using ::size_t;
using ::sqrt;
using ::tan;
using ::tanh;
using ::tgamma;
using ::trunc;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::uint8_t;
using ::uintptr_t;

// Constants of classes are enumerators here: NVRTC puts every other one into the PTX, used or not.
// A constraint, however, has to be a bool.
template <class T, T V>
struct integral_constant {
#ifdef __cpp_concepts
    static constexpr T value = V;
#else
    enum : T { value = V };
#endif
    using value_type = T;
    using type = integral_constant;
    __host__ __device__ constexpr operator T() const noexcept { return V; }
    __host__ __device__ constexpr T operator()() const noexcept { return V; }
};
template <bool B>
using bool_constant = integral_constant<bool, B>;
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;

template <class T>
struct type_identity {
    using type = T;
};
template <class T>
using type_identity_t = T;
template <class...>
using void_t = void;
template <bool B, class T = void>
struct enable_if {};
template <class T>
struct enable_if<true, T> : type_identity<T> {};
template <bool B, class T = void>
using enable_if_t = typename enable_if<B, T>::type;
template <bool B, class T, class F>
struct conditional : type_identity<T> {};
template <class T, class F>
struct conditional<false, T, F> : type_identity<F> {};
template <bool B, class T, class F>
using conditional_t = typename conditional<B, T, F>::type;

template <class T>
struct remove_const : type_identity<T> {};
template <class T>
struct remove_const<const T> : type_identity<T> {};
template <class T>
struct remove_volatile : type_identity<T> {};
template <class T>
struct remove_volatile<volatile T> : type_identity<T> {};
template <class T>
struct remove_cv : remove_const<typename remove_volatile<T>::type> {};
template <class T>
struct remove_reference : type_identity<T> {};
template <class T>
struct remove_reference<T &> : type_identity<T> {};
template <class T>
struct remove_reference<T &&> : type_identity<T> {};
template <class T>
struct remove_cvref : remove_cv<typename remove_reference<T>::type> {};
template <class T>
struct remove_pointer : type_identity<T> {};
template <class T>
struct remove_pointer<T *> : type_identity<T> {};
template <class T>
struct remove_pointer<T *const> : type_identity<T> {};
template <class T>
struct remove_extent : type_identity<T> {};
template <class T>
struct remove_extent<T[]> : type_identity<T> {};
template <class T, size_t N>
struct remove_extent<T[N]> : type_identity<T> {};
template <class T>
struct add_pointer : type_identity<typename remove_reference<T>::type *> {};
template <class T>
struct add_const : type_identity<const T> {};
template <class T>
struct add_lvalue_reference : type_identity<T &> {};
template <class T>
struct add_rvalue_reference : type_identity<T &&> {};
template <class T>
using remove_const_t = typename remove_const<T>::type;
template <class T>
using remove_cv_t = typename remove_cv<T>::type;
template <class T>
using remove_reference_t = typename remove_reference<T>::type;
template <class T>
using remove_cvref_t = typename remove_cvref<T>::type;
template <class T>
using remove_pointer_t = typename remove_pointer<T>::type;
template <class T>
using add_pointer_t = typename add_pointer<T>::type;
template <class T>
using add_const_t = const T;
template <class T>
struct decay : remove_cvref<T> {};
template <class T>
struct decay<T[]> : type_identity<T *> {};
template <class T, size_t N>
struct decay<T[N]> : type_identity<T *> {};
template <class T>
using decay_t = typename decay<T>::type;
template <class T>
__host__ __device__ T &&declval() noexcept;

template <class T, class U>
struct is_same : false_type {};
template <class T>
struct is_same<T, T> : true_type {};
template <class T>
struct is_const : false_type {};
template <class T>
struct is_const<const T> : true_type {};
template <class T>
struct is_pointer : false_type {};
template <class T>
struct is_pointer<T *> : true_type {};
template <class T>
struct is_pointer<T *const> : true_type {};
template <class T>
struct is_reference : false_type {};
template <class T>
struct is_reference<T &> : true_type {};
template <class T>
struct is_reference<T &&> : true_type {};
template <class T>
struct is_array : false_type {};
template <class T>
struct is_array<T[]> : true_type {};
template <class T, size_t N>
struct is_array<T[N]> : true_type {};
template <class T>
struct is_void : is_same<void, typename remove_cv<T>::type> {};
template <class T, class... Others>
struct __is_one_of : false_type {};
template <class T, class First, class... Others>
struct __is_one_of<T, First, Others...>
    : bool_constant<is_same<T, First>::value || __is_one_of<T, Others...>::value> {};
template <class T>
struct is_floating_point : __is_one_of<typename remove_cv<T>::type, float, double, long double> {};
template <class T>
struct is_integral
    : __is_one_of<typename remove_cv<T>::type, bool, char, signed char, unsigned char, wchar_t,
                  char16_t, char32_t, short, unsigned short, int, unsigned, long, unsigned long,
                  long long, unsigned long long> {};
template <class T>
struct is_arithmetic : bool_constant<is_integral<T>::value || is_floating_point<T>::value> {};
template <class T, bool = is_arithmetic<T>::value>
struct is_signed : bool_constant<(static_cast<T>(-1) < static_cast<T>(0))> {};
template <class T>
struct is_signed<T, false> : false_type {};
template <class T>
struct is_unsigned : bool_constant<is_arithmetic<T>::value && !is_signed<T>::value> {};
template <class T>
struct is_enum : bool_constant<__is_enum(T)> {};
template <class T>
struct is_class : bool_constant<__is_class(T)> {};
template <class T>
struct is_empty : bool_constant<__is_empty(T)> {};
template <class T>
struct is_trivially_copyable : bool_constant<__is_trivially_copyable(T)> {};
template <class T>
struct is_standard_layout : bool_constant<__is_standard_layout(T)> {};
template <class T>
struct is_pod : bool_constant<__is_pod(T)> {};
template <class B, class D>
struct is_base_of : bool_constant<__is_base_of(B, D)> {};
template <class From, class To>
struct is_convertible : bool_constant<__is_convertible_to(From, To)> {};
template <class T, class... A>
struct is_constructible : bool_constant<__is_constructible(T, A...)> {};
template <class T>
struct is_lvalue_reference : false_type {};
template <class T>
struct is_lvalue_reference<T &> : true_type {};
template <class T>
struct is_rvalue_reference : false_type {};
template <class T>
struct is_rvalue_reference<T &&> : true_type {};
template <class T>
struct is_volatile : false_type {};
template <class T>
struct is_volatile<volatile T> : true_type {};
template <class T>
struct is_null_pointer : is_same<decltype(nullptr), typename remove_cv<T>::type> {};
template <class T>
struct is_union : bool_constant<__is_union(T)> {};
template <class T>
struct is_final : bool_constant<__is_final(T)> {};
template <class T>
struct is_abstract : bool_constant<__is_abstract(T)> {};
template <class T>
struct is_polymorphic : bool_constant<__is_polymorphic(T)> {};
template <class T>
struct is_aggregate : bool_constant<__is_aggregate(T)> {};
template <class T>
struct is_trivial : bool_constant<__is_trivial(T)> {};
template <class T>
struct is_fundamental : bool_constant<is_arithmetic<T>::value || is_void<T>::value ||
                                      is_null_pointer<T>::value> {};
template <class T>
struct is_scalar : bool_constant<is_arithmetic<T>::value || is_enum<T>::value ||
                                 is_pointer<T>::value || is_null_pointer<T>::value> {};
template <class T, class U>
struct is_assignable : bool_constant<__is_assignable(T, U)> {};
template <class T>
struct is_default_constructible : is_constructible<T> {};
template <class T>
struct is_copy_constructible : is_constructible<T, const T &> {};
template <class T>
struct is_move_constructible : is_constructible<T, T &&> {};
template <class T>
struct is_copy_assignable : is_assignable<T &, const T &> {};
template <class T>
struct is_trivially_default_constructible : bool_constant<__is_trivially_constructible(T)> {};
template <class T>
struct is_trivially_destructible : bool_constant<__has_trivial_destructor(T)> {};
template <class T>
struct rank : integral_constant<size_t, 0> {};
template <class T>
struct rank<T[]> : integral_constant<size_t, rank<T>::value + 1> {};
template <class T, size_t N>
struct rank<T[N]> : integral_constant<size_t, rank<T>::value + 1> {};
template <class T, unsigned I = 0>
struct extent : integral_constant<size_t, 0> {};
template <class T, size_t N>
struct extent<T[N], 0> : integral_constant<size_t, N> {};
template <class T, size_t N, unsigned I>
struct extent<T[N], I> : extent<T, I - 1> {};
template <class T>
struct remove_all_extents : type_identity<T> {};
template <class T>
struct remove_all_extents<T[]> : remove_all_extents<T> {};
template <class T, size_t N>
struct remove_all_extents<T[N]> : remove_all_extents<T> {};
template <class T>
struct add_volatile : type_identity<volatile T> {};
template <class T>
struct add_cv : type_identity<const volatile T> {};
template <class F, class A, class = void>
struct __is_invocable : false_type {};
template <class F, class... A>
struct __is_invocable<F, void(A...), void_t<decltype(declval<F>()(declval<A>()...))>> : true_type {};
template <class F, class... A>
struct is_invocable : __is_invocable<F, void(A...)> {};
template <class... B>
struct conjunction : true_type {};
template <class B, class... Others>
struct conjunction<B, Others...> : bool_constant<B::value && conjunction<Others...>::value> {};
template <class... B>
struct disjunction : false_type {};
template <class B, class... Others>
struct disjunction<B, Others...> : bool_constant<B::value || disjunction<Others...>::value> {};
template <class B>
struct negation : bool_constant<!B::value> {};
template <class T>
struct underlying_type : type_identity<__underlying_type(T)> {};
template <class T>
using underlying_type_t = typename underlying_type<T>::type;
template <class T>
struct alignment_of : integral_constant<size_t, alignof(T)> {};
template <class T>
struct make_unsigned : type_identity<T> {};
template <class T>
struct make_signed : type_identity<T> {};
#define JITSTUDIO_SIGNS(S)                               \
    template <>                                          \
    struct make_unsigned<S> : type_identity<unsigned S> {}; \
    template <>                                          \
    struct make_signed<unsigned S> : type_identity<S> {};
JITSTUDIO_SIGNS(short)
JITSTUDIO_SIGNS(int)
JITSTUDIO_SIGNS(long)
JITSTUDIO_SIGNS(long long)
#undef JITSTUDIO_SIGNS
template <>
struct make_unsigned<char> : type_identity<unsigned char> {};
template <>
struct make_unsigned<signed char> : type_identity<unsigned char> {};
template <>
struct make_signed<char> : type_identity<signed char> {};
template <>
struct make_signed<unsigned char> : type_identity<signed char> {};
template <class T>
using make_unsigned_t = typename make_unsigned<T>::type;
template <class T>
using make_signed_t = typename make_signed<T>::type;
template <class... T>
struct common_type;
template <class T>
struct common_type<T> : decay<T> {};
template <class T, class U>
struct common_type<T, U> : decay<decltype(true ? declval<T>() : declval<U>())> {};
template <class T, class U, class V, class... Others>
struct common_type<T, U, V, Others...>
    : common_type<typename common_type<T, U>::type, V, Others...> {};
template <class... T>
using common_type_t = typename common_type<T...>::type;
template <class F, class... A>
struct invoke_result : decay<decltype(declval<F>()(declval<A>()...))> {};
template <class F, class... A>
using invoke_result_t = decltype(declval<F>()(declval<A>()...));

#if __cplusplus >= 201703L
template <class T, class U>
inline constexpr bool is_same_v = is_same<T, U>::value;
template <class T>
inline constexpr bool is_const_v = is_const<T>::value;
template <class T>
inline constexpr bool is_pointer_v = is_pointer<T>::value;
template <class T>
inline constexpr bool is_reference_v = is_reference<T>::value;
template <class T>
inline constexpr bool is_array_v = is_array<T>::value;
template <class T>
inline constexpr bool is_void_v = is_void<T>::value;
template <class T>
inline constexpr bool is_floating_point_v = is_floating_point<T>::value;
template <class T>
inline constexpr bool is_integral_v = is_integral<T>::value;
template <class T>
inline constexpr bool is_arithmetic_v = is_arithmetic<T>::value;
template <class T>
inline constexpr bool is_signed_v = is_signed<T>::value;
template <class T>
inline constexpr bool is_unsigned_v = is_unsigned<T>::value;
template <class T>
inline constexpr bool is_enum_v = is_enum<T>::value;
template <class T>
inline constexpr bool is_class_v = is_class<T>::value;
template <class T>
inline constexpr bool is_empty_v = is_empty<T>::value;
template <class T>
inline constexpr bool is_trivially_copyable_v = is_trivially_copyable<T>::value;
template <class B, class D>
inline constexpr bool is_base_of_v = is_base_of<B, D>::value;
template <class From, class To>
inline constexpr bool is_convertible_v = is_convertible<From, To>::value;
template <class... B>
inline constexpr bool conjunction_v = conjunction<B...>::value;
template <class... B>
inline constexpr bool disjunction_v = disjunction<B...>::value;
template <class T>
inline constexpr bool is_lvalue_reference_v = is_lvalue_reference<T>::value;
template <class T>
inline constexpr bool is_rvalue_reference_v = is_rvalue_reference<T>::value;
template <class T>
inline constexpr bool is_volatile_v = is_volatile<T>::value;
template <class T>
inline constexpr bool is_null_pointer_v = is_null_pointer<T>::value;
template <class T>
inline constexpr bool is_union_v = is_union<T>::value;
template <class T>
inline constexpr bool is_final_v = is_final<T>::value;
template <class T>
inline constexpr bool is_abstract_v = is_abstract<T>::value;
template <class T>
inline constexpr bool is_polymorphic_v = is_polymorphic<T>::value;
template <class T>
inline constexpr bool is_aggregate_v = is_aggregate<T>::value;
template <class T>
inline constexpr bool is_trivial_v = is_trivial<T>::value;
template <class T>
inline constexpr bool is_fundamental_v = is_fundamental<T>::value;
template <class T>
inline constexpr bool is_scalar_v = is_scalar<T>::value;
template <class T>
inline constexpr bool is_standard_layout_v = is_standard_layout<T>::value;
template <class T>
inline constexpr bool is_pod_v = is_pod<T>::value;
template <class T>
inline constexpr bool is_default_constructible_v = is_default_constructible<T>::value;
template <class T>
inline constexpr bool is_copy_constructible_v = is_copy_constructible<T>::value;
template <class T>
inline constexpr bool is_move_constructible_v = is_move_constructible<T>::value;
template <class T>
inline constexpr bool is_copy_assignable_v = is_copy_assignable<T>::value;
template <class T>
inline constexpr bool is_trivially_default_constructible_v = is_trivially_default_constructible<T>::value;
template <class T>
inline constexpr bool is_trivially_destructible_v = is_trivially_destructible<T>::value;
template <class T, class... A>
inline constexpr bool is_constructible_v = is_constructible<T, A...>::value;
template <class T, class U>
inline constexpr bool is_assignable_v = is_assignable<T, U>::value;
template <class F, class... A>
inline constexpr bool is_invocable_v = is_invocable<F, A...>::value;
template <class T>
inline constexpr size_t rank_v = rank<T>::value;
template <class T, unsigned I = 0>
inline constexpr size_t extent_v = extent<T, I>::value;
template <class T>
inline constexpr size_t alignment_of_v = alignment_of<T>::value;
template <class B>
inline constexpr bool negation_v = negation<B>::value;
#endif

#ifdef __cpp_concepts
template <class T, class U>
concept same_as = is_same<T, U>::value && is_same<U, T>::value;
template <class D, class B>
concept derived_from = is_base_of<B, D>::value && is_convertible<const volatile D *, const volatile B *>::value;
template <class From, class To>
concept convertible_to = is_convertible<From, To>::value;
template <class T>
concept integral = is_integral<T>::value;
template <class T>
concept signed_integral = integral<T> && is_signed<T>::value;
template <class T>
concept unsigned_integral = integral<T> && !is_signed<T>::value;
template <class T>
concept floating_point = is_floating_point<T>::value;
template <class T, class... A>
concept constructible_from = is_constructible<T, A...>::value;
template <class T>
concept default_initializable = is_constructible<T>::value;
template <class T>
concept move_constructible = is_constructible<T, T>::value;
template <class T>
concept copy_constructible = is_constructible<T, const T &>::value;
template <class T, class U>
concept assignable_from = is_assignable<T, U>::value;
template <class T>
concept movable = move_constructible<T> && is_assignable<T &, T>::value;
template <class T>
concept copyable = copy_constructible<T> && movable<T> && is_assignable<T &, const T &>::value;
template <class T>
concept semiregular = copyable<T> && default_initializable<T>;
template <class T>
concept equality_comparable = requires(const T &a, const T &b) { bool(a == b); bool(a != b); };
template <class T>
concept totally_ordered = equality_comparable<T> && requires(const T &a, const T &b) {
    bool(a < b); bool(a > b); bool(a <= b); bool(a >= b);
};
template <class T>
concept regular = semiregular<T> && equality_comparable<T>;
template <class F, class... A>
concept invocable = is_invocable<F, A...>::value;
template <class F, class... A>
concept regular_invocable = invocable<F, A...>;
template <class F, class... A>
concept predicate = invocable<F, A...> && is_convertible<invoke_result_t<F, A...>, bool>::value;

namespace numbers {
#define JITSTUDIO_NUMBER(name, value)               \
    template <class T>                              \
    constexpr T name##_v = T(value);                \
    constexpr double name = value;
JITSTUDIO_NUMBER(e, 2.718281828459045235360287471352662498)
JITSTUDIO_NUMBER(log2e, 1.442695040888963407359924681001892137)
JITSTUDIO_NUMBER(log10e, 0.434294481903251827651128918916605082)
JITSTUDIO_NUMBER(pi, 3.141592653589793238462643383279502884)
JITSTUDIO_NUMBER(inv_pi, 0.318309886183790671537767526745028724)
JITSTUDIO_NUMBER(inv_sqrtpi, 0.564189583547756286948079451560772586)
JITSTUDIO_NUMBER(ln2, 0.693147180559945309417232121458176568)
JITSTUDIO_NUMBER(ln10, 2.302585092994045684017991454684364208)
JITSTUDIO_NUMBER(sqrt2, 1.414213562373095048801688724209698079)
JITSTUDIO_NUMBER(sqrt3, 1.732050807568877293527446341505872367)
JITSTUDIO_NUMBER(inv_sqrt3, 0.577350269189625764509148780501957456)
JITSTUDIO_NUMBER(phi, 1.618033988749894848204586834365638118)
#undef JITSTUDIO_NUMBER
}  // namespace numbers
#endif

template <class T, T... I>
struct integer_sequence {
    using value_type = T;
    __host__ __device__ static constexpr size_t size() noexcept { return sizeof...(I); }
};
template <size_t... I>
using index_sequence = integer_sequence<size_t, I...>;
template <class T, size_t N, T... I>
struct __make_sequence : __make_sequence<T, N - 1, N - 1, I...> {};
template <class T, T... I>
struct __make_sequence<T, 0, I...> : type_identity<integer_sequence<T, I...>> {};
template <class T, T N>
using make_integer_sequence = typename __make_sequence<T, size_t(N)>::type;
template <size_t N>
using make_index_sequence = make_integer_sequence<size_t, N>;

template <class T>
__host__ __device__ constexpr const T &min(const T &a, const T &b) {
    return b < a ? b : a;
}
template <class T>
__host__ __device__ constexpr const T &max(const T &a, const T &b) {
    return a < b ? b : a;
}
template <class T>
__host__ __device__ constexpr const T &clamp(const T &v, const T &low, const T &high) {
    return v < low ? low : high < v ? high : v;
}
template <class T>
__host__ __device__ JITSTUDIO_CONSTEXPR void swap(T &a, T &b) {
    T c = static_cast<T &&>(a);
    a = static_cast<T &&>(b);
    b = static_cast<T &&>(c);
}
template <class T, class U = T>
__host__ __device__ JITSTUDIO_CONSTEXPR T exchange(T &object, U &&value) {
    T old = static_cast<T &&>(object);
    object = static_cast<U &&>(value);
    return old;
}

template <class A, class B>
struct pair {
    using first_type = A;
    using second_type = B;
    A first;
    B second;
    pair() = default;
    __host__ __device__ constexpr pair(const A &a, const B &b) : first(a), second(b) {}
};
template <class A, class B>
__host__ __device__ constexpr pair<A, B> make_pair(A a, B b) {
    return pair<A, B>(a, b);
}
template <class T, size_t N>
struct array {
    using value_type = T;
    T _elements[N ? N : 1];
    __host__ __device__ JITSTUDIO_CONSTEXPR T &operator[](size_t i) { return _elements[i]; }
    __host__ __device__ constexpr const T &operator[](size_t i) const { return _elements[i]; }
    __host__ __device__ JITSTUDIO_CONSTEXPR T *data() { return _elements; }
    __host__ __device__ constexpr const T *data() const { return _elements; }
    __host__ __device__ JITSTUDIO_CONSTEXPR T *begin() { return _elements; }
    __host__ __device__ constexpr const T *begin() const { return _elements; }
    __host__ __device__ JITSTUDIO_CONSTEXPR T *end() { return _elements + N; }
    __host__ __device__ constexpr const T *end() const { return _elements + N; }
    __host__ __device__ constexpr size_t size() const { return N; }
};

template <class T = void>
struct plus {
    __host__ __device__ constexpr T operator()(const T &a, const T &b) const { return a + b; }
};
template <class T = void>
struct minus {
    __host__ __device__ constexpr T operator()(const T &a, const T &b) const { return a - b; }
};
template <class T = void>
struct multiplies {
    __host__ __device__ constexpr T operator()(const T &a, const T &b) const { return a * b; }
};
template <class T = void>
struct less {
    __host__ __device__ constexpr bool operator()(const T &a, const T &b) const { return a < b; }
};
template <class T = void>
struct greater {
    __host__ __device__ constexpr bool operator()(const T &a, const T &b) const { return b < a; }
};
template <class T = void>
struct equal_to {
    __host__ __device__ constexpr bool operator()(const T &a, const T &b) const { return a == b; }
};

template <class T>
struct numeric_limits {
    enum : bool { is_specialized = false };
};
template <class T>
struct numeric_limits<const T> : numeric_limits<T> {};
#define JITSTUDIO_LIMITS(T, LOW, HIGH, TINY, DIGITS, EPSILON, INF, QUIET, IS_INT)            \
    template <>                                                                              \
    struct numeric_limits<T> {                                                               \
        enum : bool {                                                                        \
            is_specialized = true,                                                           \
            is_signed = static_cast<T>(-1) < static_cast<T>(0),                              \
            is_integer = IS_INT,                                                             \
            is_exact = IS_INT,                                                               \
            has_infinity = !IS_INT,                                                          \
            has_quiet_NaN = !IS_INT                                                          \
        };                                                                                   \
        enum : int { digits = DIGITS, digits10 = DIGITS * 30103LL / 100000, radix = 2 };     \
        __host__ __device__ static constexpr T min() noexcept { return TINY; }               \
        __host__ __device__ static constexpr T max() noexcept { return HIGH; }               \
        __host__ __device__ static constexpr T lowest() noexcept { return LOW; }             \
        __host__ __device__ static constexpr T epsilon() noexcept { return EPSILON; }        \
        __host__ __device__ static constexpr T infinity() noexcept { return INF; }           \
        __host__ __device__ static constexpr T quiet_NaN() noexcept { return QUIET; }        \
    };
#define JITSTUDIO_INTEGER(T, LOW, HIGH, DIGITS) JITSTUDIO_LIMITS(T, LOW, HIGH, LOW, DIGITS, 0, 0, 0, true)
JITSTUDIO_INTEGER(bool, false, true, 1)
JITSTUDIO_INTEGER(char, CHAR_MIN, CHAR_MAX, 7)
JITSTUDIO_INTEGER(signed char, SCHAR_MIN, SCHAR_MAX, 7)
JITSTUDIO_INTEGER(unsigned char, 0, UCHAR_MAX, 8)
JITSTUDIO_INTEGER(short, SHRT_MIN, SHRT_MAX, 15)
JITSTUDIO_INTEGER(unsigned short, 0, USHRT_MAX, 16)
JITSTUDIO_INTEGER(int, INT_MIN, INT_MAX, 31)
JITSTUDIO_INTEGER(unsigned, 0, UINT_MAX, 32)
JITSTUDIO_INTEGER(long, LONG_MIN, LONG_MAX, int(sizeof(long) * 8 - 1))
JITSTUDIO_INTEGER(unsigned long, 0, ULONG_MAX, int(sizeof(long) * 8))
JITSTUDIO_INTEGER(long long, LLONG_MIN, LLONG_MAX, 63)
JITSTUDIO_INTEGER(unsigned long long, 0, ULLONG_MAX, 64)
JITSTUDIO_LIMITS(float, -FLT_MAX, FLT_MAX, FLT_MIN, 24, FLT_EPSILON, __builtin_bit_cast(float, 0x7f800000), __builtin_bit_cast(float, 0x7fffffff), false)
JITSTUDIO_LIMITS(double, -DBL_MAX, DBL_MAX, DBL_MIN, 53, DBL_EPSILON, __builtin_bit_cast(double, 0x7ff0000000000000ULL), __builtin_bit_cast(double, 0x7fffffffffffffffULL), false)
#undef JITSTUDIO_INTEGER
#undef JITSTUDIO_LIMITS

// For the host only: as large as in libstdc++, so that what a kernel is given is laid out alike.
template <int Words>
struct __host_only {
    void *_words[Words];
};
template <class T>
struct allocator {};
template <class T, class A = void>
struct vector : __host_only<3> {};
template <class C>
struct basic_string : __host_only<4> {};
using string = basic_string<char>;
template <class C>
struct basic_string_view : __host_only<2> {};
using string_view = basic_string_view<char>;
template <class T, class A = void>
struct list : __host_only<3> {};
template <class T, class A = void>
struct deque : __host_only<10> {};
template <class T, class C = void>
struct queue : __host_only<10> {};
template <class T, class C = void>
struct stack : __host_only<10> {};
template <class T, class C = void, class O = void>
struct priority_queue : __host_only<4> {};
template <class K, class T, class C = void, class A = void>
struct map : __host_only<6> {};
template <class K, class T, class C = void, class A = void>
struct multimap : __host_only<6> {};
template <class T, class C = void, class A = void>
struct set : __host_only<6> {};
template <class T, class C = void, class A = void>
struct multiset : __host_only<6> {};
template <class K, class T, class H = void, class E = void, class A = void>
struct unordered_map : __host_only<7> {};
template <class T, class H = void, class E = void, class A = void>
struct unordered_set : __host_only<7> {};
template <class T>
struct default_delete {};
template <class T, class D = default_delete<T>>
struct unique_ptr : __host_only<1> {};
template <class T>
struct shared_ptr : __host_only<2> {};
template <class T>
struct weak_ptr : __host_only<2> {};
template <class F>
struct function : __host_only<4> {};
template <class T>
struct hash {};
template <class... T>
struct tuple;
template <class T>
struct optional {
    T _value;
    bool _engaged;
};
template <class T>
struct atomic {
    T _value;
};
template <class T>
struct complex {
    T _real, _imaginary;
};
template <class T>
struct reference_wrapper : __host_only<1> {};
struct mutex : __host_only<5> {};
struct thread : __host_only<1> {};
struct condition_variable : __host_only<6> {};
struct exception {
    __host__ __device__ virtual const char *what() const noexcept { return nullptr; }
};
struct runtime_error : exception, __host_only<1> {};
struct logic_error : exception, __host_only<1> {};
struct invalid_argument : logic_error {};
struct out_of_range : logic_error {};
struct ostream;
struct istream;
struct iostream;
struct ofstream;
struct ifstream;
struct fstream;
struct stringstream;
struct ostringstream;
struct istringstream;
struct random_device;
struct mt19937;
struct mt19937_64;
namespace chrono {}
namespace filesystem {}
namespace placeholders {}
namespace this_thread {}
namespace literals {}
namespace string_literals {}

#undef JITSTUDIO_CONSTEXPR

}  // namespace std
