// The motion of an affine body: twelve unknowns, the velocities of its origin p and of its three
// axes c_0, c_1, c_2 (the columns of A),
//
//   x = p + X c_0 + Y c_1 + Z c_2,      q = (p, c_0, c_1, c_2),      z = dq/dt.
//
// x is linear in z, so contact sees it exactly as it sees a node. Inertia is the moments of the
// mass (geometry/mesh/mass_properties.h), M = [m, m X^T; m X, S] times the 3 x 3 identity. S of a
// flat body is singular: the axis across it has no mass, and only what keeps it stiff holds it, its
// orthogonality potential
//
//   Psi = kappa V |A^T A - 1|_F^2 = kappa V sum_ij (c_i . c_j - delta_ij)^2 [J],
//
// a St. Venant-Kirchhoff solid of one element with mu = 4 kappa and lambda = 0: a stress s strains
// the body by about s / (8 kappa). A force at the centre of mass and a torque T about it turn the
// free motion as those of a rigid body, by I^-1 T. Free motion keeps angular momentum
// (affine_turn.h).
//
// On a guide the body only slides along an axis n: one unknown s', x = x_n + n b s'. It keeps its
// turn, so torque and the orthogonality potential do nothing.
// Source: Lan et al., Affine Body Dynamics, 2022, eq. 3 to 8 (there backward Euler, which loses a
// part (w h)^2 of the angular momentum in a step).
#pragma once

#include <memory>
#include <optional>

#include "haptos/bodies/body.h"
#include "haptos/bodies/stiff/affine_turn.h"
#include "haptos/geometry/mesh/mass_properties.h"
#include "haptos/system/facets/retraction.h"
#include "haptos/system/term.h"

namespace haptos {

struct AffineFrameSpec {
  Moments moments;                    ///< in body axes, glued masses included
  Moments own;                        ///< the same without glued masses
  double volume = 0;                  ///< V [m3]
  double stiffness = 1e8;             ///< kappa [Pa]
  Pose pose;                          ///< of the body axes at the start
  Vec3d velocity{{0, 0, 0}};          ///< of the centre of mass [m/s]
  Vec3d angular_velocity{{0, 0, 0}};  ///< [rad/s], world
  std::optional<Vec3d> guide;         ///< unit, world: the axis that the body slides along
  bool weightless = false;            ///< gravity does not act on the body's own mass
};

class AffineFrame final : public Body, public Retraction {
 public:
  AffineFrame(const BodySlots& slots, const AffineFrameSpec& spec);

  /// Force at the centre of mass [N] and torque about it [N m], world axes, held over each step.
  Vec3d force{{0, 0, 0}}, torque{{0, 0, 0}};

  std::vector<int> block_sizes() const override { return {spec_.guide ? 1 : 12}; }
  int q_count() const override { return 12; }
  void initialize(State& state) const override;
  void begin_step(const State& state, const BodyStep& step) override;
  void advance(const std::vector<double>& z, const BodyStep& step, State& state) override;

  /// From the next step on its own mass and inertia are `by` times those of the description.
  void scale_mass(double by);

  /// Where the solve begins: what goes on from the velocities of the last step, which z holds.
  void first_guess(const BodyStep& step, std::vector<double>& z) const;

  /// A straight step dA stretches the body by the square of its turn. This takes the step that
  /// turns as far as A + dA does and stretches by the symmetric part of dA only, the centre of mass
  /// moving as before:
  ///   A' = R(A + dA) (S + sym(R^T dA)),   A = R S.
  bool retract(const std::vector<double>& z, std::vector<double>& dz) const override;

  /// Registers a permanent point of this body, `local` in body axes; returns its number.
  int add_point(Points& points, const Vec3d& local);

  /// Of the registered points, in the order of add_point().
  const std::vector<Vec3d>& local() const { return local_; }

  const AffineFrameSpec& spec() const { return spec_; }
  /// q_base of the step that begin_step() set up, (12).
  const double* base() const { return base_; }
  /// dq/dt (12) of the body's unknowns.
  void rates(const double* z, double* dq) const;
  /// World position of a point of the body under coordinates q (12).
  static Vec3d place(const double* q, const Vec3d& local);
  /// The rotation nearest to A, and p, under coordinates q (12).
  static Pose nearest_pose(const double* q);
  Pose pose(const State& state) const { return nearest_pose(state.q.data() + slots_.first_q); }
  /// Acceleration of a point over the last step [m/s2].
  Vec3d acceleration(const Vec3d& local) const { return place(acceleration_, local); }
  /// Velocity of the centre of mass; angular velocity of the rigid motion of the same angular
  /// momentum.
  Vec3d velocity(const State& state) const;
  Vec3d angular_velocity(const State& state) const;
  double kinetic_energy(const State& state) const;
  /// Largest deviation of A^T A from the identity.
  double strain(const State& state) const;

  // As a link (system/link.h): at the start of the step that begin_step() set up. Its turning is
  // that of the axes on average, w = 1/2 sum c_i x dc_i/dt. What acts on the axes turns with the
  // body, by what it turns without forces: stresses, which are those of the end of the step, would
  // else brake a body that is held off its centre.
  int link_columns() const { return spec_.guide ? 1 : 12; }
  Pose link_pose(int) const { return nearest_pose(start_); }
  Vec3d link_centre(int) const { return place(start_, spec_.moments.centre()); }
  Vec3d point_velocity(int, const Vec3d& x) const { return place(start_rates_, local_of(x)); }
  Vec3d point_velocity_with(int, const Vec3d& x, const double* z) const;
  Vec3d point_bias(int, const Vec3d&) const { return Vec3d::zero(); }
  Vec3d point_bend(const Vec3d& x) const;
  Pose link_pose_after(int, const double* z, double h) const;
  void link_jacobian(int, const Vec3d& x, double* out) const;
  void link_turning(int, double* out) const;

 private:
  AffineFrameSpec spec_;
  Moments described_, all_;  // as described: own ones, and with what is glued on
  double heavier_ = 1;       // by which the own ones have been scaled
  Mat<double, 4, 4> mass_;   // times the 3 x 3 identity
  Vec3d centre_;             // of all mass, glued ones included, body axes [m]
  Mat3d second_;             // S about it [kg m2]
  double radius_ = 0;        // of gyration [m]
  std::vector<int> points_;
  std::vector<Vec3d> local_;
  double base_[12] = {};
  // Of the step under way.
  double start_[12] = {}, start_rates_[12] = {};
  double b_ = 0;                  // dx/du [s]
  double past_[12] = {};          // velocities that the integrator carries on
  double free_[12] = {};          // with which the free motion arrives
  double acceleration_[12] = {};  // of the last step, once it is done
  bool turns_ = false;            // the axes are near a rotation: momentum is kept
  Vec3d momentum_{{0, 0, 0}};     // at the end of the step without terms
  Mat3d stretch_base_;
  Mat3d turned_ = Mat3d::identity();  // from the start of the step to its end, without forces

  /// In body axes, of the point that is at x at the start of the step.
  Vec3d local_of(const Vec3d& x) const;
  Vec3d weight(const Vec3d& gravity) const;
  void free_turn(const State& state, const BodyStep& step, const double* start);
  void begin_free(const State& state, const BodyStep& step, const double* start);
  void begin_guided(const State& state, const BodyStep& step, const double* start);
};

/// The orthogonality potential of a frame, which must outlive it.
std::unique_ptr<Term> make_orthogonality_term(const AffineFrame* frame);

}  // namespace haptos
