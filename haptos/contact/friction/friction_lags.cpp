// The springs of anchored friction, in the order of their keys: how they are renewed, and what they
// lag as rows (anchored_friction.h).
#include <algorithm>
#include <cassert>
#include <iterator>

#include "haptos/contact/friction/anchored_friction.h"
#include "haptos/contact/friction/lag_key.h"

namespace haptos {

AnchoredFriction::Springs::const_iterator AnchoredFriction::first_spring(
    const FeaturePair& key) const {
  return std::lower_bound(springs_.begin(), springs_.end(), key,
                          [](const Spring& s, const FeaturePair& k) { return s.key < k; });
}

const AnchoredFriction::Spring* AnchoredFriction::find_spring(const FeaturePair& key) const {
  const auto it = first_spring(key);
  return it != springs_.end() && it->key == key ? &*it : nullptr;
}

// What renew() has made takes the place of what there was. Of a key that was met twice the last
// one counts.
void AnchoredFriction::replace_springs(Springs& next) {
  if (!std::is_sorted(next.begin(), next.end(), before))
    std::stable_sort(next.begin(), next.end(), before);
  const auto first = std::unique(next.rbegin(), next.rend(), [](const Spring& a, const Spring& b) {
                       return a.key == b.key;
                     }).base();
  before_.swap(springs_);
  springs_.assign(first, next.end());
}

void AnchoredFriction::add_lags(std::vector<LagRow>& rows) const {
  auto old = before_.begin();
  auto now = springs_.begin();
  while (old != before_.end() || now != springs_.end()) {
    LagRow r;
    r.was = old != before_.end() && (now == springs_.end() || old->key <= now->key);
    r.is = now != springs_.end() && (old == before_.end() || now->key <= old->key);
    r.key = lag_key(r.was ? old->key : now->key);
    if (r.was) r.used = old->normal * old->limit, ++old;
    if (r.is) r.now = r.next = now->normal * now->limit, ++now;
    rows.push_back(r);
  }
}

// Springs are kept also where they carry nothing: another anchor would be another problem.
void AnchoredFriction::set_lags(std::span<const LagRow> rows) {
  Borrowed<Springs> next;
  next->clear();
  std::set_union(springs_.begin(), springs_.end(), before_.begin(), before_.end(),
                 std::back_inserter(*next), before);
  springs_.assign(next->begin(), next->end());
  before_.clear();
  assert(rows.size() == springs_.size());
  for (std::size_t i = 0; i < springs_.size(); ++i) {
    Spring& s = springs_[i];
    const Vec3d& f = rows[i].next;
    // An extrapolation may point the other way: such a contact carries nothing.
    s.limit = dot(f, s.normal) > 0 ? norm(f) : 0;
    if (s.limit > 0) s.normal = f * (1 / s.limit);
  }
}

}  // namespace haptos
