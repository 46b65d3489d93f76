#include "haptos/geometry/shape/planar_hull.h"

#include <algorithm>

#include "haptos/base/math/index.h"
#include "haptos/geometry/query/exact.h"

namespace haptos {

// Monotone chain.
void planar_hull(const std::vector<Vec2d>& x, std::vector<int>& order, std::vector<int>& hull) {
  hull.clear();
  if (x.empty()) return;
  order.resize(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) order[i] = static_cast<int>(i);
  const auto p = [&](int i) { return x[at_index(i)]; };
  std::sort(order.begin(), order.end(), [&](int i, int j) {
    if (p(i)[0] != p(j)[0]) return p(i)[0] < p(j)[0];
    if (p(i)[1] != p(j)[1]) return p(i)[1] < p(j)[1];
    return i < j;
  });
  for (const bool upper : {false, true}) {
    const std::size_t base = hull.size();
    for (std::size_t k = 0; k < order.size(); ++k) {
      const int i = order[upper ? order.size() - 1 - k : k];
      while (hull.size() >= base + 2) {
        // Exact, since many points lie on one line but for round-off.
        if (orient2d_sign(p(hull[hull.size() - 2]), p(hull.back()), p(i)) > 0) break;
        hull.pop_back();
      }
      hull.push_back(i);
    }
    hull.pop_back();
  }
  if (hull.empty()) hull.push_back(order[0]);
}

}  // namespace haptos
