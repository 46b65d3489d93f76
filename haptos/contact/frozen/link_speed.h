// How fast and how far a part of a link moves.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "haptos/geometry/collide/collide.h"
#include "haptos/geometry/query/bvh.h"
#include "haptos/system/link.h"

namespace haptos {

/// Of a against b at the corners of a world box, at the start of the step [m/s]; nullptr stands in
/// the world. As large as anywhere in the box. 0 for a box without bounds.
inline double largest_speed(const Link* a, const Link* b, const Aabb& box) {
  if (!a && !b) return 0;
  for (int k = 0; k < 3; ++k)
    if (!std::isfinite(box.lo[k]) || !std::isfinite(box.hi[k])) return 0;
  const auto at = [&](const Vec3d& x) {
    return (a ? a->velocity(x) : Vec3d::zero()) - (b ? b->velocity(x) : Vec3d::zero());
  };
  // It is linear in the place: what each side of the box adds.
  const Vec3d low = at(box.lo);
  Vec3d along[3];
  for (int k = 0; k < 3; ++k) {
    Vec3d x = box.lo;
    x[k] = box.hi[k];
    along[k] = at(x) - low;
  }
  double fastest = 0;
  for (int corner = 0; corner < 8; ++corner) {
    Vec3d v = low;
    for (int k = 0; k < 3; ++k)
      if (corner >> k & 1) v += along[k];
    fastest = std::max(fastest, squared_norm(v));
  }
  return sqrt(fastest);
}
inline double largest_speed(const Link* link, const Aabb& box) {
  return largest_speed(link, nullptr, box);
}

/// At which the surfaces of a sample come together with the velocities z of all unknowns [m/s].
inline double closing_speed(const Link* a, const Link* b, const ContactSample& s,
                            const std::vector<double>& z) {
  double closes = 0;
  if (a) closes -= dot(s.n, a->velocity_with(s.p_a, z));
  if (b) closes += dot(s.n, b->velocity_with(s.p_b, z));
  return closes;
}

/// A frame at the start of some way and at its end.
struct FrameWay {
  Pose start, end;
};

/// How far a box in the frame a moves at most, as seen from the frame b [m].
inline double largest_move(const Aabb& box, const FrameWay& a, const FrameWay& b) {
  double most = 0;
  for (int corner = 0; corner < 8; ++corner) {
    Vec3d x;
    for (int k = 0; k < 3; ++k) x[k] = corner >> k & 1 ? box.hi[k] : box.lo[k];
    most = std::max(most, norm(to_local(b.end, a.end * x) - to_local(b.start, a.start * x)));
  }
  return most;
}

}  // namespace haptos
