// One loop for either memory space: kernel(i) for i in [0, n), on host threads or on the device.
// Included only by the sources listed in cmake/kernels.cmake. A kernel is a named functor that is
// trivially copyable and has HAPTOS_HD void operator()(std::ptrdiff_t) const.
#pragma once

#include <cstddef>
#include <stdexcept>

#include "haptos/base/array.h"
#include "haptos/base/parallel.h"

#if defined(__CUDACC__)
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#endif

namespace haptos {

template <class Kernel>
void launch(MemorySpace space, std::ptrdiff_t n, const Kernel& kernel) {
  if (space == MemorySpace::kHost) {
    for_each(n, kernel);
    return;
  }
#if defined(__CUDACC__)
  thrust::for_each_n(thrust::device, thrust::counting_iterator<std::ptrdiff_t>(0), n, kernel);
#else
  throw std::runtime_error("launch: this build has no CUDA (configure with -DHAPTOS_CUDA=ON)");
#endif
}

}  // namespace haptos
