#include "haptos/system/coat/coat_compliance.h"

#include <algorithm>

#include "haptos/base/math/index.h"
#include "haptos/base/parallel.h"

namespace haptos {

// By columns, which are rows: C is symmetric.
void CoatCompliance::displace(const std::vector<int>& pressed, const std::vector<Vec3d>& force,
                              std::vector<Vec3d>& out) const {
  constexpr std::ptrdiff_t kAtOnce = 384;
  const auto row = static_cast<std::ptrdiff_t>(3 * rest.size());
  out.assign(rest.size(), Vec3d::zero());
  for_each((row + kAtOnce - 1) / kAtOnce,
           [&](std::ptrdiff_t part) {
             const std::ptrdiff_t first = part * kAtOnce, count = std::min(kAtOnce, row - first);
             double u[kAtOnce] = {};
             for (std::size_t k = 0; k < pressed.size(); ++k)
               for (int r = 0; r < 3; ++r) {
                 const double f = force[k][r];
                 if (f == 0) continue;
                 const float* c = matrix.data() + (3 * pressed[k] + r) * row + first;
                 for (std::ptrdiff_t i = 0; i < count; ++i) u[i] += f * static_cast<double>(c[i]);
               }
             for (std::ptrdiff_t i = 0; i < count; ++i)
               out[at_index((first + i) / 3)][static_cast<int>((first + i) % 3)] = u[i];
           },
           1);
}

std::vector<Vec3d> CoatCompliance::displace_pressed(const std::vector<int>& pressed,
                                                    const std::vector<Vec3d>& force) const {
  std::vector<Vec3d> out(pressed.size(), Vec3d::zero());
  for (std::size_t k = 0; k < pressed.size(); ++k) {
    if (!(squared_norm(force[k]) > 0)) continue;
    for (std::size_t i = 0; i < pressed.size(); ++i)
      out[i] += transpose(give(pressed[k], pressed[i])) * force[k];
  }
  return out;
}

void CoatCompliance::beyond_nodes(const std::vector<double>& pressed,
                                  std::vector<double>& out) const {
  out.assign(probe.size(), 0.0);
  for (std::size_t p = 0; p < probe.size(); ++p) {
    if (pressed[p] == 0) continue;
    for (int k = first_near[p]; k < first_near[p + 1]; ++k) {
      const Near& other = near[at_index(k)];
      out[at_index(other.probe)] += static_cast<double>(other.give) * pressed[p];
    }
  }
}

}  // namespace haptos
