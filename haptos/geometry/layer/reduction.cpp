#include "haptos/geometry/layer/reduction.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "haptos/base/math/index.h"
#include "haptos/base/math/tangent.h"
#include "haptos/geometry/shape/planar_hull.h"
#include "haptos/geometry/soup/soup.h"

namespace haptos {
namespace {

// Cosine of the angle between neighbouring axes: what is along one is not parted.
constexpr double kNext = 0.7947;
// Corners of a hull: more are thinned.
constexpr std::size_t kCorners = 32;
// Part of the mean depth, and of a sample, from which on a corner counts in full.
constexpr double kShallow = 0.1, kPart = 0.1;
// Of what is near, one in so many of the most that there may be stays as it is.
constexpr int kNearest = 4;

const std::array<Vec3d, 32>& axes() {
  static const std::array<Vec3d, 32> all = [] {
    std::array<Vec3d, 32> a;
    const double g = 0.5 * (1 + std::sqrt(5.0));
    std::size_t n = 0;
    for (const double s : {-1.0, 1.0})
      for (const double t : {-1.0, 1.0})
        for (std::size_t k = 0; k < 3; ++k) {
          Vec3d x = Vec3d::zero(), y = Vec3d::zero();
          x[k] = s, x[(k + 1) % 3] = t * g;
          y[k] = s * g, y[(k + 1) % 3] = t / g;
          a[n++] = normalized(x), a[n++] = normalized(y);
        }
    for (int k = 0; k < 8; ++k)
      a[n++] = normalized(Vec3d{{k & 1 ? 1.0 : -1.0, k & 2 ? 1.0 : -1.0, k & 4 ? 1.0 : -1.0}});
    return a;
  }();
  return all;
}

Vec3d where(const ContactSample& s) { return 0.5 * (s.p_a + s.p_b); }
double force(const ContactSample& s) { return -s.gap * s.area * s.stiffer; }

// A feature of what is merged on an axis.
std::int64_t marked(std::int64_t feature, int axis) {
  auto x = static_cast<std::uint64_t>(feature) ^
           0x9e3779b97f4a7c15u * static_cast<std::uint64_t>(axis + 1);
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return static_cast<std::int64_t>((x ^ x >> 31) >> 1);
}

}  // namespace

bool SampleReduction::reduce(std::vector<ContactSample>& samples, int most) {
  if (most <= 0 || samples.size() <= at_index(most)) return false;
  touching_.clear(), near_.clear();
  for (const ContactSample& s : samples) (s.gap < 0 ? touching_ : near_).push_back(s);
  samples.clear();
  const bool merges = touching_.size() > at_index(most);
  if (merges)
    merge_touching(samples);
  else
    samples.insert(samples.end(), touching_.begin(), touching_.end());
  if (near_.size() > at_index(most)) {
    keep_nearest(std::max(1, most / kNearest), samples);
    merge_near(samples);
  } else {
    samples.insert(samples.end(), near_.begin(), near_.end());
  }
  return merges;
}

// As many of what is near as come first, and whatever is as near: they may push within the step.
void SampleReduction::keep_nearest(int count, std::vector<ContactSample>& out) {
  gaps_.clear();
  for (const ContactSample& s : near_) gaps_.push_back(s.gap);
  const auto last = gaps_.begin() + (count - 1);
  std::nth_element(gaps_.begin(), last, gaps_.end());
  const double limit = *last;
  std::erase_if(near_, [&](const ContactSample& s) {
    if (s.gap > limit) return false;
    out.push_back(s);
    return true;
  });
}

// Turns the first axis to where all of it pushes, so that what is flat has one axis.
void SampleReduction::turn_axes(const Vec3d& push, double sum) {
  constexpr double kScattered = 0.1;
  frame_ = Mat3d::identity();
  const Vec3d e = axes()[0];
  const double l = norm(push);
  if (!(l > kScattered * sum)) return;
  const Vec3d n = push * (1 / l), w = cross(e, n);
  const double c = dot(e, n);
  if (c < -1 + 1e-12) {
    frame_ = -1.0 * frame_;
    return;
  }
  // By the shortest way.
  const Mat3d k{{0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0}};
  frame_ = frame_ + k + k * k * (1 / (1 + c));
}

// Among the axes round n, by how near they are.
void SampleReduction::part(const Vec3d& world, int sample) {
  const Vec3d n = transpose(frame_) * world;
  int at[8], count = 0;
  double weight[8], sum = 0;
  for (int k = 0; k < 32 && count < 8; ++k) {
    const double c = dot(axes()[at_index(k)], n) - kNext;
    if (c > 0) at[count] = k, sum += weight[count++] = c * c;
  }
  for (int k = 0; k < count; ++k) members_[at[k]].push_back({sample, weight[k] / sum});
}

void SampleReduction::merge_touching(std::vector<ContactSample>& out) {
  for (auto& m : members_) m.clear();
  int deepest = 0;
  double sum = 0;
  Vec3d push = Vec3d::zero();
  whole_ = 0;
  for (std::size_t i = 0; i < touching_.size(); ++i) {
    whole_ += touching_[i].area * touching_[i].stiffer;
    sum += force(touching_[i]), push += force(touching_[i]) * touching_[i].n;
    if (touching_[i].gap < touching_[at_index(deepest)].gap) deepest = static_cast<int>(i);
  }
  turn_axes(push, sum);
  for (int i = 0; i < static_cast<int>(touching_.size()); ++i)
    if (i != deepest) part(touching_[at_index(i)].n, i);
  out.push_back(touching_[at_index(deepest)]);
  for (int k = 0; k < 32; ++k) merge(k, out);
}

void SampleReduction::merge(int axis, std::vector<ContactSample>& out) {
  const std::vector<Member>& members = members_[axis];
  double area = 0, sum = 0;
  Vec3d push = Vec3d::zero(), centre = Vec3d::zero();
  for (const Member& m : members) {
    const ContactSample& s = touching_[at_index(m.sample)];
    const double f = m.weight * force(s);
    area += m.weight * s.area * s.stiffer, sum += f;
    push += f * s.n, centre += f * where(s);
  }
  if (!(sum > 0)) return;
  centre = centre * (1 / sum);
  Vec3d torque = Vec3d::zero();
  for (const Member& m : members) {
    const ContactSample& s = touching_[at_index(m.sample)];
    torque += m.weight * force(s) * cross(where(s) - centre, s.n);
  }
  Merged merged;
  merged.axis = axis;
  merged.force = norm(push), merged.depth = sum / area;
  merged.n = push * (1 / merged.force);
  merged.middle = centre + cross(merged.n, torque) * (1 / merged.force);
  place_on(merged.n, merged.middle, touching_, members);
  find_priors(merged.depth, members);
  const ContactSample nowhere{};  // the middle is no sample's place
  if (!share_out()) return emit(merged, merged.middle, merged.force, nowhere, out);
  // What they have against turning about the normal.
  double grip = 0, most = 0;
  for (std::size_t i = 0; i < members.size(); ++i)
    grip +=
        members[i].weight * force(touching_[at_index(members[i].sample)]) / sum * norm(place_[i]);
  for (std::size_t k = 0; k < hull_.size(); ++k)
    most += share_[k] * norm(place_[at_index(hull_[k])]);
  const double outside = most > 0 ? std::min(1.0, grip / most) : 0;
  for (std::size_t k = 0; k < hull_.size(); ++k) {
    const ContactSample& s = touching_[at_index(members[at_index(hull_[k])].sample)];
    emit(merged, where(s), outside * share_[k] * merged.force, s, out);
  }
  emit(merged, merged.middle, (1 - outside) * merged.force, nowhere, out);
}

// Members across n, about a middle, in units of how far they reach; and the corners of their hull.
void SampleReduction::place_on(const Vec3d& n, const Vec3d& middle,
                               const std::vector<ContactSample>& samples,
                               const std::vector<Member>& members) {
  const Vec3d t1 = tangent(n), t2 = cross(n, t1);
  place_.clear();
  double size = 0;
  for (const Member& o : members) {
    const Vec3d x = where(samples[at_index(o.sample)]) - middle;
    place_.push_back({{dot(t1, x), dot(t2, x)}});
    size = std::max(size, norm(place_.back()));
  }
  for (Vec2d& x : place_) x = size > 0 ? x * (1 / size) : x;
  planar_hull(place_, order_, hull_);
  if (hull_.size() > kCorners) keep_extreme();
}

// What the corners would have if it did not matter where the middle is.
void SampleReduction::find_priors(double depth, const std::vector<Member>& members) {
  prior_.clear();
  const std::size_t n = hull_.size();
  for (std::size_t k = 0; k < n; ++k) {
    const Vec2d &a = place_[at_index(hull_[(k + n - 1) % n])], &b = place_[at_index(hull_[k])],
                &c = place_[at_index(hull_[(k + 1) % n])];
    const Vec2d u = b - a, v = c - b;
    const double turn = n < 3 ? 1 : std::atan2(vabs(u[0] * v[1] - u[1] * v[0]), dot(u, v));
    const Member& o = members[at_index(hull_[k])];
    prior_.push_back(turn * ramp(-touching_[at_index(o.sample)].gap / depth, 0, kShallow) *
                     ramp(o.weight, 0, kPart));
  }
}

// The corners that are the farthest along one of kCorners directions.
void SampleReduction::keep_extreme() {
  order_.clear();
  for (std::size_t j = 0; j < kCorners; ++j) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(j) / kCorners;
    const Vec2d d{{std::cos(angle), std::sin(angle)}};
    const int k = *std::max_element(hull_.begin(), hull_.end(), [&](int a, int b) {
      return dot(d, place_[at_index(a)]) < dot(d, place_[at_index(b)]);
    });
    if (order_.empty() || order_.back() != k) order_.push_back(k);
  }
  if (order_.size() > 1 && order_.front() == order_.back()) order_.pop_back();
  hull_.swap(order_);
}

