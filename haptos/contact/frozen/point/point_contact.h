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
// Which pairs have contacts (approach.cpp, seams.cpp): those that overlap when the step starts, and
// those that touch in it. A pair that is apart has none until the shapes, moved by velocities that
// were solved without it, touch; revise() then makes contacts from where and when they do, and the
// step is solved again. (Where the motion of the last step goes on into a touch, they are there
// from the start, and are taken away again if the solved motion passes by.) A body that rests on a
// surface has sunk into it: what does not stand out of that surface beside it is not in its way.
// An overlap of the start of a run is parted at parting_speed: until then the law sees a gap that
// is larger by what is left of it.
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

#include "haptos/contact/frozen/law/hunt_crossley.h"
#include "haptos/contact/frozen/law/sap_impulse.h"
#include "haptos/contact/frozen/point/link.h"
#include "haptos/contact/frozen/point/stick_anchors.h"
#include "haptos/contact/live/contact_term.h"
#include "haptos/geometry/collide/touch.h"
#include "haptos/geometry/query/broad_phase.h"
#include "haptos/options/point_contact_options.h"
#include "haptos/system/impulses.h"

namespace haptos {

/// A shape on a link, or in the world.
struct PointShape {
  /// For a shape that another one's law is to decide over.
  static constexpr double kRigid = std::numeric_limits<double>::infinity();
  static constexpr double kOther = -1;
  /// Leaves the stiffness to the other side, or where both do to the masses that meet.
  static constexpr double kAuto = 0;

  CollisionShape shape;
  Pose frame;                  ///< of the shape in the link's frame, or in the world
  const Link* link = nullptr;  ///< must outlive the term; nullptr: stands in the world
  int body = -1;               ///< id in records, for shapes in the world
  double stiffness = kRigid;   ///< [N/m], or kAuto
  double relaxation_time = 0;  ///< [s]
  double friction = kOther;
  double modulus = 0;      ///< K [Pa/m]; 0: stiffness alone
  double dissipation = 0;  ///< d [s/m]
};

/// Whether an overlap at the start of a run [m] is more than contact makes of itself, so that the
/// two are parted: above a hundredth of the smaller half thickness.
inline bool parts_overlap(const CollisionShape& a, const CollisionShape& b, double depth) {
  return depth > 0.01 * std::min(a.half_thickness(), b.half_thickness());
}

class PointContact final : public ContactTerm, public Impulses {
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
  bool revise(const StepContext& context, const std::vector<double>& z) override;
  void step_couplings(const Points& points, std::vector<std::array<int, 2>>& out) const override;
  void remember(ContactHistory& next) const override;
  void update_lag(const Points& points, LaggedForces& used, LaggedForces& now) override;
  bool lags() const override { return law() == PointLaw::kCoulomb || law() == PointLaw::kLagged; }
  void set_lag(const LaggedForces& forces) override;
  void undo_lag() override;
  void drop_lag() override;
  bool begin_impulses(const ImpulseStart& start) override;
  void end_impulses() override { with_impulses_ = false; }
  void set_impulse_part(double part, bool again) override { part_ = part, again_ = again; }
  double impulses_off() const override { return impulses_off_; }
  double impulses_apart() const override { return impulses_apart_; }
  double load() const override { return load_; }
  /// Signed: negative where shapes overlap.
  double smallest_gap() const override { return smallest_gap_; }

