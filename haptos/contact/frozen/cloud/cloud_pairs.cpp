#include "haptos/contact/frozen/cloud/cloud_pairs.h"

#include <algorithm>

#include "haptos/base/math/index.h"

namespace haptos {
namespace {

// How far material points look for others, in cells.
constexpr double kLook = 2;

}  // namespace

CloudPairSampler::CloudPairSampler(std::vector<CloudSurface> clouds,
                                   std::vector<std::array<int, 2>> pairs)
    : clouds_(std::move(clouds)), pairs_(std::move(pairs)) {}

void CloudPairSampler::sample(const StepContext& context, FrozenContact& contact) {
  for (const CloudSurface& c : clouds_) c.cloud->begin(context);
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    const auto [of, on] = pairs_[k];
    const int first = 2 * static_cast<int>(k);
    const CloudSurface &a = clouds_[at_index(of)], &b = clouds_[at_index(on)];
    if (!b.soft) {
      if (!find_parting(*a.cloud, *b.cloud)) continue;
      find_parted(context, of, on, 0);
      give(context, first, of, on, contact);
      find_parted(context, on, of, 1);
      give(context, first + 1, on, of, contact);
      continue;
    }
    find(context, *a.cloud, *b.cloud, a.soft ? 0.5 : 1);
    give(context, first, of, on, contact);
    if (!a.soft) continue;
    find(context, *b.cloud, *a.cloud, 0.5);
    give(context, first + 1, on, of, contact);
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
  place_samples(points, touching_, false, samples_, parts_[0], places_[0]);
  places_[1].resize(samples_.size());
  for (std::size_t k = 0; k < samples_.size(); ++k) places_[1][k] = {skins_[k].part, 3, true};
}

// What of two clouds of material points is near the other one; false: nothing.
bool CloudPairSampler::find_parting(const Cloud& a, const Cloud& b) {
  parting_.begin(kLook * std::max(a.cell(), b.cell()));
  const auto add = [&](int side, const Cloud& cloud, const Cloud& other) {
    return parting_.add_near(side, CloudExtent(other).box, cloud.size(), cloud.spacing(),
                             [&](int i) { return cloud.place(i); });
  };
  const int of_a = add(0, a, b), of_b = add(1, b, a);
  parting_.sort();
  return of_a > 0 && of_b > 0;
}

// Samples of the points of one where the other parts from it, with half of their areas.
void CloudPairSampler::find_parted(const StepContext& context, int of, int on, int side) {
  const double h = context.h, push = h * h * kPush;
  const CloudSurface& surface = clouds_[at_index(of)];
  const Cloud &points = *surface.cloud, &other = *clouds_[at_index(on)].cloud;
  const bool summed = surface.nodes == CloudSurface::kSummed;
  const Aabb near = CloudExtent(other).box.inflated(kLook * std::max(points.cell(), other.cell()));
  const auto place = [&](int point) { return points.node_place(point); };
  samples_.clear(), touching_.clear(), nodes_.clear();
  Points::Part parts[Cloud::kMostParts];
  Parting parting;
  for (int i = 0; i < points.size(); ++i) {
    const Vec3d x = points.place(i);
    if (!near.contains(x)) continue;
    parting_.look(x, side);
    const int nearest = parting_.nearest();
    if (nearest < 0) continue;
    const Vec3d v = points.velocity(i) - other.velocity(nearest);
    const double radius = points.radius(i);
    // No other is nearer than the nearest one.
    const double clear = norm(x - other.place(nearest)) - 2 * radius - 2 * other.radius(nearest);
    if (!(clear - h * norm(v) < push) || !parting_.find(parting)) continue;
    ContactSample s;
    s.n = parting.n;
    s.gap = parting.distance - radius;
    if (!(s.gap + h * dot(s.n, v) < push)) continue;
    s.p_a = s.p_b = x - radius * s.n;
    s.area = 0.5 * points.area(i, s.n) * std::clamp(2 * parting.part - 0.5, 0.0, 1.0);
    if (!(s.area > 0)) continue;
    s.feature_a = points.id(i);
    if (summed) {
      nodes_.sum_up(parts, points.parts(i, Vec3d::zero(), parts), s, place);
      continue;
    }
    samples_.push_back(s);
    touching_.push_back(i);
  }
  if (summed) {
    nodes_.finish(0, [&](int point) { return points.node_id(point); });
    samples_ = nodes_.samples();
    places_[0].assign(nodes_.places(), nodes_.places() + samples_.size());
  } else {
    place_samples(points, touching_, false, samples_, parts_[0], places_[0]);
  }
  const std::size_t n = samples_.size();
  parts_[1].resize(n * Cloud::kMostParts), places_[1].resize(n);
  std::size_t kept = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const Vec3d x = samples_[k].p_b;
    parting_.look(x, side);
    const int nearest = parting_.nearest();
    if (nearest < 0) continue;  // a node that is far from all of it
    Points::Part* at = parts_[1].data() + kept * Cloud::kMostParts;
    places_[1][kept] = {at, other.parts(nearest, x - other.place(nearest), at), true};
    samples_[kept] = samples_[k], places_[0][kept] = places_[0][k];
    ++kept;
  }
  samples_.resize(kept);
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
