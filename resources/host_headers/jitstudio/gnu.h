// That the compiler of the host is GCC, for texts that take no other one.
//
// NVIDIA's headers ask for the host's compiler, too, and would be other ones: see `platform.h`.
#pragma once

#ifndef __GNUC__
#define __GNUC__ 12
#define __GNUC_MINOR__ 2
#define __GNUC_PATCHLEVEL__ 0
#define __GNUG__ 12
#endif
