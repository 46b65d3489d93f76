// Bodies that meet on their way through the step (hydroelastic_sampler.h).
#include <algorithm>

#include "haptos/base/math/index.h"
#include "haptos/base/parallel.h"
#include "haptos/contact/frozen/hydroelastic/hydroelastic_sampler.h"
#include "haptos/contact/frozen/hydroelastic/looks.h"
#include "haptos/contact/frozen/hydroelastic/pressed_side.h"
#include "haptos/contact/frozen/link_speed.h"

namespace haptos {
namespace {

// Whether bodies stay apart is asked of so many times the way of the step, as the next motion that
// is looked at may be longer.
constexpr double kFarther = 2;
// Of patches that were found on the way.
constexpr std::int64_t kOnTheWay = std::int64_t{1} << 61;

}  // namespace

// Poses where the step ends with the velocities z.
void HydroelasticSampler::move(const StepContext& context, const std::vector<double>* z) {
  after_.resize(shapes_.size());
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    const CarriedShape& s = shapes_[i];
    after_[i] = s.moves() && s.field ? carried_pose_after(s, context, z, pose_[i]) : pose_[i];
  }
}

// Of a point x of a shape, with the velocities z [m/s].
Vec3d HydroelasticSampler::velocity(int shape, const Vec3d& x, const std::vector<double>& z) const {
  const auto i = at_index(shape);
  if (const Link* link = shapes_[i].link) return link->velocity_with(x, z);
  if (!shapes_[i].points.valid()) return Vec3d::zero();
  return (1 / h_) * (after_[i] * to_local(pose_[i], x) - x);
}

// How far a point of either moves at most, as seen from the other [m].
double HydroelasticSampler::travel(const Pair& pair) const {
  const auto of = [&](int i, int j) {
    const DistanceField& field = *shapes_[at_index(i)].field;
    if (!field.bounded()) return 0.0;
    return largest_move(field.box(), {pose_[at_index(i)], after_[at_index(i)]},
                        {pose_[at_index(j)], after_[at_index(j)]});
  };
  const auto [i, j] = pair.shape;
  return std::max(of(i, j), of(j, i));
}

// Whether a pair stays apart on its way to after_, as far as its boxes tell and the fields.
bool HydroelasticSampler::clears(Pair& pair, double way, PressureSurface& surface) const {
  if (way <= pair.clear) return true;
  const double asked = kFarther * way;
  if (asked >= pair.unclear) return false;
  const auto [i, j] = pair.shape;
  const bool apart = surface.apart(pressed_side(shapes_[at_index(i)], pose_[at_index(i)]),
                                   pressed_side(shapes_[at_index(j)], pose_[at_index(j)]), asked);
  (apart ? pair.clear : pair.unclear) = asked;
  return apart;
}

// Whether the bodies of a pair come to overlap by more than its patches know of on the way to
// after_, and when.
bool HydroelasticSampler::deepens(Pair& pair, PressureSurface& surface) const {
  const double way = travel(pair);
  if (!(way > pair.depth)) return false;
  if (pair.depth == 0 && clears(pair, way, surface)) return false;
  const auto [i, j] = pair.shape;
  const CarriedShape &a = shapes_[at_index(i)], &b = shapes_[at_index(j)];
  const int looks = looks_on(way, *a.field, *b.field);
  for (int k = 1; k <= looks; ++k) {
    const double t = static_cast<double>(k) / looks;
    const double depth = surface.deeper_than(
        pressed_side(a, interpolate(pose_[at_index(i)], after_[at_index(i)], t)),
        pressed_side(b, interpolate(pose_[at_index(j)], after_[at_index(j)], t)),
        kDeeper * pair.depth);
    if (depth == 0) continue;
    pair.depth = depth, pair.t = t;
    return true;
  }
  return false;
}

// The patches that a pair has at its t on the motion z, as places and gaps at the start of the
// step.
void HydroelasticSampler::arrive(Pair& pair, const std::vector<double>& z,
                                 PressureSurface& surface) const {
  Pose then[2];
  Vec3d moved[2];
  for (int k = 0; k < 2; ++k) {
    const auto i = at_index(pair.shape[k]);
    then[k] = interpolate(pose_[i], after_[i], pair.t);
    moved[k] = then[k].p - pose_[i].p;
  }
  pair.sample.clear();
  find(pair, then[0], then[1], surface);
  pair.depth = std::max(pair.depth, surface.depth());
  for (ContactSample& s : pair.sample) {
    // Beside an edge depth is that to the side, and does not tell how far to go back: p / g, where
    // it would be zero by its slope here, may be far above the surface. It is no farther than p /
    // k.
    s.gap *= std::min(1.0, s.stiffer);
    s.p_a -= moved[0], s.p_b -= moved[1];
    const double closes =
        dot(s.n, velocity(pair.shape[1], s.p_b, z)) - dot(s.n, velocity(pair.shape[0], s.p_a, z));
    s.gap += pair.t * h_ * closes;
    s.feature_a ^= kOnTheWay;
  }
}

// New patches for pairs that get deeper on the motion z. Returns whether there are any.
bool HydroelasticSampler::look_ahead(const std::vector<double>& z) {
  changed_.assign(pairs_.size(), 0);
  for_each(
      static_cast<std::ptrdiff_t>(pairs_.size()),
      [&](std::ptrdiff_t k) {
        static thread_local PressureSurface surface;
        Pair& pair = pair_[at_index(k)];
        if (!deepens(pair, surface)) return;
        arrive(pair, z, surface);
        changed_[at_index(k)] = 1;
      },
      1);
  return std::find(changed_.begin(), changed_.end(), 1) != changed_.end();
}

bool HydroelasticSampler::revise(const StepContext& context, const std::vector<double>& z,
                                 FrozenContact& contact) {
  if (pairs_.empty() || revisions_++ >= kMostRevisions) return false;
  move(context, &z);
  if (!look_ahead(z)) return false;
  contact.drop(changed_);
  for (std::size_t k = 0; k < pairs_.size(); ++k)
    if (changed_[k]) add(context, contact, static_cast<int>(k));
  return true;
}

}  // namespace haptos
