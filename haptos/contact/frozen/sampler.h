// The two halves of a model of frozen contact: a sampler says where surfaces touch, and the laws
// (frozen_contact.h) say with what force. Every model of the family is a sampler of its own.
//
// prepare() asks the sampler for the samples of the step; revise() shows it the motion that was
// solved, in case it was wrong about what touches.
#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "haptos/geometry/collide/collide.h"
#include "haptos/geometry/pressure/pressure_law.h"
#include "haptos/system/contact_history.h"
#include "haptos/system/link.h"
#include "haptos/system/term.h"

namespace haptos {

class DistanceField;
class FrozenContact;

/// Acceleration by which a body may start to move within a step [m/s2].
inline constexpr double kPush = 20;

/// What a surface is made of, as far as the laws ask, and what carries it.
struct FrozenSurface {
  /// For a surface that another one's law is to decide over.
  static constexpr double kRigid = std::numeric_limits<double>::infinity();
  static constexpr double kOther = -1;
  /// Leaves the stiffness to the other side, or where both do to the masses that meet.
  static constexpr double kAuto = 0;

  const Link* link = nullptr;  ///< must outlive the term; nullptr: points move it, or nothing
  int body = -1;               ///< id in records, where no link carries it
  int env = -1;                ///< where points move it; -1: stands in the world
  double stiffness = kRigid;   ///< [N/m], or kAuto
  double relaxation_time = 0;  ///< [s]
  double friction = kOther;
  double modulus = 0;      ///< K [Pa/m]; 0: stiffness alone
  double dissipation = 0;  ///< d [s/m]
  /// What hydroelastic contact knows of it: its pressure by depth, 0 for a rigid one, and the
  /// distance field, null where it takes no part.
  PressureLaw hydroelastic = 0;
  std::shared_ptr<const DistanceField> field;

  /// Whether it moves with unknowns, and with those of which environment.
  bool moves() const { return link || env >= 0; }
  int in_env() const { return link ? link->env() : env; }
};

/// Whether two surfaces meet in hydroelastic contact, and in no other.
inline bool meet_by_pressure(const FrozenSurface& a, const FrozenSurface& b) {
  return a.field && b.field && a.hydroelastic.modulus() + b.hydroelastic.modulus() > 0;
}

/// The bodies of two surfaces, and their environment; parts and features are left to whoever asks.
inline FeaturePair bodies_of(const FrozenSurface& a, const FrozenSurface& b) {
  FeaturePair k;
  k.env = a.moves() ? a.in_env() : b.in_env();
  k.body_a = a.link ? a.link->body() : a.body;
  k.body_b = b.link ? b.link->body() : b.body;
  return k;
}

/// Where a sample touches a side, 0 or 1: midway where surfaces overlap, on that one where they are
/// only near.
inline Vec3d touched(const ContactSample& s, int side) {
  return s.gap < 0 ? 0.5 * (s.p_a + s.p_b) : side == 0 ? s.p_a : s.p_b;
}

/// A place on a surface that points move: their weighted sum.
struct SamplePlace {
  const Points::Part* part = nullptr;
  int count = 0;
  bool coupled = false;  ///< their body couples its parts with each other in any case
};

/// Of a sample whose surface yields along itself by its own stiffness: that, and the friction that
/// it starts with.
struct SampleStick {
  double stiffness = 0;       ///< [N/m]
  Vec3d friction{{0, 0, 0}};  ///< on a, world [N]
};

/// Samples of two surfaces that touch. The laws see them together: a pair is as stiff with many
/// samples as with few.
struct PairSamples {
  int pair = 0;               ///< the sampler's number of it
  int surface[2] = {-1, -1};  ///< of the list that the term was made with
  const ContactSample* sample = nullptr;
  int count = 0;
  /// Per sample, of a surface that points move; nullptr: a link carries it, or nothing.
  const SamplePlace* place[2] = {nullptr, nullptr};
  /// Per sample the change of the velocity at the contact until the middle of the step, while no
  /// unknown changes, world [m/s]; nullptr: none.
  const Vec3d* rolls = nullptr;
  /// Per sample; nullptr: what sticks does by the regularisation of the laws and their anchors.
  const SampleStick* stick = nullptr;
  /// The stiffness is that of the surfaces whatever the step: the near-rigid bound does not hold.
  bool as_given = false;
  /// A surface that yields along itself as it does across: what sticks does so at least as softly
  /// as it is pressed.
  bool yields = false;
  double core = 0;  ///< depth beyond which what has the layers crosses [m]; 0: none has
};

class ContactSampler {
 public:
  virtual ~ContactSampler() = default;
  /// In messages and reports.
  virtual const char* name() const = 0;
  /// Adds the samples of the step, by FrozenContact::add().
  virtual void sample(const StepContext& context, FrozenContact& contact) = 0;
  /// Looks at the motion z that was solved with these samples: adds and takes away. Returns whether
  /// it did either; the step is then solved again.
  virtual bool revise(const StepContext&, const std::vector<double>& /*z*/, FrozenContact&) {
    return false;
  }
  /// Pairs of surfaces with layers whose triangles still cross in the motion that revise() saw
  /// last.
  virtual int crossing() const { return 0; }
  /// Those that crossed where the step starts.
  virtual int crossed() const { return 0; }
  /// Pairs of surfaces that were in each other past the middle of one where the step starts: their
  /// pressure does not part them.
  virtual int past_middle() const { return 0; }
  /// Pairs of surfaces whose samples were merged: they touched in more than there may be.
  virtual int merged() const { return 0; }
  /// The step is accepted.
  virtual void commit(const FrozenContact&) {}
  /// Adds to `next` what the sampler wants to know at the next step.
  virtual void remember(ContactHistory&) const {}
};

}  // namespace haptos
