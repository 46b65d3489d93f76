// Seams (point_contact.h): a body that rests on a surface has sunk into it a little, so that it
// overlaps the sides of whatever continues the surface, a tile beside the first. It would be held
// by that side as by a wall. What does not stand out of the surface that bears the body cannot be
// in its way: contact with it is along the normal of that surface, or none.
#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/contact/frozen/point/point_contact.h"
#include "haptos/geometry/collide/field.h"

namespace haptos {
namespace {

// Sine of the angle within which two normals are the same.
constexpr double kParallel = 1e-4;
// Cosine of the tilt up to which flat contact counts as flat on the surface.
constexpr double kFlat = 0.999;
// What counts as level: of the depth by which the body has sunk, and of the size of its shape.
constexpr double kOfDepth = 0.5, kOfSize = 1e-6;

bool parallel(const Vec3d& a, const Vec3d& b) {
  return dot(a, b) > 0 && squared_norm(cross(a, b)) < kParallel * kParallel;
}

}  // namespace

void PointSampler::list_rests() {
  rests_.clear();
  for (std::size_t k = 0; k < near_.size(); ++k) {
    const NearPair& p = near_[k];
    if (p.stand != NearPair::kTouches || p.parting > 0) continue;
    const ContactSample& s = samples_[at_index(p.deepest)];
    for (int side = 0; side < 2; ++side) {
      const int l = link_of_[at_index(p.shape[side])];
      if (l < 0) continue;
      const auto bearer = at_index(p.shape[1 - side]);
      const Vec3d& x = side == 0 ? s.p_b : s.p_a;
      Vec3d n = side == 0 ? s.n : -s.n;
      if (!find_face(shapes_[bearer].shape, pose_[bearer], x, 0, n)) continue;
      rests_.push_back({l, static_cast<int>(k), n, dot(n, x), std::max(0.0, -s.gap)});
    }
  }
  std::sort(rests_.begin(), rests_.end(), [](const Rest& a, const Rest& b) {
    return a.link != b.link ? a.link < b.link : a.pair < b.pair;
  });
}

// Whether the other side's shape, where the samples are, does not stand out of the surface that
// bears the body on this side. Where the surface goes on there, `rise` is 0; where something begins
// there that does not (the toe of a ramp), it is how far the body has to be lifted out of what it
// has sunk into to see it as it is, fading to nothing for what stands out.
bool PointSampler::hides(const Rest& rest, const NearPair& p, int side, const ContactSample* s,
                         int count, double& rise) const {
  const std::size_t own = at_index(p.shape[side]), other = at_index(p.shape[1 - side]);
  const CollisionShape &body = shapes_[own].shape, &obstacle = shapes_[other].shape;
  const double level = kOfDepth * rest.depth + kOfSize * std::min(size_of(body), size_of(obstacle));
  const double sunk = rest.depth + level;
  bool aslant = false;
  double top = -1e300;
  for (int k = 0; k < count; ++k) {
    top = std::max(top, dot(rest.n, side == 0 ? s[k].p_b : s[k].p_a) - rest.height);
    if (top > 2 * sunk) return false;
    aslant = aslant || !parallel(rest.n, side == 0 ? s[k].n : -s[k].n);
  }
  if (!aslant) return false;
  // The body reaches no deeper than it has sunk: not with a hook over the edge.
  if (-highest(body, pose_[own], -rest.n) < rest.height - 2 * rest.depth - level) return false;
  const Vec3d& x = side == 0 ? s[0].p_b : s[0].p_a;
  Vec3d n = rest.n;
  const bool goes_on =
      find_face(obstacle, pose_[other], x, rest.height - dot(rest.n, x), n) &&
      (obstacle.has_field() || highest(obstacle, pose_[other], rest.n) <= rest.height + level);
  rise = goes_on ? 0 : sunk * std::min(1.0, (2 * sunk - top) / sunk);
  return !goes_on || top <= level;
}

// The surface behind which the samples of a pair are hidden, and the side that it bears.
const PointSampler::Rest* PointSampler::hidden(const NearPair& p, const ContactSample* s, int count,
                                               int& side, double& rise) const {
  for (side = 0; side < 2; ++side) {
    const int l = link_of_[at_index(p.shape[side])];
    if (l < 0) continue;
    auto it = std::lower_bound(rests_.begin(), rests_.end(), l,
                               [](const Rest& r, int link) { return r.link < link; });
    for (; it != rests_.end() && it->link == l; ++it) {
      const NearPair& q = near_[at_index(it->pair)];
      const bool same = q.shape[0] == p.shape[0] && q.shape[1] == p.shape[1];
      if (q.stand == NearPair::kTouches && !same && hides(*it, p, side, s, count, rise))
        return &*it;
    }
  }
  return nullptr;
}

// Samples of a pair along the normal of the surface that it does not stand out of, or as the body
// would see it that had not sunk in.
void PointSampler::turn_to(const Rest& rest, int side, double rise, NearPair& p) {
  const auto a = at_index(p.shape[0]), b = at_index(p.shape[1]);
  touching_.clear();
  if (rise > 0) {
    Pose x[2] = {pose_[a], pose_[b]};
    const Vec3d lift = rest.n * rise;
    x[side].p += lift;
    collide(shapes_[a].shape, x[0], shapes_[b].shape, x[1], 2 * h_ * (speed_[a] + speed_[b]),
            touching_);
    for (ContactSample& s : touching_) (side == 0 ? s.p_a : s.p_b) -= lift;
  } else {
    collide_along(shapes_[a].shape, pose_[a], shapes_[b].shape, pose_[b],
                  side == 0 ? rest.n : -rest.n, 0, touching_);
  }
  p.stand = touching_.empty() ? NearPair::kHidden : NearPair::kTouches;
  p.first = p.deepest = static_cast<int>(samples_.size());
  p.count = static_cast<int>(touching_.size());
  samples_.insert(samples_.end(), touching_.begin(), touching_.end());
}

void PointSampler::clear_seams() {
  for (NearPair& p : near_) {
    if (p.stand != NearPair::kTouches || p.parting > 0) continue;
    int side = 0;
    double rise = 0;
    if (shapes_[at_index(p.shape[0])].shape.is_convex() &&
        shapes_[at_index(p.shape[1])].shape.is_convex()) {
      if (const Rest* rest = hidden(p, &samples_[at_index(p.first)], p.count, side, rise))
        turn_to(*rest, side, rise, p);
    } else {
      clear_triangles(p);
    }
  }
}

// Of triangles: what lies flat on the surface turns to its normal, the rest is left out, for the
// faces that go on with the surface have their own samples.
void PointSampler::clear_triangles(NearPair& p) {
  int kept = 0, side = 0;
  double share = 0, rise = 0;
  for (int k = p.first; k < p.first + p.count; ++k) {
    ContactSample s = samples_[at_index(k)];
    const Rest* rest = hidden(p, &s, 1, side, rise);
    if (rest && rise == 0) {
      const Vec3d n = side == 0 ? rest->n : -rest->n;
      if (!(s.area > 0 && dot(n, s.n) > kFlat)) continue;
      s.n = n;
      s.gap = dot(n, s.p_a - s.p_b);
    }
    samples_[at_index(p.first + kept++)] = s;
    share += s.share;
  }
  p.count = kept;
  if (kept == 0) p.stand = NearPair::kHidden;
  p.deepest = p.first;
  for (int k = p.first; k < p.first + kept; ++k) {
    samples_[at_index(k)].share /= share;
    if (samples_[at_index(k)].gap < samples_[at_index(p.deepest)].gap) p.deepest = k;
  }
}

}  // namespace haptos
