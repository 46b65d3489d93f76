// Loads on a soft body as a person describes them, constant or piecewise linear in time. What they
// do: bodies/loads/loads.h.
#pragma once

#include <cstdint>
#include <vector>

#include "haptos/base/math/math.h"

namespace haptos {

/// A value at a time [s].
template <class V>
struct Knot {
  double time = 0;
  V value{};
};

/// Straight between knots, whose times rise, and held beyond the ends: one knot is a constant, none
/// is zero.
template <class V>
using History = std::vector<Knot<V>>;

template <class V>
V value_at(const History<V>& h, double time) {
  if (h.empty()) return V{};
  if (time <= h.front().time) return h.front().value;
  for (std::size_t i = 1; i < h.size(); ++i)
    if (time < h[i].time) {
      const double a = (time - h[i - 1].time) / (h[i].time - h[i - 1].time);
      return h[i - 1].value * (1 - a) + h[i].value * a;
    }
  return h.back().value;
}

/// Loads beyond these are slips of units.
constexpr double kLargestForce = 1e12, kLargestPressure = 1e13,
                 kLargestAcceleration = 1e6;  ///< [N], [Pa], [m/s2]

/// How a force is divided among vertices.
enum class Spread : std::uint8_t {
  kNodes,  ///< equal shares for the vertices listed
  kArea,   ///< uniform over the rest area of the surface triangles whose corners are all listed
};

/// A dead force: its direction and size do not follow the body.
struct NodalForce {
  std::vector<int> vertices;  ///< of the soft body's mesh as given
  History<Vec3d> force;       ///< of all of them together [N], world
  Spread spread = Spread::kNodes;
};

/// A pressure that follows the surface: the traction is -p n on the deformed triangles.
struct SurfacePressure {
  /// Surface triangles by vertices of the mesh as given, corners in any order; empty: all.
  std::vector<Vec3i> triangles;
  History<double> pressure;  ///< [Pa], positive pushes inwards
};

}  // namespace haptos
