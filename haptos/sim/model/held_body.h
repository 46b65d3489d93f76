// A soft body about rest, held where it is glued or held along all axes: its stiffness, factored.
#pragma once

#include <memory>
#include <vector>

#include "haptos/bodies/elastic/soft_element.h"
#include "haptos/options/solver_options.h"
#include "haptos/scene/kinds/soft_body.h"
#include "haptos/solve/linear/cholesky.h"
#include "haptos/system/term.h"

namespace haptos {

class HeldBody {
 public:
  HeldBody(const SoftBody& body, const SoftModel& model);

  /// False where nothing holds it, or not enough: then solve() must not be called.
  bool firm() const { return firm_; }
  int unknowns() const { return unknowns_; }
  /// First unknown of a vertex of the refined mesh; -1: held.
  int unknown(int vertex) const {
    const int b = block_[static_cast<std::size_t>(vertex)];
    return b < 0 ? -1 : 3 * b;
  }
  /// x <- K^-1 x for `count` right-hand sides, one after the other; K [N/m] is the second
  /// derivative of the elastic energy at rest.
  void solve(double* x, int count) const { factor_.solve(x, count, unknowns_); }

  const SoftElements& elements() const { return *elements_; }
  /// Elastic energy [J] with its vertices at x, in the body's frame [m], (V).
  double energy(const std::vector<Vec3d>& x);

 private:
  Points points_;
  std::vector<int> block_;
  std::shared_ptr<const SoftElements> elements_;
  std::unique_ptr<Term> term_;
  BlockCholesky factor_;
  int unknowns_ = 0;
  bool firm_ = false;
};

/// The square of the lowest natural frequency of a soft body about rest [1/s2], to ten per cent
/// where others are near; 0 where nothing holds it, or where it is too large for steps that factor.
double slowest_mode(const SoftBody& body, const SoftModel& model, const SolverOptions& solver = {});

}  // namespace haptos
