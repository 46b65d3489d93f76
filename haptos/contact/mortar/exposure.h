// How far an edge or a corner stands out against what it meets, 0 to 1: how much of the load there
// the faces beside it do not carry.
//
// A face integral bears little where few points of the slave are near: a surface that rises from
// the feature with slope s leaves a strip d / s wide within the support. That is enough while it is
// no less than the size L of the slave's triangles, since they cannot follow the surface any closer.
// So, with slopes taken at a distance of L / 2,
//
//   w = H((r - 1/2) / (3/2)) H((q - .1) / .4),     H(t) = 3 t^2 - 2 t^3 from 0 to 1
//   r = s_0 L / (2 d)    s_0: mean slope at rest against the feature's own normal
//   q = s / s_0          s: least slope now against the normal of what it meets
//
// A flat or concave place has weight 0, and so has the rim of a face that lies flush, however finely
// it is divided; a ridge whose two sides rise, the tip of a cone, and a ball that is smaller than
// the slave's triangles have 1.
#pragma once

#include "haptos/contact/surface.h"

namespace haptos {

class Exposure {
 public:
  Exposure() = default;
  /// @param x      positions of all points, with the surface as it is at rest but for where it is
  /// @param reach  distance at which slopes are taken, L / 2 [m]
  Exposure(const ContactSurface& surface, const std::vector<Vec3d>& x, double reach);

  /// Whether an edge may stand out: dihedral angles of more than 30 degrees, rims, loose segments.
  bool sharp(int edge) const { return edge_slope_[static_cast<std::size_t>(edge)] > 0; }
  bool convex(int vertex) const { return vertex_slope_[static_cast<std::size_t>(vertex)] > 0; }

  /// w of a vertex with the surface at x, against a plane of unit normal n that faces it; size L and
  /// support d [m].
  double of_vertex(const std::vector<Vec3d>& x, int vertex, const Vec3d& n, double size,
                   double support) const;
  double of_edge(const std::vector<Vec3d>& x, int edge, const Vec3d& n, double size,
                 double support) const;

 private:
  const ContactSurface* surface_ = nullptr;
  IndexLists ring_;  // vertices about so far from each
  std::vector<double> vertex_slope_, edge_slope_;  // s_0; 0 of what never stands out
};

}  // namespace haptos
