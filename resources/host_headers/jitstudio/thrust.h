// The parts of Thrust for device code, in place of its containers and algorithms, which are host
// code: a header of those brings these along.
#pragma once
#if __has_include(<thrust/detail/raw_pointer_cast.h>)
#include <thrust/detail/raw_pointer_cast.h>
#endif
#if __has_include(<thrust/functional.h>)
#include <thrust/functional.h>
#endif
#if __has_include(<thrust/pair.h>)
#include <thrust/pair.h>
#endif
#if __has_include(<thrust/tuple.h>)
#include <thrust/tuple.h>
#endif
#if __has_include(<thrust/iterator/constant_iterator.h>)
#include <thrust/iterator/constant_iterator.h>
#endif
#if __has_include(<thrust/iterator/counting_iterator.h>)
#include <thrust/iterator/counting_iterator.h>
#endif
#if __has_include(<thrust/iterator/discard_iterator.h>)
#include <thrust/iterator/discard_iterator.h>
#endif
#if __has_include(<thrust/iterator/permutation_iterator.h>)
#include <thrust/iterator/permutation_iterator.h>
#endif
#if __has_include(<thrust/iterator/reverse_iterator.h>)
#include <thrust/iterator/reverse_iterator.h>
#endif
#if __has_include(<thrust/iterator/transform_iterator.h>)
#include <thrust/iterator/transform_iterator.h>
#endif
#if __has_include(<thrust/iterator/zip_iterator.h>)
#include <thrust/iterator/zip_iterator.h>
#endif
