// The features of a surface that a point sees within a radius, each counted once.
//
// A barrier summed over triangles counts a point twice beside every edge, so a flat face of two
// triangles prints its diagonal, and pressure depends on the mesh. Counting by inclusion and
// exclusion,
//
//   sum over faces f of B(d_f)  +  sum over edges e of (1 - n_e) B(d_e)  +  sum over vertices v of
//   c_v B(d_v),     n_e the triangles at e, c_v such that a vertex's star adds up to one,
//
// gives exactly B(d) wherever the surface is locally flat or convex, for any triangulation, stays
// continuous with its first derivative, and adds both faces in a concave corner. Since every d here
// is reached at a closest feature, terms are gathered by that feature and most cancel before
// anything is evaluated. (Li, Ferguson et al., Convergent Incremental Potential Contact, 2023, use
// the same sum; closed, open and non-manifold surfaces follow from the counts of ContactSurface.)
#pragma once

#include <span>
#include <vector>

#include "haptos/contact/surface.h"

namespace haptos {

struct SeenFeature {
  FeatureKind kind;
  int id;           ///< triangle, edge or vertex
  int count;        ///< signed number of times it counts; never 0
  double distance;  ///< [m]
};

/// Appends the features of `surface` at positions x that point p sees closer than `radius`, among
/// the candidate cells (which must hold every cell closer than radius). Sorted by (kind,
/// id).
void closest_features(const ContactSurface& surface, const std::vector<Vec3d>& x, const Vec3d& p,
                      std::span<const int> candidates, double radius,
                      std::vector<SeenFeature>& out);

}  // namespace haptos
