// Points: the first of the two seams between bodies and terms.
//
// Bodies map the unknown velocities z to points; terms read positions and velocities of points and
// never ask who owns them. Within a step every point is linear in z,
//
//   u_p = J_p z_block(p),      x_p = x_base,p + b u_p,    b = beta h,
//
// with J_p the identity for a node; [1 X Y Z] times the identity for the point (X, Y, Z) of an
// affine body, whose block holds the velocities of its origin and of its three axes; n for a body
// that slides along an axis n; a frozen 3 x n
// matrix for a point of a link; and nothing for a driven point (prescribed bodies and what is glued
// to them), which follows a path instead:
//
//   x_p(s) = x_start,p + s (x_target,p - x_start,p),   s in [0, 1].
//
// A point may also be the weighted sum of any number of others (a place on a soft face, a particle
// among the nodes of its grid, a link that several blocks move):
//
//   x_p = sum_k w_k x_k,      u_p = sum_k w_k u_k.
//
// Points of links are made per step, per contact candidate, or they are carried (what is glued to a
// link, and the vertices of its surface): permanent, with a J_p that the step sets, and
//
//   x_p(s) = x_base,p + b u_p - (1 - s) (x_target,p - x_start,p),
//
// since they start where their last step's straight motion ended, which is not quite where the link
// has turned to, x_target. All others are permanent.
#pragma once

#include <vector>

#include "haptos/base/math/math.h"

namespace haptos {

/// A material point as a weighted sum of at most three points (a vertex, a point of an edge or of a
/// triangle).
struct WeightedPoint {
  int count = 0;
  int point[3] = {-1, -1, -1};
  double weight[3] = {0, 0, 0};
};

/// The point itself, as a weighted point.
inline WeightedPoint single(int point) {
  WeightedPoint w;
  w.count = 1;
  w.point[0] = point;
  w.weight[0] = 1;
  return w;
}

class Points {
 public:
  static constexpr int kDriven = -1;
  static constexpr int kSum = -2;

  /// What a sum is made of.
  struct Part {
    int point = -1;
    double weight = 0;
  };

  /// A point that is its block's three unknowns. Returns its index.
  int add_node(int block, int body, int env, const Vec3d& x);
  /// A point whose path is prescribed.
  int add_driven(int body, int env, const Vec3d& x);
  /// The point `local` of the affine body whose twelve unknowns are the block.
  int add_affine(int block, int body, int env, const Vec3d& x, const Vec3d& local);
  /// A point of the body whose one unknown is its speed along `axis`.
  int add_guided(int block, int body, int env, const Vec3d& x, const Vec3d& axis);
  /// A permanent point of a link whose block has `columns` unknowns.
  int add_carried(int block, int body, int env, const Vec3d& x, int columns);
  /// Where a carried point starts, where it belongs, x_base, and its row-major 3 x columns J.
  void carry(int p, const Vec3d& start, const Vec3d& place, const Vec3d& base,
             const double* jacobian);
  /// A point of a link for this step; jacobian is row-major 3 x columns, u = jacobian * z_block.
  int add_link(int block, int body, int env, const Vec3d& x, const double* jacobian, int columns);
  /// For this step, the sum of `count` parts, `count` above 0, that are no sums themselves. Its
  /// place is that of its parts now.
  int add_sum(int body, int env, const Part* parts, int count);
  /// Forgets the points of links and the sums; call after all permanent points exist and at each
  /// step's start.
  void begin_step();
  /// Declares that all permanent points are there.
  void finish_permanent() {
    permanent_ = size();
    permanent_jacobians_ = jacobians_.size();
  }

  int size() const { return static_cast<int>(block_.size()); }
  int permanent() const { return permanent_; }
  int block(int p) const { return block_[index(p)]; }
  bool driven(int p) const { return block_[index(p)] == kDriven; }
  bool is_sum(int p) const { return block(p) == kSum; }
  /// Of a sum, in the order given.
  int part_count(int p) const { return columns_[index(p)]; }
  const Part* parts(int p) const { return parts_.data() + lever_[index(p)]; }
  /// Calls f(block) for each block that moves the point, more than once where parts share it.
  template <class F>
  void each_block(int p, F f) const {
    if (driven(p)) return;
    if (!is_sum(p)) return f(block(p));
    for (int k = 0; k < part_count(p); ++k)
      if (const int q = parts(p)[k].point; !driven(q)) f(block(q));
  }
  /// The sum's value, from the array of a quantity of all points.
  Vec3d sum_of(int p, const std::vector<Vec3d>& values) const {
    Vec3d v = Vec3d::zero();
    const Part* part = parts(p);
    for (int k = 0; k < part_count(p); ++k) v += part[k].weight * values[index(part[k].point)];
    return v;
  }
  bool carried(int p) const { return carried_[index(p)] != 0; }
  /// Whether a part of its motion is along the path of the step.
  bool on_path(int p) const { return driven(p) || carried(p); }
  /// Whether it is a node of a soft body: its block's three unknowns are its velocity.
  bool node(int p) const { return block(p) >= 0 && columns(p) == 3 && !jacobian(p); }
  /// How far the path takes it, from x_start [m]; zero for points that are on none.
  Vec3d way(int p) const {
    return on_path(p) ? x_target[index(p)] - x_start[index(p)] : Vec3d::zero();
  }
  int body(int p) const { return body_[index(p)]; }
  int env(int p) const { return env_[index(p)]; }
  /// Row-major 3 x columns(p) of a link's or a guided body's point, nullptr for all others; not to
  /// be asked of a sum.
  const double* jacobian(int p) const {
    return lever_[index(p)] < 0 ? nullptr : jacobians_.data() + lever_[index(p)];
  }
  /// Weights of the block's triples of unknowns, columns(p) / 3 of them: 1 for a node, (1, X, Y, Z)
  /// for a point of an affine body.
  const double* weights(int p) const {
    return weights_.data() + (affine_[index(p)] < 0 ? 0 : affine_[index(p)]);
  }
  int columns(int p) const { return columns_[index(p)]; }

  // Kinematics, all (P): written by the step and the optimiser, read by terms.
  std::vector<Vec3d> x_start;   ///< position at the start of the step, or of the path [m]
  std::vector<Vec3d> x_base;    ///< x = x_base + b u [m]
  std::vector<Vec3d> x_target;  ///< end of the path of driven points; where carried belong [m]
  std::vector<Vec3d> x;         ///< trial position [m]
  std::vector<Vec3d> u;         ///< trial velocity [m/s]

 private:
  static std::size_t index(int p) { return static_cast<std::size_t>(p); }
  int add(int block, int body, int env, const Vec3d& x);

  int permanent_ = 0;
  std::size_t permanent_jacobians_ = 0;
  std::vector<int> block_, body_, env_, lever_, affine_, columns_;
  std::vector<char> carried_;
  std::vector<double> jacobians_;
  std::vector<double> weights_{1.0};  // the first is the node's
  std::vector<Part> parts_;           // of sums
};

/// The position or velocity of a weighted point, given the array of all points.
inline Vec3d at(const std::vector<Vec3d>& values, const WeightedPoint& w) {
  Vec3d v = w.weight[0] * values[static_cast<std::size_t>(w.point[0])];
  for (int i = 1; i < w.count; ++i) v += w.weight[i] * values[static_cast<std::size_t>(w.point[i])];
  return v;
}

}  // namespace haptos
