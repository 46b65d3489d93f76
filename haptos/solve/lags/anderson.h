// Anderson mixing: from the passes of a fixed-point iteration w <- g(w) so far, what to try next.
//
//   w_next = sum_j a_j (w_j + r_j),   r_j = g(w_j) - w_j,   a minimises |sum_j a_j r_j|, sum_j
//   a_j = 1
//
// over the last few passes. It is a secant method, so passes that would swing ever wider (slope of
// g below -1) or creep (slope near 1) settle all the same. But g is only piecewise smooth: from
// where it is flat, a secant reaches as far as the flat part's own value. Where the merit has grown
// far beyond the best one, the next try lies between the best pass and that one, where the changes,
// if they vary evenly, are least (regula falsi along the line between the two), and the history
// begins again at the best.
//
// Source: Walker and Ni, Anderson acceleration for fixed-point iterations, SIAM J. Numer. Anal. 49
// (2011). Deterministic: sums run in the order of the slots.
#pragma once

#include <utility>
#include <vector>

#include "haptos/solve/lags/lag_slots.h"

namespace haptos {

class AndersonMixing {
 public:
  /// @param depth passes that are looked back upon, beside the last
  explicit AndersonMixing(int depth = 6) : depth_(depth) {}

  /// What to try after `used` gave `result`, all by slot.
  /// @param merit how far from the fixed point this pass is, in any measure that is 0 there.
  void next(const LagVector& used, const LagVector& result, double merit, LagVector& out);
  /// Forgets all passes.
  void clear() { count_ = 0; }
  /// Slots have come: where each of the others has moved to, and how many there are now.
  void move(const std::vector<int>& moved, int size);

 private:
  struct Pass {
    LagVector used, change;
    double merit = 0;
  };
  void mix(LagVector& out);
  void between(const Pass& a, const Pass& b, LagVector& out);

  int depth_;
  int count_ = 0;             // of passes that are remembered, the last one last
  std::vector<Pass> passes_;  // with room that is kept
  Pass best_;
  // Of mix(): what of a difference is left, and unit changes with their steps.
  LagVector change_, step_, rest_;
  std::vector<std::pair<LagVector, LagVector>> basis_;
};

}  // namespace haptos