 private:
  struct Candidate {
    int shape[2] = {0, 0};
    int pair = 0;             // of near_
    int point[2] = {-1, -1};  // -1: in the world
    ContactSample sample;     // at the start of the step
    Mat3d frame;              // columns t1, t2, n: contact to world coordinates
    SapContact<double> sap;   // of one law or the other
    HuntCrossleyContact<double> hunt;
    double friction = 0;
    bool expected = false;      // to act in this step, by the velocities at its start
    double sticks = 0;          // sigma w [1/kg]
    bool fresh = false;         // anchored, and new
    double lagged_before = -1;  // what update_lag() replaced [N s]
    double pressed = 0;         // normal force at the last step [N]
    double slipped = -1;        // that of a contact that slipped [N]; below 0: it did not
    double inverse_mass = 0;    // w [1/kg]
    Vec3d carried{{0, 0, 0}};   // s of an anchored contact, contact axes [m]
    Vec3d rolls{{0, 0, 0}};     // h/2 dJ/dt z, tangential, contact axes [m/s]
    SapValue<double> value;     // at the refreshed point
    Vec3d impulse;              // on a, world [N s]
    // With impulses as unknowns (impulses.cpp), contact axes: the impulse, the velocity that the
    // law was linearised at, and the linear law (sap_impulse.h); and those of the iteration before.
    struct Linear {
      Vec3d gamma, at, base;
      Mat3d give;
    } now, before;
    bool followed = false;  // its lag is that of an iteration, and was the cone's
    bool started = false;   // was part of a solution of this step
  };
  // Two shapes that may meet in the step.
  struct NearPair {
    enum Stand : std::uint8_t {
      kApart,     // no contact, unless the solved motion makes them touch
      kTouches,   // from the start
      kForeseen,  // would touch if all moved on as before
      kArrived,   // touches on a motion that was solved without it
      kHidden,    // behind the surface that one of them rests on
    };
    int shape[2];
    int first, count;  // of samples_
    int deepest;
    double gap;      // of the deepest sample; negative where the shapes overlap [m]
    double parting;  // overlap that is left from the start of the run [m]
    Stand stand;
  };
  // What the next step is to know of a pair beside anchors.
  struct Note {
    FeaturePair key;
    Vec3d n;
    double parting;
  };
  // What a sample's law is made of.
  struct Mixed {
    double stiffness, relaxation_time, dissipation, friction;
  };
  // Of a sample, in contact axes.
  struct Start {
    Mat3d delassus;  // J diag(M)^-1 J^T [1/kg]
    Vec3d velocity;  // at the start of the step [m/s]
  };
  double open_stiffness(const Candidate& c);
  const Mat3d& centre_delassus(int shape);
  Mixed mix(const Candidate& c, double open) const;
  double friction_of(int i, int j) const;
  void recall(std::size_t first);
  void set_laws(std::size_t first);
  void set_sap(Candidate& c, const Mixed& m, double bound, const Vec3d& velocity) const;
  void set_hunt_crossley(Candidate& c, const Mixed& m, double bound, const Start& start) const;
  double stick_speed(const Candidate& c, double gamma) const;
  double stick_compliance(const Candidate& c) const;
  double& lagged(Candidate& c) const;
  void set_lagged(Candidate& c, double gamma) const;
  void lag(Candidate& c, double gamma) const;
  SapValue<double> law_at(const Candidate& c, const Vec3d& v) const;
  void answer(Candidate& c, const Points& points) const;
  void widen(const Candidate& c, const Vec3d& v, double caution, Mat3d& hessian) const;
  FeaturePair key(const Candidate& c) const;
  void keep_anchor(const Candidate& c, const Vec3d& velocity);
  PointLaw law() const { return static_cast<PointLaw>(law_.law); }
  /// Whether what slides is lifted: laws whose normal force grows with slip.
  bool lifts() const { return law() == PointLaw::kSap || law() == PointLaw::kSimilar; }
  Vec3d last_impulse(const Candidate& c) const;
  void answer_with_impulse(Candidate& c, const Points& points);
  SapStep linear_law(const Candidate& c, const Vec3d& v, const Vec3d& gamma) const;
  bool is_cone() const { return law() == PointLaw::kSap || law() == PointLaw::kCoulomb; }
  bool remembers() const { return law_.anchored || lags(); }
  bool may_touch(int i, int j) const;
  double surprise(const PointShape& s) const;
  void add_candidate(const StepContext& context, int i, int j, const ContactSample& sample);
  // Contacts of a pair, from its samples.
  void add_pair(const StepContext& context, int pair);

