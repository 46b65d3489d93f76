// The one door to a Newton iteration's linear system: direct (block Cholesky) or iterative (PCG
// with the multilevel preconditioner), chosen by size or by the person.
//
// Direct costs n^2 operations and n^(4/3) memory for a solid of n nodes; iterative costs a number
// of passes over the matrix that hardly grows with n, and memory proportional to it.
// docs/solver.md has the figures behind the default of direct_limit.
//
// A grid of material points is dense (190 numbers an unknown, where a mesh has 40) and heavy for
// its stiffness. Where method 0 would take the hierarchy for one, conjugate gradients by the
// inverse of diagonal blocks are tried first, for no longer than its setup would take, and no more
// in a step where they failed.
//
// A direct factor that costs much beside a solve with it is one in single precision, and what it
// solves is made good by conjugate gradients in double. Of a mesh the next systems of the step are
// tried with it first, for about as long as another factor would take. Where the factor cannot tell
// whether the matrix is positive definite, or the iterations do not converge, a factor in double
// precision does, then and for the rest of the step.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "haptos/options/solver_options.h"
#include "haptos/solve/linear/cholesky.h"
#include "haptos/solve/linear/single_factor.h"
#include "haptos/solve/multilevel/multilevel.h"

namespace haptos {

class LinearSolver {
 public:
  /// Call before analyze().
  void configure(const SolverOptions& options) { options_ = options; }
  /// Chooses the method and, for the direct one, does its symbolic part.
  void analyze(std::shared_ptr<const BlockPattern> pattern);
  bool iterative() const { return iterative_; }

  /// Forgets the hierarchy's aggregates: the first solve that follows reads them from its matrix.
  /// So a step depends on its state and not on the steps before.
  void begin_step() {
    geometry_known_ = gave_up_ = only_double_ = diagonal_failed_ = false;
    kept_ = keeping_failed_ = false;
  }
  /// Whether the coming solve needs set_geometry().
  bool wants_geometry() const { return iterative_ && !gave_up_ && !geometry_known_; }
  /// Near-null space for the iterative solver; see rigid_motions().
  void set_geometry(NearNullSpace space);

  /// x <- A^-1 x.
  /// @param tolerance  relative residual that the caller needs; a factor in double precision gives
  ///                   round-off, iterations are never asked for more than
  ///                   SolverOptions::tolerance
  /// @param weight     per scalar, for the norm of the residual
  /// @return false when A was seen not to be positive definite; x is then undefined. An iterative
  ///         solve that reaches its limit is solved directly, and so is the rest of the step, where
  ///         the method was chosen by size and up to kFallback times direct_limit; else it returns
  ///         true: what it has is a descent direction.
  bool solve(const BlockMatrix& a, double* x, double tolerance, const double* weight);

  /// x <- A^-1 x with what the last solve() used and its matrix, which must be there as it was: to
  /// round-off, or to 1e-6 where that takes iterations. False where it was the hierarchy.
  bool solve_again(double* x);

  /// Iterations of the last solve, 0 with a factor in double precision, and its relative residual.
  int iterations() const { return iterations_; }
  double residual() const { return residual_; }
  /// Memory beside the matrix: factor, or hierarchy and vectors.
  std::size_t bytes() const;
  const Multilevel* multilevel() const { return multilevel_.get(); }
  const BlockCholesky& cholesky() const { return cholesky_; }

 private:
  enum class By { kFactor, kSingle, kDiagonal, kHierarchy };
  enum class Answer { kSolved, kIndefinite, kUnsolved };
  bool may_fall_back() const;
  void analyze_factor();
  Preconditioner& preconditioner(By by);
  int most_iterations(By by) const;
  // Ways to solve for side_, each into x.
  Answer iterate(const BlockMatrix& a, double* x, double tolerance, const double* weight, By by);
  Answer solve_by_diagonal(const BlockMatrix& a, double* x, double tolerance, const double* weight);
  Answer solve_in_single(const BlockMatrix& a, double* x, double tolerance, const double* weight);
  bool solve_with_kept(const BlockMatrix& a, double* x, double tolerance, const double* weight);
  bool solve_directly(const BlockMatrix& a, double* x, double tolerance, const double* weight);

  SolverOptions options_;
  std::shared_ptr<const BlockPattern> pattern_;
  bool iterative_ = false, geometry_known_ = false, structured_ = false;
  bool grid_ = false;                                                     // tried by diagonal
  bool single_ = false;                                                   // by cost
  bool gave_up_ = false, diagonal_failed_ = false, only_double_ = false;  // in this step
  // Whether the factor in single precision is of this step, and whether one was of no use to
  // another matrix.
  bool kept_ = false, keeping_failed_ = false;
  BlockJacobi diagonal_;
  By last_ = By::kFactor;  // of the last solve, and its matrix where it iterated
  const BlockMatrix* last_matrix_ = nullptr;
  std::shared_ptr<const CholeskyPlan> plan_;  // once a factor was asked for
  BlockCholesky cholesky_;
  SingleFactor single_factor_;
  std::unique_ptr<Multilevel> multilevel_;
  Pcg pcg_;
  NearNullSpace space_;
  std::vector<double> side_;
  int iterations_ = 0;
  double residual_ = 0;
};

}  // namespace haptos
