#include "haptos/solve/lags/lag_slots.h"

#include <algorithm>
#include <iterator>

#include "haptos/base/borrowed.h"
#include "haptos/base/math/index.h"

namespace haptos {

bool LagSlots::take(std::span<const LagRow> rows) {
  fresh_.clear();
  for (const LagRow& r : rows)
    if (find(r.key) < 0) fresh_.push_back(r.key);
  if (fresh_.empty()) return false;
  std::sort(fresh_.begin(), fresh_.end());
  fresh_.erase(std::unique(fresh_.begin(), fresh_.end()), fresh_.end());
  moved_.clear();
  for (std::size_t i = 0, before = 0; i < keys_.size(); ++i) {
    while (before < fresh_.size() && fresh_[before] < keys_[i]) ++before;
    moved_.push_back(static_cast<int>(i + before));
  }
  Borrowed<std::vector<LagKey>> all;
  all->clear();
  std::merge(keys_.begin(), keys_.end(), fresh_.begin(), fresh_.end(), std::back_inserter(*all));
  keys_.assign(all->begin(), all->end());
  return true;
}

int LagSlots::find(const LagKey& key) const {
  const auto it = std::lower_bound(keys_.begin(), keys_.end(), key);
  return it != keys_.end() && *it == key ? static_cast<int>(it - keys_.begin()) : -1;
}

void LagSlots::gather(std::span<const LagRow> rows, LagVector& used, LagVector& now) const {
  for (LagVector* v : {&used, &now}) v->assign(keys_.size(), Vec3d::zero());
  for (const LagRow& r : rows) {
    const auto slot = at_index(find(r.key));
    if (r.was) used[slot] = r.used;
    if (r.is) now[slot] = r.now;
  }
}

void LagSlots::scatter(const LagVector& next, std::span<LagRow> rows) const {
  for (LagRow& r : rows) {
    const int slot = find(r.key);
    r.known = slot >= 0;
    r.next = r.known ? next[at_index(slot)] : Vec3d::zero();
  }
}

void move_slots(const std::vector<int>& moved, int size, LagVector& v) {
  // Slots only move back, so the last goes first.
  v.resize(at_index(size));
  std::size_t end = v.size();
  for (std::size_t i = moved.size(); i-- > 0;) {
    const std::size_t to = at_index(moved[i]);
    const Vec3d kept = v[i];
    std::fill(v.begin() + static_cast<std::ptrdiff_t>(to),
              v.begin() + static_cast<std::ptrdiff_t>(end), Vec3d::zero());
    v[to] = kept;
    end = to;
  }
  std::fill(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(end), Vec3d::zero());
}

}  // namespace haptos
