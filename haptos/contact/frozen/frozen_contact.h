// Frozen contact: the laws of contact at samples that were found once, at the start of the step, by
// one of four convex laws: the SAP cone (sap_law.h), the same with Coulomb's friction, or Hunt and
// Crossley's with lagged or with present normal force in friction (hunt_crossley.h). Where surfaces
// touch is the sampler's matter (sampler.h).
//
// Per sample prepare() freezes a pair of points, of a link or sums of others (a place on a soft
// face, a particle among the nodes of its grid), and the law:
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
// Two surfaces are springs in series: 1/k = 1/k_a + 1/k_b, tau = k (tau_a / k_a + tau_b / k_b), and
// the samples of a pair share k, so do tau and d; mu is the geometric mean, or the pair's own. A
// side with k infinite is rigid; one with mu below 0 leaves friction to the other. A side with a
// modulus K [Pa/m] has k = K area at samples that stand for an area, and its k elsewhere (points
// and lines). Where surfaces overlap the point is midway between them; where they are only near, it
// is on each of them, so that friction's arm ends there.
//
// Reference: Castro et al. 2022, section V (regularisation); Castro et al. 2020 (near-rigid bound);
// Castro, Han, Masterjohn 2023 (Hunt and Crossley).
// Frozen: convex in z, no step cap. Limits: no coefficient of restitution; sliding lifts a contact
// by about h mu |v_t| (docs/laws/sap.md).
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "haptos/contact/frozen/carried_loads.h"
#include "haptos/contact/frozen/law/hunt_crossley.h"
#include "haptos/contact/frozen/law/sap_impulse.h"
#include "haptos/contact/frozen/sampler.h"
#include "haptos/contact/frozen/stick_anchors.h"
#include "haptos/contact/live/contact_term.h"
#include "haptos/options/point_contact_options.h"
#include "haptos/system/facets/impulses.h"
#include "haptos/system/facets/revised.h"

namespace haptos {

class FrozenContact : public ContactTerm, protected Impulses, protected Revised {
 public:
  /// @param law  its law, near_rigid, stick_compliance, stiction_speed and anchored; the rest of it
  ///        is the surfaces'
  /// @throws InputError for a number out of range; names the surface
  FrozenContact(std::vector<FrozenSurface> surfaces, const PointContactOptions& law,
                std::unique_ptr<ContactSampler> sampler);

  /// From the next step on.
  void set_friction(int surface, double friction) {
    surfaces_[static_cast<std::size_t>(surface)].friction = friction;
  }

  /// From the next step on, of a surface that has both [Pa/m, N/m].
  void set_modulus(int surface, double modulus, double stiffness) {
    FrozenSurface& s = surfaces_[static_cast<std::size_t>(surface)];
    s.modulus = modulus, s.stiffness = stiffness;
  }

  /// The coefficient of this pair of surfaces instead of what theirs make.
  void set_pair_friction(int i, int j, double friction);

  // For the sampler.
  const FrozenSurface& surface(int i) const { return surfaces_[static_cast<std::size_t>(i)]; }
  const PointContactOptions& options() const { return law_; }
  double friction_of(int i, int j) const;
  /// Time in which a free body is pushed within the step [s].
  double free_time() const { return free_time_; }
  /// Whether what slides is lifted: laws whose normal force grows with slip.
  bool lifts() const { return law() == PointLaw::kSap || law() == PointLaw::kSimilar; }
  /// Makes contacts of the samples of a pair, for this step.
  void add(const StepContext& context, const PairSamples& samples);
  /// Whether a contact of the pair pushes at the refreshed point.
  bool acts(int pair) const;
  /// Takes the contacts of these pairs away; by pair, 1 where they go.
  void drop(const std::vector<char>& pairs);
  /// Calls f(pair, sample) of each contact that is apart where the step starts but pushes at the
  /// refreshed point; takes it away where f is true. Returns whether any was.
  template <class F>
  bool drop_ahead(F&& f) {
    return std::erase_if(candidates_, [&](const Candidate& c) {
             return c.sample.gap > 0 && (c.value.stick || c.value.slip) && f(c.pair, c.sample);
           }) > 0;
  }
  /// Pairs with a contact that slips at the refreshed point and has friction, and its normal.
  std::vector<std::pair<int, Vec3d>> slipping_pairs() const;

