// Frozen point contact of shapes that links carry, with each other and with shapes that stand in
// the world, by one of three convex laws: the SAP cone (sap_law.h), or Hunt and Crossley's with
// lagged or with present normal force in friction (hunt_crossley.h).
//
// prepare() places every shape where the step starts, finds pairs that may meet (broad phase),
// samples where they face each other (geometry/collide) and freezes, per sample, a pair of link
// points and the law:
//
//   R_n = max( beta^2 / (4 pi^2) w,  1 / (h k (h + tau)) ),   R_t = sigma w,
//   w = |J diag(M)^-1 J^T|_F / 3   [1/kg],       v_hat = (0, 0, -phi / (h + tau)),
//
// so the impulse is h k (-phi_{n+1} - tau v_n) of a spring k [N/m] with relaxation time tau [s],
// or the near-rigid bound, whose period is beta steps. J is that of the velocity of a against b.
// Where phi > 0, v_hat_n = -phi / h: a contact that is only approached pushes once it would overlap
// at the end of the step, and no sooner (with tau in the divisor it would brake at a distance).
//
// Hunt and Crossley's laws have a dissipation d instead of tau, and of k at most the near-rigid
// 1 / (h^2 beta^2 / (4 pi^2) w). The slip below which their friction sticks is
// e = max(v_s, mu sigma w gamma_0), with gamma_0 the impulse at the start of the step's velocity
// v_0, but no more than what the spring holds at rest and what stops v_0: gamma_0 = min(gamma(v_0),
// gamma(0) + (-v_0)_+ / (n W n)). An impact would else have the friction of a spring that is far
// too stiff for it.
//
// With anchored stick (stick_anchors.h) the tangential part starts from v_hat_t = -s / (2 h), and
// e = mu sigma w gamma_0 alone.
//
// Two shapes are springs in series: 1/k = 1/k_a + 1/k_b, tau = k (tau_a / k_a + tau_b / k_b), and
// the samples of a pair share k, so do tau and d; mu is the geometric mean, or the pair's own. A
// side with k infinite is rigid; one with mu below 0 leaves friction to the other. A side with a
// modulus K [Pa/m] has k = K area at samples that stand for an area, and its k elsewhere (points
// and lines). Where surfaces overlap the point is midway between them; where they are only near, it
// is on each of them, so that friction's arm ends there.
//
// A pair is a candidate when its gap is at most 2 h (s_a + s_b) + e + 1 mm, s the largest speeds of
// the shapes' boxes at the start of the step. e is for what moves otherwise than at the start: at
// most 4 h (s_max + h 20 m/s2), s_max the largest speed in the environment, which may strike it,
// and at most half of the smaller half thickness of the two. A pair that is missed is found
// overlapping at the next step.
//
// Reference: Castro et al. 2022, section V (regularisation); Castro et al. 2020 (near-rigid bound);
// Castro, Han, Masterjohn 2023 (Hunt and Crossley).
// Frozen: convex in z, no step cap. Limits: no coefficient of restitution; sliding lifts a contact
// by about h mu |v_t| (docs/laws/sap.md).
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <memory>

#include "haptos/contact/contact_term.h"
#include "haptos/contact/point/hunt_crossley.h"
#include "haptos/contact/point/link.h"
#include "haptos/contact/point/point_contact_options.h"
#include "haptos/contact/point/stick_anchors.h"
#include "haptos/geometry/broad_phase.h"
#include "haptos/geometry/collide/collide.h"

namespace haptos {

/// A shape on a link, or in the world.
struct PointShape {
  /// For a shape that another one's law is to decide over.
  static constexpr double kRigid = std::numeric_limits<double>::infinity();
  static constexpr double kOther = -1;

