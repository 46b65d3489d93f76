#include "haptos/geometry/pressure/cell_polygons.h"

#include <cstddef>

namespace haptos {
namespace {

// The edge between two neighbouring corners.
int edge_of(int i, int j) {
  const int along = i ^ j, lower = i & j;
  const int d = along == 1 ? 0 : along == 2 ? 1 : 2;
  return 4 * d + (lower >> (d + 1) % 3 & 1) + 2 * (lower >> (d + 2) % 3 & 1);
}

CellPolygons make(unsigned inside) {
  const auto is_in = [&](int corner) { return (inside >> corner & 1) != 0; };
  // On each face, counter-clockwise as seen from outside, from where the inside starts to where it
  // ends.
  std::array<int, 12> next;
  next.fill(-1);
  for (int d = 0; d < 3; ++d)
    for (int upper = 0; upper < 2; ++upper) {
      const int a = 1 << (d + 1) % 3, b = 1 << (d + 2) % 3, base = upper << d;
      const int corner[4] = {base, base + (upper ? a : b), base + a + b, base + (upper ? b : a)};
      for (int k = 0; k < 4; ++k) {
        if (is_in(corner[k]) || !is_in(corner[(k + 1) % 4])) continue;
        int last = k + 1;
        while (is_in(corner[(last + 1) % 4])) ++last;
        next[static_cast<std::size_t>(edge_of(corner[k], corner[(k + 1) % 4]))] =
            edge_of(corner[last % 4], corner[(last + 1) % 4]);
      }
    }
  CellPolygons p;
  std::uint8_t n = 0;
  for (std::size_t first = 0; first < 12; ++first) {
    if (next[first] < 0) continue;
    for (auto e = first; next[e] >= 0;) {
      p.edge[n++] = static_cast<std::uint8_t>(e);
      const int to = next[e];
      next[e] = -1;
      e = static_cast<std::size_t>(to);
    }
    p.start[++p.count] = n;
  }
  return p;
}

}  // namespace

const CellPolygons& cell_polygons(unsigned inside) {
  static const std::array<CellPolygons, 256> all = [] {
    std::array<CellPolygons, 256> a;
    for (unsigned i = 0; i < 256; ++i) a[i] = make(i);
    return a;
  }();
  return all[inside & 255];
}

}  // namespace haptos
