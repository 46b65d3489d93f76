// Room for the numbers of a block: most are small and fit on the stack; those of large robots take
// memory that each thread keeps, so that no step allocates. And what terms make of a Jacobian
// there.
#pragma once

#include <cstddef>
#include <vector>

#include "haptos/base/math/lanes.h"
#include "haptos/base/math/math.h"

namespace haptos::internal {

/// Unknowns of a block up to which its numbers are kept on the stack.
inline constexpr int kSmallBlock = 64;

/// At least `count` numbers that live until the next call of the same slot in this thread. Each
/// caller has a slot of its own.
template <int kSlot, class T = double>
T* thread_room(std::size_t count) {
  thread_local std::vector<T> room;
  if (room.size() < count) room.resize(count);
  return room.data();
}

/// out += h J of a row-major 3 x n Jacobian, 3 x n too.
inline void add_product(const Mat3d& h, const double* j, int n, double* out) {
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < n; ++c)
      out[r * n + c] += fma(h(r, 0), j[c], fma(h(r, 1), j[n + c], h(r, 2) * j[2 * n + c]));
}

/// out += Ji^T h Jj of row-major 3 x m and 3 x n Jacobians; rows of out are n apart. Most unknowns
/// of a large robot do not move a point: rows that are zero are left out, and four columns that all
/// are.
inline void add_dense(const double* ji, int m, const Mat3d& h, const double* jj, int n,
                      double* out) {
  using Four = Pack<double, 4>;
  struct Columns {
    int first;
    Four hj[3];
  };
  Columns few[kSmallBlock / 4];
  Columns* columns = few;
  if (n > kSmallBlock) columns = thread_room<0, Columns>(static_cast<std::size_t>((n + 3) / 4));
  const auto none = [](double a, double b, double d) { return a == 0 && b == 0 && d == 0; };
  int count = 0;
  for (int c = 0; c < n; c += 4) {
    double j[3][4] = {};
    bool moves = false;
    for (int k = 0; k < 4 && c + k < n; ++k) {
      for (int r = 0; r < 3; ++r) j[r][k] = jj[r * n + c + k];
      moves = moves || !none(j[0][k], j[1][k], j[2][k]);
    }
    if (!moves) continue;
    Columns& to = columns[count++];
    to.first = c;
    for (int r = 0; r < 3; ++r)
      to.hj[r] = fma(Four(h(r, 0)), Four::load(j[0]),
                     fma(Four(h(r, 1)), Four::load(j[1]), Four(h(r, 2)) * Four::load(j[2])));
  }
  for (int r = 0; r < m; ++r) {
    const double a = ji[r], b = ji[m + r], d = ji[2 * m + r];
    if (none(a, b, d)) continue;
    for (int k = 0; k < count; ++k) {
      const Columns& f = columns[k];
      const Four v = fma(Four(a), f.hj[0], fma(Four(b), f.hj[1], Four(d) * f.hj[2]));
      double* to = out + r * n + f.first;
      if (f.first + 4 <= n)
        (Four::load(to) + v).store(to);
      else
        for (int l = 0; f.first + l < n; ++l) to[l] += v[l];
    }
  }
}

}  // namespace haptos::internal
