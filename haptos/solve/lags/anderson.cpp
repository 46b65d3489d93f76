#include "haptos/solve/lags/anderson.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"

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

void set_zero(LagVector& v, std::size_t size) { v.assign(size, Vec3d::zero()); }

}  // namespace

void AndersonMixing::next(const LagVector& used, const LagVector& result, double merit,
                          LagVector& out) {
  if (passes_.size() < at_index(depth_ + 2)) passes_.resize(at_index(depth_ + 2));
  Pass& p = passes_[at_index(count_)];
  p.used = used;
  set_zero(p.change, used.size());
  add(p.change, result, 1);
  add(p.change, used, -1);
  p.merit = merit;
  if (count_ > 0 && merit > kRunaway * best_.merit) {
    between(best_, p, out);
    passes_.front() = best_;
    count_ = 1;
    return;
  }
  if (count_ == 0 || merit <= kAlike * best_.merit) best_ = p;
  if (++count_ > depth_ + 1) {
    std::rotate(passes_.begin(), passes_.begin() + 1, passes_.begin() + count_);
    --count_;
  }
  mix(out);
}

void AndersonMixing::move(const std::vector<int>& moved, int size) {
  for (int k = 0; k < count_; ++k) {
    move_slots(moved, size, passes_[at_index(k)].used);
    move_slots(moved, size, passes_[at_index(k)].change);
  }
  if (count_ == 0) return;
  move_slots(moved, size, best_.used);
  move_slots(moved, size, best_.change);
}

// On the way from a to b, where the changes, if they vary evenly, are least.
void AndersonMixing::between(const Pass& a, const Pass& b, LagVector& out) {
  LagVector& change = change_;
  change = b.change;
  out = a.used;
  add(change, a.change, -1);
  const double length = product(change, change);
  const double t = length > 0 ? -product(a.change, change) / length : 0.5;
  const double share = std::clamp(t, kLeastShare, 0.5);
  add(out, b.used, share);
  add(out, a.used, -share);
}

// With the last pass k and D_j = r_k - r_j: takes from r_k what the D_j explain, by modified
// Gram-Schmidt, newest first, and from w_k + r_k the same combination.
void AndersonMixing::mix(LagVector& out) {
  const Pass& last = passes_[at_index(count_ - 1)];
  LagVector &rest = rest_, &change = change_, &step = step_;
  rest = last.change;
  out = last.used;
  add(out, last.change, 1);
  if (basis_.size() < at_index(depth_ + 1)) basis_.resize(at_index(depth_ + 1));
  std::size_t known = 0;
  for (int k = count_ - 2; k >= 0; --k) {
    const Pass& pass = passes_[at_index(k)];
    change = last.change;
    step = last.used;
    add(change, pass.change, -1);
    add(step, pass.used, -1);
    add(step, change, 1);
    const double length = std::sqrt(product(change, change));
    for (std::size_t i = 0; i < known; ++i) {
      const double along = product(basis_[i].first, change);
      add(change, basis_[i].first, -along);
      add(step, basis_[i].second, -along);
    }
    const double left = std::sqrt(product(change, change));
    if (!(left > kDependent * length)) continue;
    auto& [q, s] = basis_[known++];
    set_zero(q, rest.size());
    set_zero(s, rest.size());
    add(q, change, 1 / left);
    add(s, step, 1 / left);
    const double along = product(q, rest);
    add(rest, q, -along);
    add(out, s, -along);
  }
}

}  // namespace haptos
