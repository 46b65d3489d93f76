// Frozen point contact of spheres with half-spaces by the SAP cone (sap_law.h).
//
// prepare() takes the gap phi of every sphere at the start of the step and places one link point
// with its frozen Jacobian at c - n (r + min(phi, 0)/2): midway between overlapping surfaces, and
// on the sphere where it is only near, so that friction's arm is never longer than r. Per contact:
//
//   R_n = max( beta^2 / (4 pi^2) w,  1 / (h k (h + tau)) ),   R_t = sigma w,
//   w = |J diag(M)^-1 J^T|_F / 3   [1/kg],       v_hat = (0, 0, -phi / (h + tau)),
//
// so the impulse is h k (-phi_{n+1} - tau v_n) of a spring k [N/m] with relaxation time tau [s],
// or the near-rigid bound, whose period is beta steps. Where phi > 0, v_hat_n = -phi / h: a contact
// that is only approached pushes once it would overlap at the end of the step, and no sooner
// (with tau in the divisor it would brake at a distance).
//
// A sphere is a candidate when phi <= 2 h |v_n| + r/2 + 1 mm, so a sphere that the step's own
// acceleration drives into the plane is seen unless that is more than its velocity and half its
// radius a step; one that is missed is found overlapping at the next step.
//
// Reference: Castro et al. 2022, section V (regularisation); Castro et al. 2020 (near-rigid bound).
// Frozen: convex in z, no step cap. Limits: no coefficient of restitution; sliding lifts a contact
// by about h mu |v_t| (docs/laws/sap.md).
#pragma once

#include <memory>

#include "haptos/base/options.h"
#include "haptos/contact/contact_term.h"
#include "haptos/contact/point/link.h"
#include "haptos/contact/point/sap_law.h"

namespace haptos {

struct SapOptions {
  double stiffness = 1e6;          ///< k [N/m]
  double relaxation_time = 0.01;   ///< tau [s]
  double friction = 0.5;           ///< mu
  double near_rigid = 1;           ///< beta
  double stick_compliance = 1e-3;  ///< sigma
};

template <>
struct OptionsOf<SapOptions> {
  static constexpr const char* kName = "point_contact";
  static const std::vector<Option<SapOptions>>& table();
};

/// A sphere on a link against the half-space {x : n . x <= offset}.
struct SapPair {
  const Link* link = nullptr;  ///< must outlive the term
  Vec3d centre{{0, 0, 0}};     ///< of the sphere, in the link's frame [m]
  double radius = 0;           ///< [m]; 0 is a point
  std::int64_t feature = 0;    ///< of the sphere, for records: tells spheres of a body apart
  Vec3d normal{{0, 0, 1}};     ///< outward of the half-space, unit, world
  double offset = 0;           ///< [m]
  int plane_body = -1;         ///< id of the half-space in records
  SapOptions law;
};

class SapTerm final : public ContactTerm {
 public:
  /// @throws InputError for a pair without link, a normal that is not unit, or a number out of
  /// range
  explicit SapTerm(std::vector<SapPair> pairs);

  const char* name() const override { return "SAP point contact"; }
  TermKind kind() const override { return TermKind::kVelocityCost; }
  bool frozen() const override { return true; }
  void prepare(const StepContext& context) override;
  void refresh(const Points& points) override;
  Energy evaluate(const Evaluation& e) override;
  void commit(const StepContext& context, const Points& points) override;
  double load() const override { return load_; }
  /// Signed: negative where a sphere overlaps.
  double smallest_gap() const override { return smallest_gap_; }

 private:
  struct Candidate {
    int pair = 0, point = 0;
    double gap = 0;  // at the start of the step [m]
    Mat3d frame;     // columns t1, t2, n: contact to world coordinates
    SapContact<double> law;
    SapValue<double> value;  // at the refreshed point
    Vec3d impulse;           // world [N s]
  };
  void add_candidate(const StepContext& context, int pair, double gap, const Vec3d& centre);

  std::vector<SapPair> pairs_;
  std::vector<Candidate> candidates_;
  double h_ = 1, load_ = 0, smallest_gap_ = 1e300;
};

}  // namespace haptos
