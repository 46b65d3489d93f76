// The samples of two surfaces where they are now: patches of faces and of edges that stand out.
#pragma once

#include "haptos/contact/candidates/candidates.h"
#include "haptos/contact/mortar/mortar_patch.h"

namespace haptos {

/// What patches need to know of the two surfaces; areas and lengths at rest.
struct MortarSides {
  const ContactSurface* slave = nullptr;
  const ContactSurface* master = nullptr;
  double support = 0, stiffness = 0;  ///< [m], [Pa/m]
  int order = 2;                      ///< of the quadrature of faces
  std::vector<double> size;           ///< of slave triangles, sqrt(2 A) [m]
  std::vector<double> breadth;  ///< of slave edges: a third of the area beside, per length [m]
  /// Edges that may stand out: those too flat for it are left out.
  std::vector<char> slave_edge, master_edge;
};

/// Fills sizes and breadths.
MortarSides mortar_sides(const ContactSurface& slave, const ContactSurface& master, double support,
                         double stiffness, int order);
/// Marks the edges that may stand out in the step that starts at x.
void mark_edges(MortarSides& sides, const std::vector<Vec3d>& x, bool slave_bends,
                bool master_bends);

struct MortarSamples {
  std::vector<MortarPatch> patches;
  std::vector<MortarSample> samples;
};

/// @param near     cells of the master near each slave triangle
/// @param x_start  where the step starts: what stands out is read there
void collect_samples(const MortarSides& sides, const IndexLists& near, const std::vector<Vec3d>& x,
                     const std::vector<Vec3d>& x_start, MortarSamples& out);

/// Reads the same samples at other positions: gaps, normals, and where the other surface is met.
/// Gaps may be negative then: a triangle is taken for its plane.
void follow_samples(const std::vector<Vec3d>& x, MortarSamples& samples);

}  // namespace haptos