// Shares p_k exp(y . x_k) of the corners whose mean is the middle, by Newton's method for the
// convex log sum p_k exp(y . x_k); false where there are none.
bool SampleReduction::share_out() {
  constexpr int kSteps = 60;
  constexpr double kFarthest = 200, kSame = 1e-13;
  share_.assign(hull_.size(), 0);
  Vec2d y = Vec2d::zero();
  const auto at = [&](const Vec2d& z, Vec2d& mean, double(&spread)[3]) {
    double sum = 0;
    mean = Vec2d::zero();
    spread[0] = spread[1] = spread[2] = 0;
    for (std::size_t k = 0; k < hull_.size(); ++k)
      sum += share_[k] = prior_[k] * std::exp(dot(z, place_[at_index(hull_[k])]));
    for (std::size_t k = 0; k < hull_.size(); ++k) {
      const Vec2d& x = place_[at_index(hull_[k])];
      share_[k] /= sum;
      mean += share_[k] * x;
      spread[0] += share_[k] * x[0] * x[0], spread[1] += share_[k] * x[0] * x[1];
      spread[2] += share_[k] * x[1] * x[1];
    }
    spread[0] -= mean[0] * mean[0], spread[1] -= mean[0] * mean[1], spread[2] -= mean[1] * mean[1];
    return sum;
  };
  Vec2d mean;
  double s[3];
  double value = at(y, mean, s);
  if (!(value > 0)) return false;
  for (int step = 0; step < kSteps; ++step) {
    if (norm(mean) <= kSame) return true;
    const double ridge = 1e-14 * (s[0] + s[2]) + 1e-300;
    const double d = (s[0] + ridge) * (s[2] + ridge) - s[1] * s[1];
    const Vec2d move = Vec2d{{-((s[2] + ridge) * mean[0] - s[1] * mean[1]) / d,
                              -((s[0] + ridge) * mean[1] - s[1] * mean[0]) / d}};
    if (!std::isfinite(move[0]) || !std::isfinite(move[1])) return false;
    // log sum is convex: half as far until it falls.
    double t = 1, next = 0;
    const double slope = dot(mean, move);
    for (int half = 0; half < 40; ++half, t *= 0.5) {
      next = at(y + t * move, mean, s);
      if (std::isfinite(next) && std::log(next) <= std::log(value) + 1e-4 * t * slope + 1e-15)
        break;
    }
    y += t * move, value = next;
    if (norm(y) > kFarthest) return false;
  }
  return norm(mean) <= 1e-9;
}

