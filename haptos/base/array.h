// Arrays that know their memory space. Kernels take ArrayView, which is a pointer, a length and the
// space the pointer lives in; a view of one space is never handed to a loop of the other.
#pragma once

#include <cassert>
#include <cstddef>
#include <utility>
#include <vector>

#include "haptos/base/math/scalar.h"

namespace haptos {

enum class MemorySpace : std::uint8_t { kHost, kDevice };

template <class T>
struct ArrayView {
  T* data = nullptr;
  std::ptrdiff_t size = 0;
  MemorySpace space = MemorySpace::kHost;
  HAPTOS_HD T& operator[](std::ptrdiff_t i) const { return data[i]; }
};

namespace internal {
// Defined in base/array.cpp, which nvcc compiles in a CUDA build.
void* allocate(std::size_t bytes, MemorySpace space);
void release(void* p, MemorySpace space) noexcept;
void copy(void* to, MemorySpace to_space, const void* from, MemorySpace from_space,
          std::size_t bytes);
}  // namespace internal

/// Whether this build and this machine have a CUDA device; the reason when they have not.
bool device_available(const char** reason = nullptr);

/// A fixed-length array of trivially copyable T in one memory space.
template <class T>
class Array {
 public:
  Array() = default;
  explicit Array(std::ptrdiff_t n, MemorySpace space = MemorySpace::kHost)
      : view_{static_cast<T*>(internal::allocate(static_cast<std::size_t>(n) * sizeof(T), space)),
              n, space} {}
  Array(const std::vector<T>& v, MemorySpace space)
      : Array(static_cast<std::ptrdiff_t>(v.size()), space) {
    internal::copy(view_.data, space, v.data(), MemorySpace::kHost, v.size() * sizeof(T));
  }
  Array(Array&& o) noexcept : view_(o.view_) { o.view_ = {}; }
  Array& operator=(Array&& o) noexcept {
    std::swap(view_, o.view_);
    return *this;
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { internal::release(view_.data, view_.space); }

  ArrayView<T> view() const { return view_; }
  MemorySpace space() const { return view_.space; }
  std::ptrdiff_t size() const { return view_.size; }

  std::vector<T> to_host() const {
    std::vector<T> v(static_cast<std::size_t>(view_.size));
    internal::copy(v.data(), MemorySpace::kHost, view_.data, view_.space, v.size() * sizeof(T));
    return v;
  }

 private:
  ArrayView<T> view_;
};

}  // namespace haptos
