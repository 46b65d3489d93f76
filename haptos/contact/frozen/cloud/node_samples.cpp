#include "haptos/contact/frozen/cloud/node_samples.h"

#include <algorithm>

#include "haptos/base/math/index.h"

namespace haptos {
namespace {

// Directions of a node, and the cosine from which on normals are of one.
constexpr int kDirections = 3;
constexpr double kSame = 0.7;
// Weight of a node, of the largest, below which it moves nothing.
constexpr double kLeast = 1e-6;

}  // namespace

void NodeSamples::clear() { given_.clear(), samples_.clear(), parts_.clear(), places_.clear(); }

void NodeSamples::finish(double area) {
  std::stable_sort(given_.begin(), given_.end(),
                   [](const Given& a, const Given& b) { return a.node < b.node; });
  double most = 0;
  for (std::size_t k = 0, end = 0; k < given_.size(); k = end) {
    std::array<Vec3d, kDirections> sum{};
    std::array<double, kDirections> weight{}, gap{};
    int directions = 0;
    for (end = k; end < given_.size() && given_[end].node == given_[k].node; ++end) {
      const Given& g = given_[end];
      int at = 0;
      while (at < directions && dot(sum[at_index(at)], g.n) < kSame * norm(sum[at_index(at)])) ++at;
      if (at == kDirections) continue;
      if (at == directions) sum[at_index(directions++)] = Vec3d::zero();
      sum[at_index(at)] += g.weight * g.n;
      weight[at_index(at)] += g.weight;
      gap[at_index(at)] += g.weight * g.gap;
    }
    for (int d = 0; d < directions; ++d) {
      const double length = norm(sum[at_index(d)]);
      if (!(length > 0)) continue;
      ContactSample s;
      s.n = sum[at_index(d)] * (1 / length);
      s.p_a = s.p_b = given_[k].at;
      s.share = weight[at_index(d)];
      s.area = area > 0 ? area : s.share;
      s.gap = gap[at_index(d)] / s.share;
      s.feature_b = d;
      most = std::max(most, s.share);
      samples_.push_back(s);
      parts_.push_back({given_[k].node, 1});
    }
  }
  std::size_t kept = 0;
  double total = 0;
  for (std::size_t k = 0; k < samples_.size(); ++k) {
    if (samples_[k].share < kLeast * most) continue;
    total += samples_[k].share;
    samples_[kept] = samples_[k], parts_[kept] = parts_[k];
    ++kept;
  }
  samples_.resize(kept), parts_.resize(kept), places_.resize(kept);
  for (std::size_t k = 0; k < kept; ++k) {
    samples_[k].share /= total;
    places_[k] = {&parts_[k], 1, true};
  }
}

}  // namespace haptos
