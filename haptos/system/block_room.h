// Room for the numbers of a block: most are small and fit on the stack; those of large robots take
// memory that each thread keeps, so that no step allocates. And what terms make of a Jacobian
// there.
#pragma once

#include <cstddef>
#include <vector>

#include "haptos/base/math/math.h"

namespace haptos::internal {

/// Unknowns of a block up to which its numbers are kept on the stack.
inline constexpr int kSmallBlock = 64;

/// At least `count` numbers that live until the next call of the same slot in this thread. Each
/// caller has a slot of its own.
template <int kSlot>
double* thread_room(std::size_t count) {
  thread_local std::vector<double> room;
  if (room.size() < count) room.resize(count);
  return room.data();
}

/// out += h J of a row-major 3 x n Jacobian, 3 x n too.
inline void add_product(const Mat3d& h, const double* j, int n, double* out) {
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < n; ++c)
      out[r * n + c] += fma(h(r, 0), j[c], fma(h(r, 1), j[n + c], h(r, 2) * j[2 * n + c]));
}

}  // namespace haptos::internal
