// What the compiler of the host says of its platform in nvcc, and NVRTC does not.
#pragma once

#ifndef _WIN32
#ifndef __linux__
#define __linux__ 1
#define __linux 1
#define __gnu_linux__ 1
#endif
#ifndef __unix__
#define __unix__ 1
#define __unix 1
#endif
#ifndef __ELF__
#define __ELF__ 1
#endif
#if !defined(__x86_64__) && !defined(__aarch64__)
#define __x86_64__ 1
#define __x86_64 1
#define __amd64__ 1
#define __amd64 1
#endif
#endif
