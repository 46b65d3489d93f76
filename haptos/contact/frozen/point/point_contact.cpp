#include "haptos/contact/frozen/point/point_contact.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "haptos/base/math/index.h"
#include "haptos/contact/frozen/link_speed.h"

namespace haptos {
namespace {

// Candidates reach at least this far [m]: covers the first step of a point (radius 0) at rest.
constexpr double kReach = 1e-3;

}  // namespace

PointSampler::PointSampler(std::vector<PointShape> shapes, const PointContactOptions& law,
                           std::vector<std::array<int, 2>> excluded)
    : shapes_(std::move(shapes)),
      parting_speed_(law.parting_speed),
      excluded_(std::move(excluded)) {
  for (const PointShape& s : shapes_) {
    const auto known = std::find(link_.begin(), link_.end(), s.link);
    link_of_.push_back(s.link ? static_cast<int>(known - link_.begin()) : -1);
    if (s.link && known == link_.end()) link_.push_back(s.link);
  }
  for (const PointShape& s : shapes_)
    if (s.link) fastest_.resize(std::max(fastest_.size(), at_index(s.link->env() + 1)));
  for (auto& [i, j] : excluded_)
    if (i > j) std::swap(i, j);
  std::sort(excluded_.begin(), excluded_.end());
  make_fields();
  broad_phase_.keep_allowed(static_cast<int>(shapes_.size()),
                            [this](int i, int j) { return may_touch(i, j); });
  if (law.near_rigid > 0) return;
  for (std::size_t i = 0; i < shapes_.size(); ++i)
    for (std::size_t j = i + 1; j < shapes_.size(); ++j)
      if (std::isinf(shapes_[i].stiffness) && std::isinf(shapes_[j].stiffness) &&
          may_touch(static_cast<int>(i), static_cast<int>(j)))
        throw InputError({"", 0, 0, "point_contact.near_rigid", "0",
                          "leaves shapes " + std::to_string(i) + " and " + std::to_string(j) +
                              " without any compliance",
                          "give one of them a stiffness, or near_rigid above 0"});
}

// Of meshes that something convex or a half-space may touch: none is made in a step.
void PointSampler::make_fields() const {
  const int n = static_cast<int>(shapes_.size());
  for (int i = 0; i < n; ++i) {
    const CollisionShape& mesh = shapes_[at_index(i)].shape;
    if (!mesh.has_field()) continue;
    for (int j = 0; j < n; ++j) {
      const CollisionShape& other = shapes_[at_index(j)].shape;
      if (other.has_field() || !may_touch(std::min(i, j), std::max(i, j))) continue;
      if (other.is_convex()) mesh.field();
      as_met(mesh, other);  // makes its hull
    }
  }
}

bool PointSampler::may_touch(int i, int j) const {
  const PointShape &a = shapes_[at_index(i)], &b = shapes_[at_index(j)];
  if (a.layer + b.layer > 0 || meet_by_pressure(a, b)) return false;
  if (a.link == b.link || (a.link && b.link && a.link->env() != b.link->env())) return false;
  return !std::binary_search(excluded_.begin(), excluded_.end(), std::array<int, 2>{i, j});
}

// How much farther than its own speed says a shape may get in the step: it may be struck by the
// fastest of its environment, or pushed; no more than part of its thickness, for a body that is
// missed is found overlapping at the next step.
double PointSampler::surprise(const PointShape& s) const {
  const double part = 0.5 * s.shape.half_thickness();
  if (!s.link) return part;
  return std::min(part, 4 * free_time_ * (fastest_[at_index(s.link->env())] + free_time_ * kPush));
}

void PointSampler::sample(const StepContext& context, FrozenContact& contact) {
  contact_ = &contact;
  h_ = context.h;
  free_time_ = contact.free_time();
  const auto n = shapes_.size();
  pose_.resize(n);
  box_.resize(n);
  speed_.resize(n);
  reach_.resize(n);
  std::fill(fastest_.begin(), fastest_.end(), 0.0);
  Pose on;  // of the link of the last shape that has one
  for (std::size_t i = 0; i < n; ++i) {
    const PointShape& s = shapes_[i];
    if (s.link && (i == 0 || s.link != shapes_[i - 1].link)) on = s.link->pose();
    pose_[i] = s.link ? compose(on, s.frame) : s.frame;
    box_[i] = s.shape.bounds(pose_[i]);
    speed_[i] = largest_speed(s.link, box_[i]);
    if (s.link) {
      double& most = fastest_[at_index(s.link->env())];
      most = std::max(most, speed_[i]);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    reach_[i] = box_[i];
    const double d =
        2 * h_ * speed_[i] + 0.5 * kReach + (shapes_[i].link ? surprise(shapes_[i]) : 0);
    for (int k = 0; k < 3; ++k) reach_[i].lo[k] -= d, reach_[i].hi[k] += d;
  }
  samples_.clear(), near_.clear();
  broad_phase_.pairs(
      reach_, 0.0, [this](int i, int j) { return may_touch(i, j); }, pairs_);
  for (const auto& [i, j] : pairs_) {
    const std::size_t a = at_index(i), b = at_index(j);
    const double margin = 2 * h_ * (speed_[a] + speed_[b]) + kReach +
                          std::min(surprise(shapes_[a]), surprise(shapes_[b]));
    const auto first = static_cast<int>(samples_.size());
    collide(shapes_[a].shape, pose_[a], shapes_[b].shape, pose_[b], margin, samples_);
    const int count = static_cast<int>(samples_.size()) - first;
    if (count > 0) near_.push_back({{i, j}, first, count, first, 0, 0, NearPair::kApart});
  }
  find_touching(context);
}

void PointSampler::add_pair(const StepContext& context, int pair) {
  const NearPair& p = near_[at_index(pair)];
  const bool rolls = find_rolling(context, pair);
  PairSamples samples;
  samples.pair = pair;
  samples.surface[0] = p.shape[0];
  samples.surface[1] = p.shape[1];
  samples.sample = &samples_[at_index(p.first)];
  samples.count = p.count;
  if (rolls) samples.rolls = rolls_.data();
  contact_->add(context, samples);
}

}  // namespace haptos
