// What both precisions of the dense kernels are compiled with: which instruction sets there are
// versions for, and the macros of dense_kernels_body.h.
#pragma once

#include <type_traits>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define HAPTOS_X86 1
#else
#define HAPTOS_X86 0
#endif

// A version for AVX-512 is compiled beside the baseline and chosen at run time. Clang has no
// counterpart of the target pragma that reaches into templates, so it builds the baseline only.
#if HAPTOS_X86 && !defined(__clang__) && defined(__AVX2__) && defined(__FMA__)
#define HAPTOS_TWO_VERSIONS 1
#else
#define HAPTOS_TWO_VERSIONS 0
#endif

#define HAPTOS_KERNEL inline
#define HAPTOS_LAMBDA __attribute__((always_inline))

namespace haptos {
template <int n>
using Width = std::integral_constant<int, n>;
}  // namespace haptos