  /// Calls f(pair, sample, force on a [N], whether it slips) of each contact that pushes at the
  /// refreshed point.
  template <class F>
  void each_pushing(F&& f) const {
    for (const Candidate& c : candidates_)
      if (c.value.stick || c.value.slip) f(c.pair, c.sample, (1.0 / h_) * c.impulse, c.value.slip);
  }

  const char* name() const override { return sampler_->name(); }
  TermKind kind() const override { return TermKind::kVelocityCost; }
  bool frozen() const override { return true; }
  void prepare(const StepContext& context) override;
  bool refresh(const Points& points, Sampling) override;
  Energy evaluate(const Evaluation& e) override;
  void commit(const StepContext& context, const Points& points) override;
  void couplings(const Points& points, Coupled coupled,
                 std::vector<std::array<int, 2>>& out) const override;
  /// The gap is signed: negative where shapes overlap.
  TermReport report() const override {
    const int begin = std::max(crossing_, sampler_->crossing());
    const int crossed = std::max(crossed_, sampler_->crossed() + begin);
    return {
        load_, smallest_gap_, true, crossed, begin, sampler_->past_middle(), sampler_->merged()};
  }
  void remember(ContactHistory& next) const override;
  Lagged* lagged() override { return lags() ? this : nullptr; }
  Impulses* impulses() override { return this; }
  Revised* revised() override { return this; }

