#include "haptos/contact/live/overlap/slave_lattice.h"

#include <algorithm>

namespace haptos {

SlaveLattice::Share SlaveLattice::share(int triangle, double u, double v) const {
  // The cell (i, j) of steps 1/n, and where in it.
  const double x = std::clamp(u, 0.0, 1.0) * n_, y = std::clamp(v, 0.0, 1.0) * n_;
  int i = std::min(static_cast<int>(x), n_ - 1), j = std::min(static_cast<int>(y), n_ - 1 - i);
  j = std::max(j, 0);
  const double s = x - i, t = y - j;
  if (s + t <= 1 || i + j >= n_ - 1)
    return {{number(triangle, i, j), number(triangle, i + 1, j), number(triangle, i, j + 1)},
            {std::max(0.0, 1 - s - t), s, t}};
  return {{number(triangle, i + 1, j + 1), number(triangle, i, j + 1), number(triangle, i + 1, j)},
          {s + t - 1, 1 - s, 1 - t}};
}

}  // namespace haptos
