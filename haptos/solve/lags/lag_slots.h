// LagSlots: lagged forces as flat vectors, one slot a force, so that passes can be compared.
//
// Slots are in the order of the keys. A key that a pass brings for the first time gets a slot
// between those of its neighbours, and the others move up; none is given back, so that what comes
// and goes finds its own slot again. A force that a pass does not have is 0.
#pragma once

#include <span>
#include <vector>

#include "haptos/system/facets/lag.h"

namespace haptos {

/// Lagged forces by slot [N].
using LagVector = std::vector<Vec3d>;

class LagSlots {
 public:
  /// Forgets all slots.
  void clear() { keys_.clear(); }
  /// Gives every row a slot. Returns whether slots have come, so that those of before have moved.
  bool take(std::span<const LagRow> rows);
  int size() const { return static_cast<int>(keys_.size()); }
  /// Where each slot of before the last take() has moved to.
  const std::vector<int>& moved() const { return moved_; }

  /// A row's two forces, into vectors of size() slots. Of rows with the same key the last counts.
  void gather(std::span<const LagRow> rows, LagVector& used, LagVector& now) const;
  /// `next` of every row from its slot; a row without one is not known.
  void scatter(const LagVector& next, std::span<LagRow> rows) const;

 private:
  int find(const LagKey& key) const;

  std::vector<LagKey> keys_, fresh_;
  std::vector<int> moved_;
};

/// Puts what is in the slots of v where they have moved to; size: slots there are now.
void move_slots(const std::vector<int>& moved, int size, LagVector& v);

}  // namespace haptos
