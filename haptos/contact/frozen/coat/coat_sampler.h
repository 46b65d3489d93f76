// Where coats of pads touch, and how hard: the sampler of touch (frozen_contact.h has the laws).
//
// A pad is a linear layer without inertia on a link, or on a prescribed body. sample() looks where
// the step leads, by the velocities at its start, finds how deep the coat as it was left lies in
// others there, by their distance fields, and solves for the pressure that lets none of it in
// (coat_press.h, by the pad's own compliance) and for the friction that holds back what that moves
// aside (coat_friction.h), in turns. Each node that presses is a contact with
//
//   force p_i + k_i (m_i - h v_i),   k = C_aa^-1 1 along the normal, and along the surface,
//
// over the nodes a that press, m the motion that was foreseen, v the velocity that is solved for.
// So a motion of them all is answered as the pad answers it. revise() does the same for the motion
// that was solved, until both agree: then p is that of where the step ends. Friction goes on from
// what it was: what sticks is carried on, what slips keeps mu p. Friction of a coat at rest stays.
//
// The forces that the step found are kept in the history, in the pad's frame (coat_notes.h).
//
// Limits: the pad is linear about its rest; two coats do not touch each other; what is thinner than
// a pad's elements may be missed.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "haptos/contact/frozen/carried_shape.h"
#include "haptos/contact/frozen/coat/coat_look.h"
#include "haptos/contact/frozen/coat/coat_notes.h"
#include "haptos/contact/frozen/coat/coat_press.h"
#include "haptos/contact/frozen/frozen_contact.h"
#include "haptos/geometry/field/distance_field.h"

namespace haptos {

/// The coat of a pad.
struct PressedCoat : CarriedShape {  // its frame is that of the pad's mesh
  std::shared_ptr<const CoatCompliance> coat;
  std::vector<int> node;  ///< the point of each node, where a prescribed body carries it
  int pad = -1;           ///< id of the soft body in histories
};

class CoatSampler final : public ContactSampler {
 public:
  /// Surfaces of the term are the others, then the coats.
  /// @param excluded  pairs (other, coat) that never touch, each counted from 0
  CoatSampler(std::vector<CarriedShape> others, std::vector<PressedCoat> coats,
              std::vector<std::array<int, 2>> excluded);

  const char* name() const override { return "contact of coats"; }
  void sample(const StepContext& context, FrozenContact& contact) override;
  bool revise(const StepContext& context, const std::vector<double>& z,
              FrozenContact& contact) override;
  void commit(const FrozenContact& contact) override;
  void remember(ContactHistory& next) const override;

 private:
  bool may_touch(int other, int coat) const;
  void foresee(const StepContext& context, const std::vector<double>* z, double most);
  void find(int c, const FrozenContact& contact);
  void leave(int c);
  bool find_near(int c);
  void find_carried(int c);
  bool look(int c);
  void keep_friction(int c, const FrozenContact& contact);
  void hold(int c, const FrozenContact& contact, const std::vector<Vec3d>& by_pressure);
  void add_samples(const StepContext& context, int c, FrozenContact& contact);
  std::vector<CoatNode>& nodes(int c) { return nodes_[static_cast<std::size_t>(c)]; }

  std::vector<CarriedShape> others_;
  std::vector<PressedCoat> coats_;
  std::vector<std::array<int, 2>> excluded_;
  std::vector<Aabb> box_;  // of each coat at rest
  CoatNotes notes_;
  // Poses of coats and others at the start of the step, and where it leads.
  std::vector<Pose> pose_, end_, other_pose_, other_end_;
  // Of each coat: what presses, on which other, its friction [N], displacements of the coat [m].
  std::vector<std::vector<CoatNode>> nodes_;
  std::vector<std::vector<int>> other_;
  std::vector<std::vector<Vec3d>> friction_, dent_;
  // At the start of the step displacements and the friction of each node; and that now, of all.
  std::vector<std::vector<Vec3d>> start_, had_, held_;
  // The force of each probe, touching or not [N], how far probes give way beyond nodes [m].
  std::vector<std::vector<double>> pressed_, beyond_;
  std::vector<CoatForces> before_;
  int rounds_ = 0;
  // Scratch of one coat.
  std::vector<int> near_;         // others that it may touch
  std::vector<Pose> seen_;        // of each of them the pose of the coat in its frame
  std::vector<CoatCarry> carry_;  // and how far each has carried the coat
  CoatLook look_;
  std::vector<CoatProbe> probes_;
};

/// Contact of coats under the laws of frozen contact.
class CoatContact final : public FrozenContact {
 public:
  CoatContact(const std::vector<CarriedShape>& others, const std::vector<PressedCoat>& coats,
              const PointContactOptions& law, std::vector<std::array<int, 2>> excluded);
};

}  // namespace haptos
