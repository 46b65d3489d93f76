// Surfaces with layers that meet on their way through the step (layer_sampler.h).
#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/contact/frozen/boundary_layer/layer_sampler.h"
#include "haptos/contact/frozen/link_speed.h"
#include "haptos/geometry/soup/soup.h"

namespace haptos {
namespace {

constexpr int kMostRevisions = 6, kMostArrivals = 3, kMostLooks = 128;
// Parts of R: how far from look to look, and how near cores come before a contact is made.
constexpr double kLook = 0.5, kNear = 0.5;
// The same where cores are near: they count as crossing where their distance is half of this.
constexpr double kCloseLook = 0.05;
constexpr int kMostCloseLooks = 1024;
// Of a contact that was found on the way.
constexpr std::int64_t kOnTheWay = std::int64_t{1} << 62;

}  // namespace

// How far the box of i moves at most, as seen from j [m].
double LayerSampler::travel(int i, int j) const {
  return largest_move(shapes_[at_index(i)].core.soup->box(),
                      {pose_[at_index(i)], (*after_)[at_index(i)]},
                      {pose_[at_index(j)], (*after_)[at_index(j)]});
}

Pose LayerSampler::on_the_way(int i, double t) const {
  return interpolate(pose_[at_index(i)], (*after_)[at_index(i)], t);
}

// The first of some times at which cores are nearer than this part of R.
bool LayerSampler::look_along(int i, int j, double part, double& t) {
  const double whole = shapes_[at_index(i)].width() + shapes_[at_index(j)].width();
  const int looks =
      std::clamp(static_cast<int>(std::ceil(travelled(i, j) / (kLook * whole))), 1, kMostLooks);
  for (int k = 1; k <= looks; ++k) {
    t = static_cast<double>(k) / looks;
    samples_.clear();
    contacts_.find(surface(i, on_the_way(i, t), part), surface(j, on_the_way(j, t), part), 0,
                   samples_);
    if (!samples_.empty()) return true;
  }
  return false;
}

// Whether cores cross, or are as near as rounding of the motion, from some time on.
bool LayerSampler::crosses_from(int i, int j, double t) {
  const double whole = shapes_[at_index(i)].width() + shapes_[at_index(j)].width();
  const double step = std::max(kCloseLook * whole / travelled(i, j), 1.0 / kMostCloseLooks);
  for (bool more = true; more; t += step) {
    more = t < 1;
    const Pose pose_i = on_the_way(i, std::min(t, 1.0)), pose_j = on_the_way(j, std::min(t, 1.0));
    if (contacts_.crosses(surface(i, pose_i), surface(j, pose_j))) return true;
    // Flat on each other they may pass between two looks.
    samples_.clear();
    contacts_.find(surface(i, pose_i, kNear), surface(j, pose_j, kNear), 0, samples_);
    for (const ContactSample& s : samples_)
      if (s.gap < (0.5 * kCloseLook - kNear) * whole) return true;
  }
  return false;
}

// Makes contacts of samples_, found at t, of the places that these have at the start of the step;
// leaves what was deep there already to the contacts of the start. Returns whether any is left.
bool LayerSampler::arrive(int i, int j, double part, double t) {
  const int side[2] = {i, j};
  Pose then[2];
  for (int k = 0; k < 2; ++k) then[k] = on_the_way(side[k], t);
  const double whole = shapes_[at_index(i)].width() + shapes_[at_index(j)].width();
  std::erase_if(samples_, [&](ContactSample& s) {
    for (int k = 0; k < 2; ++k) {
      Vec3d& x = k == 0 ? s.p_a : s.p_b;
      const double width = shapes_[at_index(side[k])].width();
      const Vec3d away = (k == 0 ? 1.0 : -1.0) * width * s.n;  // from the layer to the core
      x = pose_[at_index(side[k])] * to_local(then[k], x + part * away) - away;
    }
    s.gap = dot(s.n, s.p_a - s.p_b);
    s.feature_a |= kOnTheWay, s.feature_b |= kOnTheWay;
    return s.gap < -part * whole;
  });
  return !samples_.empty();
}

// Where all shapes are at the end of the step.
void LayerSampler::move_on(const StepContext& context, const std::vector<double>& z,
                           std::vector<Pose>& end) {
  end = pose_;
  for (std::size_t i = 0; i < shapes_.size(); ++i)
    if (const LayeredShape& s = shapes_[i]; s.link)
      end[i] = compose(s.link->pose_after(z, context.h), s.frame);
}

bool LayerSampler::revise(const StepContext& context, const std::vector<double>& z,
                          FrozenContact& contact) {
  if (pairs_.empty()) return false;
  move_on(context, z, solved_);
  const bool last = ++revisions_ > kMostRevisions;
  if (!last && drop_passers(context, contact)) return true;
  return arrivals(context, contact, last || arrived_ >= kMostArrivals);
}

// Adds contacts of what meets on its way.
bool LayerSampler::arrivals(const StepContext& context, FrozenContact& contact, bool last) {
  bool any = false;
  crossing_ = 0;
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    const auto [i, j] = pairs_[k];
    const double whole = shapes_[at_index(i)].width() + shapes_[at_index(j)].width();
    double t = 0;
    if (stand_[k] == Stand::kPasses && !last) {  // whatever is met is met first at the layers
      if (!look_along(i, j, 1, t) || !arrive(i, j, 1, t)) continue;
      stand_[k] = Stand::kMeets;
      add(context, k, contact);
      any = true;
      continue;
    }
    if (!(travelled(i, j) > kMoves * whole) || !look_along(i, j, kNear, t)) continue;
    if (!last && arrive(i, j, kNear, t)) {
      add(context, k, contact);
      any = true;
    } else if (!found_[k].crossed && crosses_from(i, j, t)) {
      ++crossing_;
    }
  }
  arrived_ += any ? 1 : 0;
  return any;
}

}  // namespace haptos
