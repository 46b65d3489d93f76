// Contact history per pair of features: what friction and warm starts remember from step to step.
// Part of State: saved, loaded, reset and hashed with it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "haptos/base/math/math.h"

namespace haptos {

/// Surfaces from here up to -1 stand for no surface but mark notes on a pair of bodies: what is
/// remembered beside its contacts.
constexpr std::int32_t kNotes = -128;

/// Which two features of which two bodies.
struct FeaturePair {
  std::int32_t env = 0, body_a = 0, body_b = 0;
  std::int32_t part_a = 0, part_b = 0;  ///< which of each body's surfaces, where it has several
  std::int64_t feature_a = 0, feature_b = 0;
  auto operator<=>(const FeaturePair&) const = default;  // NOLINT(modernize-use-nullptr)
};

/// What anchored friction keeps of a pair (contact/friction/anchored_friction.h).
struct ContactMemory {
  double normal_force = 0;  ///< at the last step [N]
  /// On `triangle`: weights of its second and third corner, height over it [m]; of a half-space: a
  /// point, world [m].
  Vec3d anchor{{0, 0, 0}};
  double edge = 0;               ///< place on the source's edge, weight of its second end
  std::int32_t triangle = -1;    ///< of the surface that holds the anchor; -1: a half-space
  std::int32_t slipping = 0;     ///< 1 where the last step ended in slip
  std::int64_t first_step = -1;  ///< step at which the pair came into contact
};

/// A map from pairs to what they remember, in one array ordered by pair: walking it is
/// deterministic, and a step that has run before needs no memory for it.
class ContactHistory {
 public:
  using Entry = std::pair<FeaturePair, ContactMemory>;
  using const_iterator = std::vector<Entry>::const_iterator;
  using iterator = std::vector<Entry>::iterator;

  iterator begin() { return entries_.begin(); }
  iterator end() { return entries_.end(); }
  const_iterator begin() const { return entries_.begin(); }
  const_iterator end() const { return entries_.end(); }
  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  void clear() { entries_.clear(); }

  const_iterator lower_bound(const FeaturePair& key) const {
    return std::lower_bound(begin(), end(), key, before);
  }
  const_iterator find(const FeaturePair& key) const {
    const auto it = lower_bound(key);
    return it != end() && it->first == key ? it : end();
  }
  /// Cheap in the order of the pairs.
  ContactMemory& operator[](const FeaturePair& key) {
    if (entries_.empty() || entries_.back().first < key)
      return entries_.emplace_back(key, ContactMemory{}).second;
    const auto it = std::lower_bound(begin(), end(), key, before);
    if (it->first == key) return it->second;
    return entries_.emplace(it, key, ContactMemory{})->second;
  }
  /// Adds entries, ordered, none of which there is yet.
  void merge(const std::vector<Entry>& more) {
    std::size_t from = entries_.size(), k = more.size();
    entries_.resize(from + k);
    for (std::size_t to = entries_.size(); k > 0;)
      entries_[--to] =
          from > 0 && more[k - 1].first < entries_[from - 1].first ? entries_[--from] : more[--k];
  }
  void insert_or_assign(const FeaturePair& key, const ContactMemory& m) { (*this)[key] = m; }

 private:
  static bool before(const Entry& e, const FeaturePair& key) { return e.first < key; }
  std::vector<Entry> entries_;
};

}  // namespace haptos
