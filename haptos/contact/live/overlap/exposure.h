// How far an edge or a corner stands out against what it meets, 0 to 1: how much of the load there
// the faces beside it do not carry.
//
// A face that rises from the edge with slope s leaves a strip d / s wide within the support. That
// is enough while it is no less than the size L of the slave's triangles, since they cannot follow
// the surface any closer. So
//
//   w = H(r_0) H(r),   r = s L / (2 d),   H(r) = 3 t^2 - 2 t^3,   t = (r - 1/2) / (3/2) from 0 to 1
//
// with s_0 in r_0 half the dihedral angle's tangent at rest, and s the least slope now of the
// surface on both sides, out to a distance of L / 2, against the normal of what the edge meets. A
// flat or concave edge has weight 0, and so has the rim of a face that lies flush, however finely
// it is divided; a ridge whose two sides rise has 1. Of a corner s_0 is the tangent of the mean
// tilt of its faces, and s the least slope all around: along a ridge, which carries itself, it has
// 0.
#pragma once

#include <algorithm>

#include "haptos/contact/surface.h"

namespace haptos {

/// 3 t^2 - 2 t^3 from 0 at t = 0 to 1 at t = 1, and these beyond.
inline double smooth_step(double t) {
  t = std::clamp(t, 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

class Exposure {
 public:
  Exposure() = default;
  /// @param reach  distance at which slopes are taken, L / 2 [m]
  Exposure(const ContactSurface& surface, double reach);

  /// Whether an edge may stand out: a dihedral angle of more than 30 degrees at rest, a rim or a
  /// loose segment.
  bool sharp(int edge) const { return slope_[static_cast<std::size_t>(edge)] > 0; }
  /// Whether a vertex may: a mean tilt of its faces of more than 15 degrees at rest, or loose.
  bool corner(int vertex) const { return corner_[static_cast<std::size_t>(vertex)] > 0; }
  /// w of an edge with the surface at x, against a plane of unit normal n that faces it; size L and
  /// support d [m].
  double weight(const std::vector<Vec3d>& x, int edge, const Vec3d& n, double size,
                double support) const;
  /// w of a corner.
  double corner_weight(const std::vector<Vec3d>& x, int vertex, const Vec3d& n, double size,
                       double support) const;

 private:
  const ContactSurface* surface_ = nullptr;
  IndexLists ring_;  // of vertices of sharp edges and of corners: those about so far from them
  std::vector<double> slope_;   // s_0 of edges; 0 of one that never stands out
  std::vector<double> corner_;  // of vertices
};

}  // namespace haptos
