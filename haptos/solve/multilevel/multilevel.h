// Multilevel preconditioner: algebraic multigrid by smoothed aggregation, read from the matrix.
//
//   B r:  x = S r                    Chebyshev smoothing from zero
//         x = x + P A_c^-1 P^T (r - A x)     coarse correction, by the next level
//         x = x + S (r - A x)        the same smoothing, so that B is symmetric
//
// The aggregates come from the strength of couplings in the matrix, so contact and self-contact
// take part in the hierarchy; the near-null space is the rigid motions of the nodes. Blocks without
// a position (bodies with six, twelve or joint unknowns) stand alone on every level with their own
// unknowns. The coarsest level is factored by BlockCholesky.
//
// The structure (aggregates, patterns) is a function of the pattern and the matrix given to
// restructure(); setup() redoes the values alone. Nothing else is remembered, so the same step
// from a saved state gives the same bits.
//
// Reference: Vanek, Mandel, Brezina, Computing 56 (1996); docs/solver.md.
// Limits: near incompressibility the smoother must damp volume-preserving modes that are soft
// against the blocks' diagonals: iterations grow like the square root of lambda / mu.
#pragma once

#include <memory>
#include <vector>

#include "haptos/base/math/math.h"
#include "haptos/solve/linear/cholesky.h"
#include "haptos/solve/linear/pcg.h"
#include "haptos/solve/multilevel/prolongation.h"
#include "haptos/solve/multilevel/smoother.h"

namespace haptos {

/// What is tuned, with measurements in docs/solver.md.
struct MultilevelSettings {
  double strength = 0.08;    ///< couplings of unit-free strength above this aggregate
  double negligible = 1e-4;  ///< couplings below this do not smooth the prolongator
  int degree = 2;            ///< of the Chebyshev smoother
  double ratio = 20;         ///< of the interval that it damps
  int coarsest = 1000;       ///< scalars that are factored instead of coarsened
  int max_levels = 10;
};

/// The rigid motions of nodes, for the blocks of a matrix.
/// @param is_node   per block: its three unknowns are the velocity of a point
/// @param position  per block: where that point is [m]; read for nodes only
/// @param fixed     per scalar: held, no mode moves it; may be empty
NearNullSpace rigid_motions(const BlockPattern& pattern, const std::vector<char>& is_node,
                            const std::vector<Vec3d>& position, const std::vector<char>& fixed);

class Multilevel final : public Preconditioner {
 public:
  explicit Multilevel(const MultilevelSettings& settings = {}) : settings_(settings) {}

  /// Finds levels for this matrix, keeping those whose structure has not changed, and their values.
  /// @return false when the matrix was seen not to be positive definite
  bool restructure(const BlockMatrix& a, const NearNullSpace& space);
  /// Values alone, for a matrix of the pattern that restructure() has seen. Allocates nothing.
  bool setup(const BlockMatrix& a);
  bool ready_for(const BlockMatrix& a) const;

  void apply(const double* r, double* z) override;

  int level_count() const { return static_cast<int>(levels_.size()) + 1; }
  /// Blocks and scalars of level l, 0 the finest.
  int blocks(int l) const;
  int scalars(int l) const;
  /// Stored values of all levels' matrices over those of the finest.
  double complexity() const;
  std::size_t bytes() const override;

 private:
  struct Level {
    BlockMatrix own;  // of this level; empty on the finest
    Smoother smoother;
    std::vector<float> strength;
    Prolongation prolongation;
    std::vector<double> b, x, residual;  // b and x on coarse levels only
  };
  const BlockMatrix& matrix(std::size_t l) const;
  void compute(Level& level, const BlockMatrix& a, BlockMatrix& coarse);
  void cycle(std::size_t l, const double* b, double* x);

  MultilevelSettings settings_;
  const BlockMatrix* finest_ = nullptr;
  std::shared_ptr<const BlockPattern> pattern_;
  std::vector<std::unique_ptr<Level>> levels_;
  BlockMatrix coarsest_;
  BlockCholesky cholesky_;
  std::vector<double> coarsest_x_;
};

}  // namespace haptos
