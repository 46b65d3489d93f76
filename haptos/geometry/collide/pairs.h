// Distance of two convex shapes, or of one and a half-space: closed forms where they are simple,
// GJK and EPA for the others. Not for users; collide.h is.
#pragma once

#include "haptos/geometry/collide/collide.h"
#include "haptos/geometry/convex/gjk.h"

namespace haptos::detail {

/// Two shapes in the frame of the first, in their canonical order.
struct ShapePair {
  CorePair core;  ///< core.b is null for a half-space z <= 0 of frame b
  double margin;  ///< as asked for
  double radius() const { return core.a->radius + (core.b ? core.b->radius : 0); }
  double extent() const { return core.a->extent + (core.b ? core.b->extent : 0); }
};

/// Witness between the cores; `beyond` when the shapes are farther apart than the margin.
Witness shape_witness(const ShapePair& pair);

/// Closed forms; false when there is none for the pair.
bool point_witness(const CorePair& pair, Witness& out);    ///< core of a: a point
bool segment_witness(const CorePair& pair, Witness& out);  ///< both cores segments
void half_space_witness(const ShapePair& pair, Witness& out);
/// Two boxes: separating axes where they overlap, GJK where they do not.
Witness box_witness(const CorePair& pair, double limit);

/// Samples in a's frame, at most min(max_points, kMaxContactSamples).
/// @param flat_only leaves out the witness itself: only what faces each other flatly counts.
int manifold(const ShapePair& pair, const Witness& w, int max_points, ContactSample* out,
             bool flat_only = false);

/// Two directions that make a right-handed frame with the unit vector n.
void tangents(const Vec3d& n, Vec3d& t1, Vec3d& t2);

}  // namespace haptos::detail
