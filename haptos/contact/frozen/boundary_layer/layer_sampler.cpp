#include "haptos/contact/frozen/boundary_layer/layer_sampler.h"

#include <algorithm>

#include "haptos/base/math/index.h"
#include "haptos/contact/frozen/link_speed.h"

namespace haptos {
namespace {

// Samples reach at least this far beyond the layers [m].
constexpr double kReach = 1e-5;
// Depth over R from which on contact gets stiffer, and how much stiffer it gets at most.
constexpr double kHalf = 0.5, kStiffest = 1e6;

}  // namespace

LayerSampler::LayerSampler(std::vector<LayeredShape> shapes,
                           std::vector<std::array<int, 2>> excluded, int most_samples)
    : shapes_(std::move(shapes)), excluded_(std::move(excluded)), most_samples_(most_samples) {
  for (auto& [i, j] : excluded_)
    if (i > j) std::swap(i, j);
  std::sort(excluded_.begin(), excluded_.end());
}

bool LayerSampler::may_touch(int i, int j) const {
  const LayeredShape &a = shapes_[at_index(i)], &b = shapes_[at_index(j)];
  if (!(a.layer + b.layer > 0) || a.link == b.link) return false;
  if (a.link && b.link && a.link->env() != b.link->env()) return false;
  return !std::binary_search(excluded_.begin(), excluded_.end(), std::array<int, 2>{i, j});
}

// Where every shape is, and its box as far as it may reach in the step.
void LayerSampler::place(double h, double free_time) {
  const auto n = shapes_.size();
  pose_.resize(n), box_.resize(n), speed_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const LayeredShape& s = shapes_[i];
    pose_[i] = s.link ? compose(s.link->pose(), s.frame) : s.frame;
    const Mat3d r = to_matrix(pose_[i].q);
    const Aabb& own = s.core.soup->box();
    const Vec3d middle = r * own.centre() + pose_[i].p, half = own.extent() * 0.5;
    Vec3d reach;
    for (int k = 0; k < 3; ++k)
      reach[k] = vabs(r(k, 0)) * half[0] + vabs(r(k, 1)) * half[1] + vabs(r(k, 2)) * half[2];
    box_[i] = Aabb::of(middle - reach, middle + reach);
    speed_[i] = largest_speed(s.link, box_[i]);
    box_[i].inflate(s.width() + 2 * h * speed_[i] + kReach + 2 * free_time * free_time * kPush);
  }
}

void LayerSampler::sample(const StepContext& context, FrozenContact& contact) {
  const double h = context.h, pushed = 4 * square(contact.free_time()) * kPush;
  place(h, contact.free_time());
  broad_phase_.pairs(
      box_, 0.0, [this](int i, int j) { return may_touch(i, j); }, pairs_);
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    const auto [i, j] = pairs_[k];
    const LayeredShape &a = shapes_[at_index(i)], &b = shapes_[at_index(j)];
    samples_.clear();
    contacts_.find({a.core.soup.get(), pose_[at_index(i)], a.width()},
                   {b.core.soup.get(), pose_[at_index(j)], b.width()},
                   kReach + pushed + 2 * h * (speed_[at_index(i)] + speed_[at_index(j)]), samples_);
    if (samples_.empty()) continue;
    stiffen(a, b, h, a.width() + b.width());
    reduction_.reduce(samples_, most_samples_);
    PairSamples pair;
    pair.pair = static_cast<int>(k);
    pair.surface[0] = i, pair.surface[1] = j;
    pair.sample = samples_.data();
    pair.count = static_cast<int>(samples_.size());
    pair.core = a.width() + b.width();
    contact.add(context, pair);
  }
}

// What is deep, or will be, so that cores stay apart.
void LayerSampler::stiffen(const LayeredShape& a, const LayeredShape& b, double h, double whole) {
  for (ContactSample& s : samples_) {
    double closing = 0;
    if (a.link) closing -= dot(a.link->velocity(s.p_a), s.n);
    if (b.link) closing += dot(b.link->velocity(s.p_b), s.n);
    const double left = (whole + s.gap - h * std::max(closing, 0.0)) / whole;
    if (left >= kHalf) continue;
    const double more = kHalf / std::max(left, 1e-3);
    s.stiffer = std::min(more * more * more, kStiffest);
  }
}

}  // namespace haptos
