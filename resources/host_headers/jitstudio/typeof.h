// typeof, which nvcc has from the compiler of the host, and NVRTC lacks.
#pragma once

namespace jitstudio {
template <class T> struct Unreferenced { using type = T; };
template <class T> struct Unreferenced<T &> { using type = T; };
template <class T> struct Unreferenced<T &&> { using type = T; };
} // namespace jitstudio

#define typeof(...) typename jitstudio::Unreferenced<decltype(__VA_ARGS__)>::type
#define __typeof__(...) typeof(__VA_ARGS__)
#define __typeof(...) typeof(__VA_ARGS__)
