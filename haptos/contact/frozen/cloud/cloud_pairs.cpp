#include "haptos/contact/frozen/cloud/cloud_pairs.h"

#include <algorithm>

#include "haptos/base/math/index.h"

namespace haptos {
CloudPairSampler::CloudPairSampler(std::vector<CloudSurface> clouds,
                                   std::vector<std::array<int, 2>> pairs)
    : clouds_(std::move(clouds)), pairs_(std::move(pairs)) {}

void CloudPairSampler::sample(const StepContext& context, FrozenContact& contact) {
  for (const CloudSurface& c : clouds_) c.cloud->begin(context);
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    const auto [of, on] = pairs_[k];
    const Cloud &a = *clouds_[at_index(of)].cloud, &b = *clouds_[at_index(on)].cloud;
    const bool both = clouds_[at_index(of)].soft;
    find(context, a, b, both ? 0.5 : 1);
    give(context, 2 * static_cast<int>(k), of, on, contact);
    if (!both) continue;
    find(context, b, a, 0.5);
    give(context, 2 * static_cast<int>(k) + 1, on, of, contact);
  }
}

// Samples of the points of one on the surface of the other, with a part of their areas.
void CloudPairSampler::find(const StepContext& context, const Cloud& points, const Cloud& surface,
                            double part) {
  const double h = context.h, push = h * h * kPush;
  const CloudExtent other(surface), own(points);
  samples_.clear(), touching_.clear(), skins_.clear();
  const double most =
      h * (other.fastest + own.fastest) + push + surface.spacing() + points.spacing();
  if (!other.box.overlaps(own.box, most)) return;
  for (int i = 0; i < points.size(); ++i) {
    const Vec3d x = points.place(i), v = points.velocity(i);
    const double radius = points.radius(i), reach = h * (other.fastest + norm(v)) + push + radius;
    if (!other.box.inflated(std::max(reach, surface.spacing())).contains(x)) continue;
    Cloud::Skin skin;
    if (!surface.skin(x, reach, skin)) continue;
    ContactSample s;
    s.n = skin.n;
    s.gap = skin.distance - radius;
    if (!(s.gap + h * dot(s.n, v - skin.velocity) < push)) continue;
    s.p_a = s.p_b = x - skin.distance * s.n;
    s.area = part * points.area(i, s.n);
    if (!(s.area > 0)) continue;  // faces away
    s.feature_a = points.id(i);
    samples_.push_back(s);
    touching_.push_back(i);
    skins_.push_back(skin);
  }
  const std::size_t n = samples_.size();
  parts_.resize(n * Cloud::kMostParts);
  for (auto& places : places_) places.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    ContactSample& s = samples_[k];
    s.share = 1.0 / static_cast<double>(n);
    Points::Part* parts = parts_.data() + k * Cloud::kMostParts;
    const Vec3d aside = s.p_a - points.place(touching_[k]);
    places_[0][k] = {parts, points.parts(touching_[k], aside, parts), true};
    places_[1][k] = {skins_[k].part, 3, true};
  }
}

void CloudPairSampler::give(const StepContext& context, int pair, int of, int on,
                            FrozenContact& contact) {
  if (samples_.empty()) return;
  PairSamples p;
  p.pair = pair;
  p.surface[0] = of, p.surface[1] = on;
  p.sample = samples_.data();
  p.count = static_cast<int>(samples_.size());
  p.place[0] = places_[0].data(), p.place[1] = places_[1].data();
  p.yields = clouds_[at_index(of)].yields || clouds_[at_index(on)].yields;
  contact.add(context, p);
}

}  // namespace haptos
