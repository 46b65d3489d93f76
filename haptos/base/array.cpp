#include "haptos/base/array.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>

#if defined(HAPTOS_CUDA)
#include <cuda_runtime.h>
#endif

namespace haptos {

bool device_available(const char** reason) {
  const char* why = "this build has no CUDA (configure with -DHAPTOS_CUDA=ON)";
#if defined(HAPTOS_CUDA)
  int n = 0;
  if (cudaGetDeviceCount(&n) == cudaSuccess && n > 0) return true;
  why = "no CUDA device or driver on this machine";
#endif
  if (reason) *reason = why;
  return false;
}

namespace internal {

void* allocate(std::size_t bytes, MemorySpace space) {
  if (bytes == 0) return nullptr;
#if defined(HAPTOS_CUDA)
  if (space == MemorySpace::kDevice) {
    void* p = nullptr;
    if (cudaMalloc(&p, bytes) != cudaSuccess) throw std::bad_alloc();
    return p;
  }
#endif
  if (space == MemorySpace::kDevice) throw std::bad_alloc();
  return ::operator new(bytes, std::align_val_t(64));
}

void release(void* p, MemorySpace space) noexcept {
  if (!p) return;
#if defined(HAPTOS_CUDA)
  if (space == MemorySpace::kDevice) {
    cudaFree(p);
    return;
  }
#endif
  (void)space;
  ::operator delete(p, std::align_val_t(64));
}

void copy(void* to, MemorySpace to_space, const void* from, MemorySpace from_space,
          std::size_t bytes) {
  if (bytes == 0) return;
#if defined(HAPTOS_CUDA)
  if (to_space != MemorySpace::kHost || from_space != MemorySpace::kHost) {
    if (cudaMemcpy(to, from, bytes, cudaMemcpyDefault) != cudaSuccess)
      throw std::runtime_error("cudaMemcpy failed");
    return;
  }
#endif
  (void)to_space;
  (void)from_space;
  std::memcpy(to, from, bytes);
}

}  // namespace internal
}  // namespace haptos
