// Assembly: where terms leave their gradient and Hessian, and the one place where the time step
// enters through the chain rule.
//
// A term adds dE/dx_p (a position term) or dD/du_p, dl/du_p (a velocity term) for the points it
// reads. The objective sets two factors before each term, so that no term ever sees h:
//
//   kind of term            gradient factor    Hessian factor      (b = beta h)
//   Psi(x)    [J]           b                  b^2
//   D(u)      [W]           h                  h
//   l(u)      [J]           1                  1
//
// Gradients are kept per point, driven points included, so that reactions can be read from them;
// finish() pulls them back to the unknowns by J^T. Coordinates (scalar unknowns, the second seam)
// are added directly.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "haptos/system/block_matrix.h"
#include "haptos/system/points.h"

namespace haptos {

class Assembly {
 public:
  /// The pattern that holds while terms add nothing outside it.
  void reset(std::shared_ptr<const BlockPattern> pattern);

  /// Clears gradient (and Hessian). `driven_motion` is the change of velocity of the driven points
  /// along the coming Newton direction, (P); empty when they stand still.
  void begin(const Points& points, bool hessian, const std::vector<Vec3d>* driven_motion);
  /// Instead of gradient and Hessian, what they are along a direction: slope() and curvature(),
  /// from the velocities dz of the unknowns and du of all points. For terms that add through the
  /// functions below and not to the matrix itself.
  void begin_along(const Points& points, const std::vector<double>& dz,
                   const std::vector<Vec3d>& du);
  /// The velocities of begin_along(), (P); nullptr: gradient and Hessian are asked for.
  const std::vector<Vec3d>* along() const { return du_; }
  /// For terms that know slope and curvature along it (unscaled).
  void add_along(double slope, double curvature) {
    slope_ += gradient_factor_ * slope;
    curvature_ += hessian_factor_ * curvature;
  }
  double slope() const { return slope_; }
  double curvature() const { return curvature_; }

  void set_factors(double gradient, double hessian) {
    gradient_factor_ = gradient;
    hessian_factor_ = hessian;
  }
  double gradient_factor() const { return gradient_factor_; }
  double hessian_factor() const { return hessian_factor_; }
  bool wants_hessian() const { return hessian_; }
  /// For terms whose Hessian is known; begin() asks for it again.
  void want_hessian(bool wanted) { hessian_ = wanted; }
  const std::vector<Vec3d>* driven_motion() const { return driven_motion_; }

  /// Adds the derivative by point p (unscaled).
  void add_gradient(int p, const Vec3d& g) {
    if (du_) {
      slope_ += gradient_factor_ * dot((*du_)[static_cast<std::size_t>(p)], g);
      return;
    }
    point_gradient_[static_cast<std::size_t>(p)] += gradient_factor_ * g;
  }
  void add_gradient(const WeightedPoint& w, const Vec3d& g) {
    for (int i = 0; i < w.count; ++i) add_gradient(w.point[i], w.weight[i] * g);
  }
  /// Adds the second derivative by points p and q (unscaled). For p != q call once; the transposed
  /// block is implied. For p == q, h must be symmetric.
  void add_hessian(int p, int q, const Mat3d& h);
  /// The whole symmetric Hessian of a quantity that depends on weighted points i and j, block
  /// (i, j); for i != j call once, for the same point with `diagonal` set.
  void add_hessian(const WeightedPoint& i, const WeightedPoint& j, const Mat3d& h, bool diagonal);

  /// Derivative by scalar unknown `dof` of block `block`.
  void add_coordinate(int block, int dof, double gradient, double hessian) {
    if (du_) {
      const double d = direction(block)[dof];
      slope_ += gradient_factor_ * gradient * d;
      curvature_ += hessian_factor_ * hessian * d * d;
      return;
    }
    const BlockPattern& pattern = matrix_.pattern();
    gradient_[static_cast<std::size_t>(pattern.offset(block) + dof)] += gradient_factor_ * gradient;
    if (hessian_)
      matrix_.entry(pattern.diagonal(block))[dof * pattern.size(block) + dof] +=
          hessian_factor_ * hessian;
  }
  /// Derivatives by all unknowns of a block: gradient (size), symmetric hessian (size x size) or
  /// nullptr.
  void add_coordinates(int block, const double* gradient, const double* hessian);

  /// Those of a function of one combination of a block's unknowns, sum_k weight[k] z[dof[k]]:
  /// its first and second derivative by that.
  void add_combination(int block, std::span<const int> dof, const double* weight, double gradient,
                       double hessian);

  /// Second derivatives by the unknowns of block i (rows) and of block j, i != j, row-major.
  void add_coupling(int i, int j, const double* hessian);
  /// Second derivatives by a point (3 rows) and by the unknowns of a block, row-major; where it is
  /// the block of a link's point, the transpose is added too.
  void add_coupling(const WeightedPoint& point, int block, const double* hessian);
  /// What the driven motion changes in the derivatives by all unknowns of a block (unscaled).
  void add_driven_rhs(int block, const double* change);

  /// Adds a block-diagonal quadratic (inertia): gradient g and Hessian m, both already in units of
  /// the objective.
  void add_block(int block, const double* gradient, const double* matrix);

  /// Pulls the point gradients back: gradient() is complete afterwards.
  void finish();

  /// d objective / d z, (scalars).
  const std::vector<double>& gradient() const { return gradient_; }
  /// d objective / d u_p per point, driven points included [N s].
  const std::vector<Vec3d>& point_gradient() const { return point_gradient_; }
  std::vector<Vec3d>& mutable_point_gradient() { return point_gradient_; }
  BlockMatrix& matrix() { return matrix_; }
  const BlockMatrix& matrix() const { return matrix_; }
  /// The change of the gradient that the driven motion causes, pulled back, (scalars).
  const std::vector<double>& driven_rhs() const { return driven_rhs_; }
  /// For structured terms that scatter by precomputed entries: change per point.
  std::vector<Vec3d>& driven_point_rhs() { return driven_point_rhs_; }

  /// Couplings that were added outside the pattern since reset(); not empty means the matrix is
  /// incomplete: extend the pattern and assemble again.
  const std::vector<std::array<int, 2>>& missing() const { return missing_; }

 private:
  struct Piece {
    int block, count;
    double weight[4];
  };
  void add_within(int block, const double* jacobian, double weight, const double* hessian);
  int pieces(const WeightedPoint& point, Piece (&out)[3]) const;
  double* entry_of(int i, int j);
  void add_pieces(const Piece& i, const Piece& j, const Mat3d& h);
  void add_sum_pair(int p, int q, const Mat3d& h);
  void add_block_pair(int p, int q, const Mat3d& h);
  const double* direction(int block) const { return dz_->data() + matrix_.pattern().offset(block); }

  const Points* points_ = nullptr;
  const std::vector<Vec3d>* driven_motion_ = nullptr;
  BlockMatrix matrix_;
  std::vector<double> gradient_, driven_rhs_;
  std::vector<Vec3d> point_gradient_, driven_point_rhs_;
  std::vector<std::array<int, 2>> missing_;
  double gradient_factor_ = 1, hessian_factor_ = 1;
  bool hessian_ = false;
  const std::vector<double>* dz_ = nullptr;  // of begin_along()
  const std::vector<Vec3d>* du_ = nullptr;
  double slope_ = 0, curvature_ = 0;
};

}  // namespace haptos
