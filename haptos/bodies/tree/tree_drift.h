// How a tree moves over a step with no term acting on it, so that its energy cannot grow.
//
// Each body has its velocity V_i = (w, v) in its own axes, where its inertia I_i is constant, and
// V_i = J_i(q) z. With q_g near the middle of the step, momenta p_i there and z the mean velocity,
//
//   sum_i J_i(q_g)^T [ I_i (2 V_i - 2 V_i,n) + h V_i x p_i ] = h f,    V_i = J_i(q_g) z_mid    (1)
//   V_i,n+1 = V_i + J_i y + k D_i,   D_i = V_i - V_i,n - J_i y,   y = N^-1 h/2 f
//   v_n+1 = argmin_v sum_i |J_i(q_n+1) v - V_i,n+1|^2 of I_i                                    (2)
//
// where x is the rate of change of a force that is fixed in the body, f the generalised force of
// gravity, torques and wrenches, q_g = q_n (+) h/2 z_g, and z_g, p_i = I_i J_i(q_g) z_g come from
// the pass before; N is the matrix of (1), which is linear in z_mid. Since V x p does no work on V,
// the kinetic energy of V_n+1 is with k = 1 that of V_n and h f.z_mid, whatever q_g and p are; (2)
// is a projection in the metric of the kinetic energy, so it can only lose. k = 1 - |D|^2 /
// |V_n|^2, 0 or more, takes energy where the step is too long for the motion; where it is not,
// velocities get back what (2) took. No velocity is left that would have more than the kinetic
// energy before and the work of weight over the way that it went, of torques, wrenches and terms.
// Three passes.
//
// (1) is solved in time linear in the number of bodies, by the elimination of aba() with inertias
// I + h/2 [p x] that are not symmetric.
//
// The step's minimisation knows z as the velocity at the end of the step, so that terms hold that:
// a follower follows and what rests on a limit has no rate, from the first step on. Its free value
// is z_mid + y + k d, where d = z_mid - y - v_n is what D is of the unknowns, and its inertia is
// M(q_g). A solved z changes V_n+1 by J(q_g)(z - z_free). The tree moves by z - share lead, with
// lead = k d + the part of y that is gravity's: `share` is 1 where hardly anything but f pushed, so
// that it swings to second order, and 0 where terms carry it, so that what is held stays:
//
//   r = |z - z_free| / |2 lead| in the norm of M,     share = clamp(3/2 - 2 r, 0, 1).
//
// Without terms z is v_n + 2 lead, or more. A joint whose rate changed less, since a brake, a motor
// or a limit held it, takes back (z - v_n) / 2, no more than its lead: none where it stands.
//
// A tree that contact acts on moves by z, however little that pushes: contact knows z, and so does
// what it holds. A grip that fell freely with share 1 would slip by h lead in every step.
//
// A tree that hangs from the world by a free joint without armature is looked at from its centre of
// mass: that moves with P_n / m + h g, as every other free body does. A single free body has no
// lead: terms see its velocity in the middle, as those of a RigidBody. In flight, where nothing
// outside pushes it and the step resolves its motion, all its joints go by the mean of their rates,
// (v_n + z) / 2 without what torques add, whatever its motors and springs do: turning and folding
// then belong together, or a robot that tumbles would lose or gain energy to first order in h.
//
// Source: own derivation, after energy-momentum methods (Simo, Tarnow and Wong, Exact
// energy-momentum conserving algorithms and symplectic schemes for nonlinear dynamics, 1992).
// Limits: angular momentum of trees that float is kept by floating_base.h, not here; forces other
// than f are of first order in h.
#pragma once

#include <vector>

#include "haptos/base/math/skewed_inertia.h"
#include "haptos/bodies/tree/tree_dynamics.h"

namespace haptos {

/// Whether a body hangs from the world by a free or a ball joint without armature.
bool floats(const Tree& tree, const TreeBody& body);

/// What moves a tree over a step beside terms.
struct FreeStep {
  double h = 0;  ///< [s]
  Vec3d gravity;
  const double* q = nullptr;                     ///< at the start of the step
  const double* v = nullptr;                     ///< velocities there
  const double* torque = nullptr;                ///< per unknown
  const SpatialForce<double>* wrench = nullptr;  ///< per body
};

/// How a tree moved by the equation that a step solved, in the middle of it: the loads of joints
/// are those of this motion.
struct StepMotion {
  const TreeData<double>* at = nullptr;            ///< kinematics; velocities V, accelerations - g
  const SpatialMotion<double>* turning = nullptr;  ///< per body: p = I turning
  const double* rate = nullptr;                    ///< accelerations of unknowns [rad/s2], [m/s2]
  const double *q = nullptr, *v = nullptr;         ///< coordinates and velocities there
};

class TreeDrift {
 public:
  explicit TreeDrift(const Tree& tree);

  /// Scales mass and inertia of a body against the tree's.
  void scale_mass(const Tree& tree, int body, double scale);