  CollisionShape shape;
  Pose frame;                  ///< of the shape in the link's frame, or in the world
  const Link* link = nullptr;  ///< must outlive the term; nullptr: stands in the world
  int body = -1;               ///< id in records, for shapes in the world
  double stiffness = kRigid;   ///< [N/m]
  double relaxation_time = 0;  ///< [s]
  double friction = kOther;
  double modulus = 0;      ///< K [Pa/m]; 0: stiffness alone
  double dissipation = 0;  ///< d [s/m]
};

class PointContact final : public ContactTerm {
 public:
  /// @param law  its law, near_rigid, stick_compliance, stiction_speed and anchored; the rest of it
  ///        is the shapes'
  /// @param excluded  pairs of shapes that never touch, beside those of one link and of the world
  /// @throws InputError for a number out of range; names the shape
  PointContact(std::vector<PointShape> shapes, const PointContactOptions& law = {},
               std::vector<std::array<int, 2>> excluded = {});

  /// From the next step on.
  void set_friction(int shape, double friction) {
    shapes_[static_cast<std::size_t>(shape)].friction = friction;
  }

  /// The coefficient of this pair of shapes instead of what theirs make.
  void set_pair_friction(int i, int j, double friction) {
    pair_friction_[{std::min(i, j), std::max(i, j)}] = friction;
  }

  const char* name() const override { return "point contact"; }
  TermKind kind() const override { return TermKind::kVelocityCost; }
  bool frozen() const override { return true; }
  void prepare(const StepContext& context) override;
  void refresh(const Points& points) override;
  Energy evaluate(const Evaluation& e) override;
  void commit(const StepContext& context, const Points& points) override;
  void step_couplings(const Points& points, std::vector<std::array<int, 2>>& out) const override;
  void remember(ContactHistory& next) const override { anchors_.remember(next); }
  double load() const override { return load_; }
  /// Signed: negative where shapes overlap.
  double smallest_gap() const override { return smallest_gap_; }

 private:
  struct Candidate {
    int shape[2] = {0, 0};
    int point[2] = {-1, -1};  // -1: in the world
    ContactSample sample;     // at the start of the step
    Mat3d frame;              // columns t1, t2, n: contact to world coordinates
    SapContact<double> sap;   // of one law or the other
    HuntCrossleyContact<double> hunt;
    double friction = 0;
    Vec3d carried{{0, 0, 0}};  // s of an anchored contact, contact axes [m]
    SapValue<double> value;    // at the refreshed point
    Vec3d impulse;             // on a, world [N s]
  };
  // What a sample's law is made of.
  struct Mixed {
    double stiffness, relaxation_time, dissipation, friction;
  };
  Mixed mix(const Candidate& c) const;
  double friction_of(int i, int j) const;
  void set_sap(Candidate& c, const Mixed& m, double w) const;
  void set_hunt_crossley(Candidate& c, const Mixed& m, const Mat3d& delassus,
                         const Vec3d& velocity) const;
  void widen(const Candidate& c, const Vec3d& v, double caution, Mat3d& hessian) const;
  FeaturePair key(const Candidate& c) const;
  void keep_anchor(const Candidate& c, const Vec3d& velocity);
  PointLaw law() const { return static_cast<PointLaw>(law_.law); }
  bool may_touch(int i, int j) const;
  double surprise(const PointShape& s) const;
  void add_candidate(const StepContext& context, int i, int j, const ContactSample& sample);
  Vec3d velocity(const Candidate& c, const Points& points) const;

  std::vector<PointShape> shapes_;
  PointContactOptions law_;
  std::vector<std::array<int, 2>> excluded_;  // sorted
  std::map<std::array<int, 2>, double> pair_friction_;
  BroadPhase broad_phase_;
  std::vector<Candidate> candidates_;
  StickAnchors anchors_;
  double h_ = 1, load_ = 0, smallest_gap_ = 1e300;
  // Scratch.
  std::vector<Pose> pose_;
  std::vector<Aabb> box_, reach_;
  std::vector<double> speed_, jacobian_;
  std::vector<double> fastest_;  // speed, per environment
  std::vector<std::array<int, 2>> pairs_;
  std::vector<ContactSample> samples_;
};

}  // namespace haptos