void SampleReduction::emit(const Merged& m, const Vec3d& x, double force, const ContactSample& from,
                           std::vector<ContactSample>& out) const {
  constexpr double kNone = 1e-12;
  if (!(force > kNone * m.force)) return;
  ContactSample c;
  c.n = m.n, c.gap = -m.depth;
  c.p_a = x - 0.5 * m.depth * m.n, c.p_b = x + 0.5 * m.depth * m.n;
  c.area = force / m.depth, c.share = c.area / whole_;
  c.feature_a = marked(from.feature_a, m.axis), c.feature_b = marked(from.feature_b, m.axis);
  out.push_back(c);
}

// Those at the corners of the hull and the nearest one, with the area of all.
void SampleReduction::merge_near(std::vector<ContactSample>& out) {
  for (auto& m : members_) m.clear();
  for (int i = 0; i < static_cast<int>(near_.size()); ++i) {
    const Vec3d& n = near_[at_index(i)].n;
    int best = 0;
    for (int k = 1; k < 32; ++k)
      if (dot(axes()[at_index(k)], n) > dot(axes()[at_index(best)], n)) best = k;
    members_[best].push_back({i, 1});
  }
  for (int axis = 0; axis < 32; ++axis) {
    const std::vector<Member>& members = members_[axis];
    if (members.empty()) continue;
    place_on(axes()[at_index(axis)], where(near_[at_index(members[0].sample)]), near_, members);
    int nearest = 0;
    double all = 0, kept = 0, shares = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
      const ContactSample& s = near_[at_index(members[i].sample)];
      all += s.area, shares += s.share;
      if (s.gap < near_[at_index(members[at_index(nearest)].sample)].gap)
        nearest = static_cast<int>(i);
    }
    if (std::find(hull_.begin(), hull_.end(), nearest) == hull_.end()) hull_.push_back(nearest);
    for (const int k : hull_) kept += near_[at_index(members[at_index(k)].sample)].area;
    for (const int k : hull_) {
      ContactSample s = near_[at_index(members[at_index(k)].sample)];
      s.share = std::min(1.0, shares * s.area / kept), s.area *= all / kept;
      out.push_back(s);
    }
  }
}

}  // namespace haptos
