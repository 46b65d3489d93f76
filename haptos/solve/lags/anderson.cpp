#include "haptos/solve/lags/anderson.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace haptos {
namespace {

// A merit this many times the best one ends a history.
constexpr double kRunaway = 4;
// Of merits that differ by less the later one is the best: where g is flat it is nearer to the
// edge.
constexpr double kAlike = 1.01;
// Part of the way back from a runaway to the best pass, at least.
constexpr double kLeastShare = 0.1;
// A difference of residuals that the others explain up to this part of its length adds nothing.
constexpr double kDependent = 1e-6;

void add(LagVector& to, const LagVector& v, double factor) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += v[i] * factor;
}

double product(const LagVector& a, const LagVector& b) {
  double s = 0;
  for (std::size_t i = 0; i < a.size(); ++i) s += dot(a[i], b[i]);
  return s;
}

LagVector zero(std::size_t size) { return LagVector(size, Vec3d::zero()); }

}  // namespace

LagVector AndersonMixing::next(const LagVector& used, const LagVector& result, double merit) {
  Pass p;
  p.used = used;
  p.change = zero(used.size());
  add(p.change, result, 1);
  add(p.change, used, -1);
  p.merit = merit;
  if (!passes_.empty() && merit > kRunaway * best_.merit) {
    passes_.clear();
    passes_.push_back(best_);
    return between(best_, p);
  }
  if (passes_.empty() || merit <= kAlike * best_.merit) best_ = p;
  passes_.push_back(std::move(p));
  if (static_cast<int>(passes_.size()) > depth_ + 1) passes_.pop_front();
  return mix();
}

void AndersonMixing::move(const std::vector<int>& moved, int size) {
  for (Pass& p : passes_) {
    move_slots(moved, size, p.used);
    move_slots(moved, size, p.change);
  }
  if (passes_.empty()) return;
  move_slots(moved, size, best_.used);
  move_slots(moved, size, best_.change);
}

// On the way from a to b, where the changes, if they vary evenly, are least.
LagVector AndersonMixing::between(const Pass& a, const Pass& b) {
  LagVector change = b.change, out = a.used;
  add(change, a.change, -1);
  const double length = product(change, change);
  const double t = length > 0 ? -product(a.change, change) / length : 0.5;
  const double share = std::clamp(t, kLeastShare, 0.5);
  add(out, b.used, share);
  add(out, a.used, -share);
  return out;
}

// With the last pass k and D_j = r_k - r_j: takes from r_k what the D_j explain, by modified
// Gram-Schmidt, newest first, and from w_k + r_k the same combination.
LagVector AndersonMixing::mix() const {
  const Pass& last = passes_.back();
  LagVector rest = last.change, out = last.used;
  add(out, last.change, 1);
  std::vector<std::pair<LagVector, LagVector>> basis;  // unit change, and its step
  for (auto it = passes_.rbegin() + 1; it != passes_.rend(); ++it) {
    LagVector change = last.change, step = last.used;
    add(change, it->change, -1);
    add(step, it->used, -1);
    add(step, change, 1);
    const double length = std::sqrt(product(change, change));
    for (const auto& [q, s] : basis) {
      const double along = product(q, change);
      add(change, q, -along);
      add(step, s, -along);
    }
    const double left = std::sqrt(product(change, change));
    if (!(left > kDependent * length)) continue;
    LagVector q = zero(rest.size()), s = zero(rest.size());
    add(q, change, 1 / left);
    add(s, step, 1 / left);
    const double along = product(q, rest);
    add(rest, q, -along);
    add(out, s, -along);
    basis.emplace_back(std::move(q), std::move(s));
  }
  return out;
}

}  // namespace haptos
