// The samples of two surfaces where they are now: patches of faces.
#pragma once

#include "haptos/contact/live/overlap/exposure.h"
#include "haptos/contact/live/overlap/mortar_patch.h"
#include "haptos/contact/search/candidates.h"

namespace haptos {

/// What patches need to know of the two surfaces; areas and lengths at rest.
struct MortarSides {
  const ContactSurface* slave = nullptr;
  const ContactSurface* master = nullptr;
  double support = 0, stiffness = 0;  ///< [m], [Pa/m]
  int order = 2;                      ///< of the quadrature of faces
  /// Of slave triangles, sqrt(2 A): the median, and means at vertices, so that what an edge stands
  /// for changes evenly along it [m].
  double typical_size = 0;
  std::vector<double> size;
  std::vector<double> breadth;  ///< of slave edges: a third of the area beside, per length [m]
  Exposure slave_exposure, master_exposure;
  /// Slopes at rest by which the master falls away beyond each edge of a triangle, against its
  /// corners, (T, 3).
  std::vector<Vec3d> fall;
  std::vector<Vec3d> fall_behind;  ///< the same of an open master met from behind; else empty
};

/// Fills sizes, breadths and what may stand out.
MortarSides mortar_sides(const ContactSurface& slave, const ContactSurface& master, double support,
                         double stiffness, int order);

struct MortarSamples {
  std::vector<MortarPatch> patches;
  std::vector<MortarSample> samples;
};

/// @param near  cells of the master near each slave triangle
void collect_samples(const MortarSides& sides, const IndexLists& near, const std::vector<Vec3d>& x,
                     MortarSamples& out);

/// Reads the same samples at other positions: gaps, normals, and where the other surface is met.
/// Gaps may be negative then: a triangle is taken for its plane, from which the surface falls away
/// beyond ridges and rims. That fall is in the energy that a search reads, not in derivatives.
/// Infinite where a triangle has turned away from the base.
void follow_samples(const std::vector<Vec3d>& x, MortarSamples& samples);

/// The largest part of the motion x -> x + t dx, t <= limit, in which no gap shrinks by more than
/// nine tenths along its linear change. Samples that have left their triangle by then do not count.
double sample_step_cap(const MortarSamples& samples, const std::vector<Vec3d>& x,
                       const std::vector<Vec3d>& dx, double limit);

}  // namespace haptos
