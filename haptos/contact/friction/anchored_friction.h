// Coulomb friction with anchored stick: a tangential spring between two surfaces that returns to
// the friction cone when it is stretched beyond it.
//
//   d = P (x_a - x_b),   P = 1 - n n^T,   limit L = mu N,   spring k [N/m]
//
//   E(d) = k |d|^2 / 2            |d| <= L / k   sticks: force -k d
//        = L |d| - L^2 / (2 k)    beyond         slips:  force -L d / |d|
//
// a is a material point of one surface (a sample, a vertex, a place on an edge), b the anchor: of a
// mesh a point that moves with one of its triangles, at the height over it that a had, so that d
// holds no part of the gap and does not change when only n turns (by three vertices of a rigid
// surface where it is on a segment or a point of it); of a half-space a fixed point.
// The anchor starts where a is when the two first touch. Where both bodies are stiff, what strikes
// is stopped within a step, sideways as well: there the anchor starts where the step starts, and
// for that step the spring is as much softer as the surfaces have touched for only a part of it.
//
// The minimum over a step is the implicit return mapping of a perfectly plastic spring. Where the
// step ends in slip, the anchor is moved so that the spring keeps exactly L / k; where it sticks,
// nothing moves: so there is no creep. What slips pulls where the surfaces touch at the end of the
// step, lagged like n and N: pulling where they touched at its start, forces would jump along the
// surface from step to step. Anchors are keyed by the source and the other body, not by
// the feature it happens to be closest to, so they survive sliding from face to face; they are part
// of the state (ContactHistory). A source in a groove touches several walls: it has a spring for
// each, told from step to step by their normals.
//
// n and N are lagged: taken where the step starts, and again after each minimisation until they no
// longer change (Lagged::renew_lags). So the forces obey Coulomb's law at the end of the step,
// though friction has no potential. mu is that of sticking for a spring that stuck at the start of
// the step, that of sliding otherwise.
//
// The smoothed law, for those who want no memory or compare with codes that have none, replaces E
// by
//
//   E(d) = L (-|d|^3 / (3 e^2) + |d|^2 / e + e / 3)   |d| < e = eps_v h,      L |d|   beyond,
//
// with d the relative motion since the start of the step (Li et al. 2020, eq. 14). It never holds:
// below the cone it creeps at up to eps_v. It reads and leaves no history.
// Source: the return mapping is that of Wriggers, Computational Contact Mechanics, 2nd ed., 10.5.2.
// Limits: the force acts at points a gap apart, so a couple of gap times force is left. The height
// turns with its triangle from step to step, not within one.
#pragma once

#include <span>
#include <vector>

#include "haptos/base/borrowed.h"
#include "haptos/contact/record.h"
#include "haptos/contact/surface.h"
#include "haptos/system/contact_history.h"
#include "haptos/system/facets/lag.h"
#include "haptos/system/term.h"

namespace haptos {

/// Coefficients of friction of a pair of bodies.
struct FrictionCone {
  double sticking = 0;  ///< static
  double sliding = 0;   ///< kinetic, at most the static one
  /// eps_v of the smoothed law [m/s]; 0: anchored stick.
  double slip_speed = 0;
};

/// Where two bodies touch, as friction sees it at some position.
struct FrictionContact {
  FeaturePair key;          ///< the same for all walls that a source touches
  WeightedPoint a;          ///< material point of the source [points]
  double edge = 0;          ///< where a is, if on an edge (count 2): weight of the second end
  int triangle = -1;        ///< cell of the other surface; -1: a half-space
  Vec3d normal;             ///< unit, of the force on the source
  double normal_force = 0;  ///< [N]
  double stiffness = 0;     ///< k [N/m]
  double depth = 0;         ///< how far it is inside the support of its potential [m]
  bool walls = false;       ///< its source may touch several; feature_b then numbers them
  std::size_t record = 0;   ///< of the contact points of the term, the one that stands for it
};

/// Tangential force that a contact ended the step with.
struct FrictionForce {
  FeaturePair key;
  Vec3d force;  ///< on the source [N], world
  bool sticking = false;
  std::size_t record = 0;  ///< as of its FrictionContact
};

class AnchoredFriction {
 public:
  explicit AnchoredFriction(FrictionCone cone) : cone_(cone) {}
  bool active() const { return cone_.sticking > 0; }
  /// From the next step on.
  void set_cone(const FrictionCone& cone) {
    cone_ = cone;
    springs_.clear();
    before_.clear();
    forces_.clear();
  }
  /// The coefficient of a contact that sticks, or slides.
  double coefficient(bool sticking) const { return sticking ? cone_.sticking : cone_.sliding; }

