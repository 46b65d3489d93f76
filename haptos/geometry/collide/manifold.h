// Corners of a contact polygon and their shares. Not for users; collide.h is.
#pragma once

#include "haptos/geometry/collide/pairs.h"

namespace haptos::detail {

/// A corner of the region where two flat parts face each other, in the plane across n.
struct Corner {
  double u, v;    ///< along the tangents [m]
  double gap;     ///< [m]
  double za;      ///< height of a's core along n [m]
  double weight;  ///< area that belongs to it [m2] (or any measure common to all)
  std::int64_t id_a, id_b;
  int edge;  ///< origin of the edge to the next corner: k of a, -1 - j of b, kCut
  bool cut;  ///< made where the gap reaches the margin
};
constexpr int kCut = 1 << 20;

struct Patch {
  static constexpr int kMax = 2 * Flat::kMax + 16;
  int count = 0;
  Corner c[kMax];
  double area = 0;

  /// Copies what is in use.
  void take(const Patch& o) {
    count = o.count;
    area = o.area;
    for (int k = 0; k < count; ++k) c[k] = o.c[k];
  }
};

/// Two polygons, counter-clockwise in (u, v): their intersection, with ids.
struct Outline {
  int count = 0;
  double u[Flat::kMax], v[Flat::kMax];
  std::int64_t id[Flat::kMax];
  std::int64_t face = 0;
};
void intersect(const Outline& a, const Outline& b, double tolerance, Patch& out);

/// Weights of the corners: by the angle that the outline turns there, times a linear function that
/// makes their sum the area and their first moment that of the polygon. They change continuously
/// where a corner splits in two or comes up in the middle of an edge.
void weigh(Patch& p);
/// Keeps the part where the gap is at most `margin`; gaps are linear over the patch.
void cut(Patch& p, double margin);
/// Merges corners nearer than `radius`, then leaves out corners that matter least for the area
/// until `max_points` are left; weights keep their sum and first moment.
void thin(Patch& p, int max_points, double radius);
/// Adds four corners within to the four of the rim of a disc that lies flat.
void fill_disc(Patch& p, double margin);

}  // namespace haptos::detail
