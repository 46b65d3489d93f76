// Lagged: what a term offers that holds forces constant while Newton runs, and renews them between
// two minimisations. Friction does: it is the gradient of no potential.
//
// The outer iteration (solve/newton/newton_lags.cpp) sees rows of numbers. A row is one lagged
// force. Its key tells it from the others, from pass to pass: numbers of the term's own choice,
// whose order is the order of sums.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "haptos/base/math/math.h"

namespace haptos {

class Points;

using LagKey = std::array<std::int64_t, 7>;

/// One lagged force. What is not there is 0.
struct LagRow {
  LagKey key{};
  Vec3d used{{0, 0, 0}};         ///< what the last minimisation was made with [N]
  Vec3d now{{0, 0, 0}};          ///< what follows from where it arrived [N]
  Vec3d next{{0, 0, 0}};         ///< what the next one is to be made with [N]
  bool was = false, is = false;  ///< whether it is lagged in `used`, and in `now`
  bool known = true;             ///< whether whoever chose `next` knew of this key
};

class Lagged {
 public:
  virtual ~Lagged() = default;

  /// Takes what is lagged from the refreshed point. Adds a row for all that was lagged before or is
  /// lagged now; `next` is `now`.
  virtual void renew_lags(const Points& points, std::vector<LagRow>& rows) = 0;
  /// Lags `next` instead, of the rows that the last renew_lags() added, in their order.
  virtual void set_lags(std::span<const LagRow> rows) = 0;
  /// Lags again what the last renew_lags() replaced; of frozen terms.
  virtual void undo_lags() {}
  /// Does without lags for the rest of the step, as well as it can; of frozen terms.
  virtual void drop_lags() {}
};

}  // namespace haptos