  // What turns touches with other points in the middle of the step (rolling.cpp).
  void find_rolling(const StepContext& context, int pair, std::size_t first);

  // Which pairs touch in the step (approach.cpp).
  void find_touching(const StepContext& context);
  void foresee(const StepContext& context);
  double parting_of(const StepContext& context, const NearPair& p) const;
  bool lifted(const StepContext& context, const NearPair& p) const;
  double horizon(const NearPair& p, const ShapePath& a, const ShapePath& b) const;
  bool arrives(const NearPair& p, const std::vector<double>& z, double& t, double& sinks);
  bool arrive(const StepContext& context, int pair, const std::vector<double>& z, double t);
  bool still_touches(const NearPair& p, const std::vector<double>& z);
  bool drop_passers(const std::vector<double>& z);
  const ShapePath& path(int shape, const std::vector<double>& z);
  void forget_paths() { std::fill(path_known_.begin(), path_known_.end(), char{0}); }
  double touch_tolerance(const NearPair& p) const;
  FeaturePair note_key(const NearPair& p, int kind) const;
  void keep_notes();
  // Which contacts are hidden behind the surface that a body rests on (seams.cpp).
  struct Rest {
    int link, pair;
    Vec3d n;               // of the flat surface that bears the link
    double height, depth;  // of that surface along n; of the overlap [m]
  };
  void list_rests();
  const Rest* hidden(const NearPair& p, const ContactSample* s, int count, int& side,
                     double& rise) const;
  bool hides(const Rest& rest, const NearPair& p, int side, const ContactSample* s, int count,
             double& rise) const;
  void clear_seams();
  void clear_triangles(NearPair& p);
  void turn_to(const Rest& rest, int side, double rise, NearPair& p);
  Vec3d velocity(const Candidate& c, const Points& points) const;

  std::vector<PointShape> shapes_;
  PointContactOptions law_;
  std::vector<std::array<int, 2>> excluded_;  // sorted
  std::map<std::array<int, 2>, double> pair_friction_;
  BroadPhase broad_phase_;
  std::vector<Candidate> candidates_;
  StickAnchors anchors_;
  double h_ = 1, load_ = 0, smallest_gap_ = 1e300;
  bool with_impulses_ = false, lags_follow_ = false, again_ = false;
  double part_ = 1, impulses_off_ = 0, impulses_apart_ = 0;
  const Points* points_ = nullptr;        // last refreshed
  const double* inverse_mass_ = nullptr;  // of the step
  bool rates_ = true;                     // whether rates mean something: not in statics
  double free_time_ = 0;                  // in which free bodies are pushed within the step [s]
  // Scratch.
  std::vector<Start> starts_;       // of a pair's samples
  std::vector<Mat3d> centre_;       // Delassus matrices of the shapes' centres of mass [1/kg]
  std::vector<char> centre_known_;  // whether this step has asked for it
  std::vector<Pose> pose_;
  std::vector<Aabb> box_, reach_;
  std::vector<double> speed_, jacobian_;
  std::vector<double> fastest_;  // speed, per environment
  std::vector<std::array<int, 2>> pairs_;
  std::vector<ContactSample> samples_, touching_;
  std::vector<NearPair> near_;
  std::vector<Note> notes_;
  std::vector<const Link*> link_;  // that carry shapes
  std::vector<int> link_of_;       // of each shape; -1: the world
  std::vector<Rest> rests_;        // by link
  std::vector<ShapePath> path_;    // of each shape, at the velocities last asked for
  std::vector<char> path_known_;
  std::vector<double> block_;  // velocities of a link's point
  std::vector<std::pair<double, int>> arrivals_;
  std::vector<double> earliest_;  // arrival, per link
  int revisions_ = 0;
};

}  // namespace haptos