  /// Starts a step; the history is read in lag() and must outlive it.
  void begin(const ContactHistory* history, double h);
  /// Takes normals and limits from `contacts`, those of a source after each other; a contact
  /// without an anchor gets one where it touches. `other(key)` is the surface that holds the key's
  /// anchors, nullptr for a half-space.
  template <class Other>
  void lag(std::vector<FrictionContact>& contacts, const Points& points, const Other& other) {
    number_walls(contacts, points, other);
    Borrowed<Springs> next;
    next->clear();
    for (const FrictionContact& c : contacts) renew(c, points, other(c.key), *next);
    replace_springs(*next);
  }
  /// A row for each spring there was before the last lag(), or is now: limit times normal [N].
  void add_lags(std::vector<LagRow>& rows) const;
  /// Lags these forces instead, also where a contact has opened since lag(). The rows are those of
  /// add_lags(), in their order.
  void set_lags(std::span<const LagRow> rows);
  Energy evaluate(const Evaluation& e) const;
  /// Ends the step: moves anchors of springs that slip. `contacts` are those of the end.
  template <class Other>
  void commit(std::vector<FrictionContact>& contacts, const Points& points, const Other& other,
              std::int64_t step) {
    number_walls(contacts, points, other);
    forces_.clear();
    for (const FrictionContact& c : contacts) finish(c, points, other(c.key), step);
  }
  const std::vector<FrictionForce>& forces() const { return forces_; }
  void remember(ContactHistory& next) const {
    for (const Spring& s : springs_)
      if (s.kept) next.insert_or_assign(s.key, s.memory);
  }

 private:
  struct Spring {
    FeaturePair key;
    WeightedPoint a, b;            // b.count 0: fixed
    Vec3d fixed = Vec3d::zero();   // world [m]
    Vec3d offset = Vec3d::zero();  // of a from b where nothing pulls [m]
    Vec3d normal;
    double limit = 0, stiffness = 0;
    bool strikes = false;  // begins with this step between two stiff bodies
    bool moved = false;    // has slipped in this step, see follow()
    bool kept = false;     // `memory` is that of the end of the step
    ContactMemory memory;
    Vec3d apart(const std::vector<Vec3d>& x) const;
    Vec3d stretch(const Points& points) const;
    Vec3d slip(const Points& points) const;
    double touching(const Points& points, double depth) const;
  };
  using Springs = std::vector<Spring>;  // by key, rising
  template <class Other>
  void number_walls(std::vector<FrictionContact>& contacts, const Points& points,
                    const Other& other) const {
    for (std::size_t i = 0, j = 0; i < contacts.size(); i = j) {
      for (j = i + 1; j < contacts.size() && contacts[j].key == contacts[i].key;) ++j;
      if (contacts[i].walls)
        number_walls(std::span(contacts).subspan(i, j - i), points, other(contacts[i].key));
    }
  }
  void number_walls(std::span<FrictionContact> source, const Points& points,
                    const ContactSurface* other) const;
  void renew(const FrictionContact& c, const Points& points, const ContactSurface* other,
             Springs& next) const;
  // friction_lags.cpp
  void replace_springs(Springs& next);
  const Spring* find_spring(const FeaturePair& key) const;
  Springs::const_iterator first_spring(const FeaturePair& key) const;
  static bool before(const Spring& a, const Spring& b) { return a.key < b.key; }
  static void follow(const FrictionContact& c, const Points& points, const ContactSurface* other,
                     const Vec3d& kept, Spring& s);
  void finish(const FrictionContact& c, const Points& points, const ContactSurface* other,
              std::int64_t step);
  static void hold(const ContactMemory& m, const ContactSurface* other, const std::vector<Vec3d>& x,
                   Spring& s);
  // Energy, force and stiffness of a spring by the length r of its stretch.
  struct Pull {
    double energy, force_per_length, second;
    bool sticks;
  };
  Pull pull(const Spring& s, double r) const;

  FrictionCone cone_;
  const ContactHistory* history_ = nullptr;
  double reach_ = 0;          // e = eps_v h of the smoothed law [m]; 0: anchored
  Springs springs_, before_;  // now, and before the last lag()
  std::vector<FrictionForce> forces_;
};

/// Adds the force to a record; side is 1 where the record's body a is the source, else -1.
void add_friction(const FrictionForce& f, double side, double coefficient, ContactPoint& record);

}  // namespace haptos
