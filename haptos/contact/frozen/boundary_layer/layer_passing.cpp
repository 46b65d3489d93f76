// Contacts that act from afar on what passes by (layer_sampler.h).
#include <algorithm>

#include "haptos/base/math/index.h"
#include "haptos/contact/frozen/boundary_layer/layer_sampler.h"
#include "haptos/geometry/soup/soup.h"

namespace haptos {
namespace {

// Part of both layers up to which surfaces are near in the end.
constexpr double kEnds = 0.01;
// Cosine of the angle to the normal of what is near there.
constexpr double kSame = 0.7;

}  // namespace

// Whether the surfaces of a pair are near each other in the end where a sample said so.
bool LayerSampler::ends_near(int pair, const ContactSample& s) {
  const auto [i, j] = pairs_[at_index(pair)];
  const LayeredShape &a = shapes_[at_index(i)], &b = shapes_[at_index(j)];
  if (ends_of_ != pair) {
    ends_of_ = pair;
    ends_.clear();
    contacts_.find(surface(i, (*after_)[at_index(i)]), surface(j, (*after_)[at_index(j)]),
                   kEnds * (a.layer + b.layer), ends_);
  }
  return std::any_of(ends_.begin(), ends_.end(),
                     [&](const ContactSample& e) { return dot(e.n, s.n) > kSame; });
}

// Whether a pair that does not touch yet would, if all moved on as it does where the step starts.
// What acts from afar can turn a body so far that it is near in the end, only for that.
bool LayerSampler::would_touch(const StepContext& context, int pair) {
  const auto [i, j] = pairs_[at_index(pair)];
  const double whole = shapes_[at_index(i)].layer + shapes_[at_index(j)].layer;
  if (!(travelled(i, j) > kMoves * whole)) return true;
  if (free_.empty()) move_on(context, *context.z, free_);
  after_ = &free_;
  double t = 0;
  const bool touches = look_along(i, j, 1, t);
  after_ = &solved_;
  return touches;
}

// A pair that touched nowhere goes as a whole: where it meets after all is found on its way.
bool LayerSampler::drop_passers(const StepContext& context, FrozenContact& contact) {
  ends_of_ = -1;
  free_.clear();
  passes_.assign(pairs_.size(), 0);
  const bool any = contact.drop_ahead([&](int pair, const ContactSample& s) {
    const auto [i, j] = pairs_[at_index(pair)];
    Stand& stand = stand_[at_index(pair)];
    if (stand == Stand::kMeets) return false;
    if (stand == Stand::kTouches) {
      const double whole = shapes_[at_index(i)].width() + shapes_[at_index(j)].width();
      if (!(travelled(i, j) > kMoves * whole)) return false;
    }
    if (ends_near(pair, s) && (stand != Stand::kAhead || would_touch(context, pair))) return false;
    if (stand != Stand::kAhead) return true;
    stand = Stand::kPasses;
    passes_[at_index(pair)] = 1;
    return true;
  });
  if (any) contact.drop(passes_);
  return any;
}

}  // namespace haptos