 private:
  struct Candidate {
    int surface[2] = {0, 0};
    int pair = 0;                      // the sampler's number
    int point[2] = {-1, -1};           // -1: in the world
    bool coupled[2] = {false, false};  // SamplePlace::coupled
    ContactSample sample;              // at the start of the step
    Mat3d frame;                       // columns t1, t2, n: contact to world coordinates
    SapContact<double> sap;            // of one law or the other
    HuntCrossleyContact<double> hunt;
    double friction = 0;
    double core = 0;            // see PairSamples
    bool as_given = false;      // likewise
    bool yields = false;        // likewise
    bool expected = false;      // to act in this step, by the velocities at its start
    double sticks = 0;          // sigma w [1/kg]
    SampleStick stick;          // stiffness 0: not given
    bool fresh = false;         // anchored, and new
    double lagged_before = -1;  // what renew_lags() replaced [N s]
    bool in_rows = false;       // whether renew_lags() added a row for it
    double pressed = 0;         // normal force at the last step [N]
    double slipped = -1;        // that of a contact that slipped [N]; below 0: it did not
    double inverse_mass = 0;    // w [1/kg]
    Vec3d carried{{0, 0, 0}};   // s of an anchored contact, contact axes [m]
    Vec3d rolls{{0, 0, 0}};     // h/2 dJ/dt z, tangential, contact axes [m/s]
    SapValue<double> value;     // at the refreshed point
    Vec3d impulse;              // on a, world [N s]
    // With impulses as unknowns (frozen_impulses.cpp), contact axes: the impulse, the velocity that
    // the law was linearised at, and the linear law (sap_impulse.h); and those of the iteration
    // before.
    struct Linear {
      Vec3d gamma, at, base;
      Mat3d give;
    } now, before;
    bool followed = false;  // its lag is that of an iteration, and was the cone's
    bool started = false;   // was part of a solution of this step
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
  bool begin_impulses(const ImpulseStart& start) override;
  void end_impulses() override { with_impulses_ = false; }
  void set_impulse_part(double part, bool again) override { part_ = part, again_ = again; }
  double impulses_off() const override { return impulses_off_; }
  double impulses_apart() const override { return impulses_apart_; }
  bool revise(const StepContext& context, const std::vector<double>& z) override {
    return sampler_->revise(context, z, *this);
  }
  double open_stiffness(const Candidate& c);
  const Mat3d& centre_delassus(int surface);
  Mixed mix(const Candidate& c, double open) const;
  void recall(std::size_t first);
  double borne(const Candidate& c, double stiffness) const;
  double part_told(std::size_t first);
  void set_laws(std::size_t first);
  void set_stick(Candidate& c) const;
  double gap_after(const Candidate& c, const Vec3d& velocity) const;
  void set_sap(Candidate& c, const Mixed& m, double bound, const Vec3d& velocity) const;
  void set_hunt_crossley(Candidate& c, const Mixed& m, double bound, const Start& start) const;
  double stick_speed(const Candidate& c, double gamma) const;
  double stick_compliance(const Candidate& c) const;
  void renew_lags(const Points& points, std::vector<LagRow>& rows) override;
  void set_lags(std::span<const LagRow> rows) override;
  void undo_lags() override;
  void drop_lags() override;
  bool lags() const { return law() == PointLaw::kCoulomb || law() == PointLaw::kLagged; }
  double& lagged_impulse(Candidate& c) const;
  void set_lagged_impulse(Candidate& c, double gamma) const;
  void lag(Candidate& c, double gamma) const;
  SapValue<double> law_at(const Candidate& c, const Vec3d& v) const;
  void answer(Candidate& c, const Points& points) const;
  void widen(const Candidate& c, const Vec3d& v, double caution, Mat3d& hessian) const;
  FeaturePair key(const Candidate& c) const;
  void keep_anchor(const Candidate& c, const Vec3d& velocity);
  PointLaw law() const { return static_cast<PointLaw>(law_.law); }
  Vec3d last_impulse(const Candidate& c) const;
  void answer_with_impulse(Candidate& c, const Points& points);
  SapStep linear_law(const Candidate& c, const Vec3d& v, const Vec3d& gamma) const;
  bool is_cone() const { return law() == PointLaw::kSap || law() == PointLaw::kCoulomb; }
  bool remembers() const { return law_.anchored || lags(); }
  void add_candidate(const StepContext& context, const PairSamples& pair, int k);
  static void couple(const Candidate& c, const Points& points,
                     std::vector<std::array<int, 2>>& out);
  int place_point(const StepContext& context, const FrozenSurface& surface,
                  const SamplePlace& place, Mat3d& delassus, Vec3d& start) const;
  static WeightedPoint material_point(const Points& points, int p);
  Vec3d velocity(const Candidate& c, const Points& points) const;

  std::vector<FrozenSurface> surfaces_;
  std::vector<int> number_;  // of each surface among those of its body
  PointContactOptions law_;
  std::unique_ptr<ContactSampler> sampler_;
  struct PairFriction {
    std::array<int, 2> surfaces;  // the lower number first
    double friction;
  };
  std::vector<PairFriction> pair_friction_;  // by surfaces, rising
  std::vector<Candidate> candidates_;
  StickAnchors anchors_;
  CarriedLoads carried_;
  double h_ = 1, load_ = 0, smallest_gap_ = 1e300;
  int crossed_ = 0, crossing_ = 0;
  bool with_impulses_ = false, lags_follow_ = false, again_ = false;
  double part_ = 1, impulses_off_ = 0, impulses_apart_ = 0;
  const Points* points_ = nullptr;        // last refreshed
  const double* inverse_mass_ = nullptr;  // of the step
  bool rates_ = true;                     // whether rates mean something: not in statics
  double free_time_ = 0;
  // Scratch.
  std::vector<Start> starts_;       // of a pair's samples
  std::vector<Mat3d> centre_;       // Delassus matrices of the links' centres of mass [1/kg]
  std::vector<char> centre_known_;  // whether this step has asked for it
  std::vector<double> jacobian_;
};

}  // namespace haptos