  /// @param start  of the tree at q, after update() and update_velocities()
  /// Writes the free velocities (v_count) and the mass matrix M(q_g), dense.
  void begin_step(const Tree& tree, const TreeData<double>& start, const FreeStep& step,
                  double* z_free, double* mass);
  /// Contact acts on the body in the step that begin_step() set up: its tree moves by z.
  void hold(int body) {
    held_[static_cast<std::size_t>(root_[static_cast<std::size_t>(body)])] = 1;
  }
  /// Coordinates and velocities at the end of the step that begin_step() set up, from the solved z.
  void end_step(const Tree& tree, const TreeData<double>& start, const FreeStep& step,
                const double* z, const double* z_free, const double* mass, double* q, double* v);

  /// Poses and composite inertias at q_g.
  const TreeData<double>& middle() const { return middle_; }
  /// Kinematics and inertias at the coordinates that end_step() wrote.
  TreeData<double>& end() { return end_; }
  /// Of the tree that hangs from the world by `root`, after end_step(): kinetic energy that it may
  /// have at most, with all the work of terms; of what floats against its centre of mass [J].
  double most_energy(int root) const { return may_[static_cast<std::size_t>(root)]; }
  /// Whether terms held joints of that tree, and the step resolves its motion: from 0 to 1.
  double held_well(int root) const;
  /// After end_step(), until the next begin_step(). Of a tree that floats velocities are against
  /// its centre of mass, which falls, so that bodies feel no weight.
  const StepMotion& motion(const Tree& tree, double h, const Vec3d& gravity);
  /// What torques and terms did in the step, per unknown [N m] or [N].
  const std::vector<double>& effort() const { return effort_; }

 private:
  void factor(const Tree& tree, double h);
  void solve(const Tree& tree, double* z);
  void leave_mass_centres(const Tree& tree, const TreeData<double>& start, const Vec3d& fall);
  void set_up_middle(const Tree& tree, const TreeData<double>& start, const FreeStep& step,
                     const double* guess);
  bool guess_middle(const Tree& tree, const FreeStep& step);
  void add_weight(const Tree& tree, const FreeStep& step, double share);
  void add_efforts(const Tree& tree, const FreeStep& step, double share);
  void leave_energy_out(const Tree& tree, const TreeData<double>& start, const FreeStep& step,
                        double* v);
  double resolved(std::size_t root) const;
  void find_kept(const Tree& tree, const FreeStep& step);
  void find_shares(const Tree& tree, const double* z, const double* z_free, const double* mass);
  void find_means(const Tree& tree, const double* z, const double* z_free, const double* mass);
  bool moves_centre(const Tree& tree, std::size_t k) const;
  void find_way(const Tree& tree, const double* z);

  std::vector<int> root_;     // per body: that which hangs from the world
  std::vector<char> floats_;  // per body, at roots: seen from its centre of mass
  std::vector<Vec3d> boost_;  // per body, at roots: velocity of that [m/s]
  std::vector<Vec3d> next_boost_;
  std::vector<char> held_;  // per body, at roots: by contact
  std::vector<double> share_, mean_, termed_, kept_, pushed_, led_, may_,
      before_;  // per body, at roots
  // Per body, at roots that float: momenta against next_boost_ at the end, of what (2) is for and
  // of what comes out; momentum of the way, and what pushes from outside in the step.
  struct Sums {
    double mass = 0;
    Vec3d before{{0, 0, 0}}, after{{0, 0, 0}}, way{{0, 0, 0}}, pushed{{0, 0, 0}};
  };
  std::vector<Sums> sums_;
  TreeData<double> middle_, end_;
  std::vector<SpatialMotion<double>> relative_;  // V_n against the centre of mass, world axes
  std::vector<SpatialMotion<double>> carried_;   // the same, turned with the body to q_g
  std::vector<SpatialMotion<double>> change_;    // of it by inertia, in half a step
  std::vector<SpatialForce<double>> momentum_;   // p at q_g
  std::vector<SkewedInertia> inertia_;
  std::vector<SpatialForce<double>> column_;  // per unknown: force of its unit velocity
  std::vector<SpatialForce<double>> row_;     // what acts on it, of its body's velocity
  std::vector<double> inverse_, left_, joint_;
  std::vector<SpatialMotion<double>> turning_;  // per body: what momentum_ is of
  std::vector<double> push_, rate_;             // per unknown: z - z_free of the step; of motion()
  std::vector<double> start_v_;                 // v_n, of what floats against its centre of mass
  StepMotion motion_;
  std::vector<double> drift_;                // per unknown: of the rate by inertia, in half a step
  std::vector<char> alone_;                  // per body: floats and carries nothing
  std::vector<SpatialForce<double>> force_;  // per body: what the solve is for
  std::vector<SpatialMotion<double>> velocity_;
  std::vector<double> middle_z_, lead_, driven_, guess_, middle_q_, scratch_;
  std::vector<double> effort_;  // of terms: impulses while a step ends, then forces with torques
};

}  // namespace haptos
