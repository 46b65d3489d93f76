// Where bodies with a pressure inside them touch: the sampler of hydroelastic contact
// (frozen_contact.h has the laws, geometry/pressure/pressure_surface.h finds the surface of equal
// pressure).
//
//   p_i = -k_i phi_i, or by a table,   on the surface p_a = p_b = p;   a patch of area A there
//   pushes with A p
//
// sample() places every shape where the step starts and finds, for pairs whose boxes overlap, the
// patches of the surface: one for every cell of the grid that it runs through. A patch is a contact
// with
//
//   stiffness A g,   gap -p / g,   1/g = 1/(k_a |d phi_a/dn|) + 1/(k_b |d phi_b/dn|),
//
// so that it pushes with A p where the step starts and answers to what moves in it. Patches beyond
// most_samples of a pair are merged (merge_patches.h), which keeps their force and torque.
//
// The stiffness is that of the bodies, whatever the mass and the step: the near-rigid bound of the
// other models does not hold here.
//
// Pairs of which the fields tell that they stay apart on the way of the step are left alone. Bodies
// that are apart where the step starts, or overlap by less than half of what they will, are
// looked at along the motion of the start of the step, and of the solved one (revise()): where they
// overlap on the way they get the patches that they have there, as places and gaps at the start of
// the step. Such a patch pushes once its gap is closed, and no sooner.
//
// Limits: what is thinner than the way between two looks may pass through; they are half of the
// thinnest side apart, of a mesh four cells of its field, and 16 at most. Limbs that get past the
// middle of each other stay there (past_middle()).
#pragma once

#include <array>
#include <vector>

#include "haptos/contact/frozen/carried_shape.h"
#include "haptos/contact/frozen/frozen_contact.h"
#include "haptos/geometry/pressure/pressure_surface.h"
#include "haptos/geometry/query/broad_phase.h"

namespace haptos {

class HydroelasticSampler final : public ContactSampler {
 public:
  /// @param shapes  with their fields
  /// @param excluded  pairs of shapes that never touch, beside those of one link, of the world, and
  ///        those of which none has a pressure
  /// @param law  its most_samples and patch_cells
  HydroelasticSampler(std::vector<CarriedShape> shapes, std::vector<std::array<int, 2>> excluded,
                      const PointContactOptions& law);

  const char* name() const override { return "hydroelastic contact"; }
  void sample(const StepContext& context, FrozenContact& contact) override;
  bool revise(const StepContext& context, const std::vector<double>& z,
              FrozenContact& contact) override;
  int past_middle() const override;
  int merged() const override;

 private:
  struct Pair {
    int shape[2];
    double depth = 0;             // that its patches know of, about [m]
    double t = -1;                // of the look that found it deeper, in steps; below 0: none
    double clear = -1;            // they stay apart on a way so long from where the step starts [m]
    double unclear = Aabb::kInf;  // on one so long that is not known [m]
    bool past_middle = false;     // PressureSurface::past_middle() at the start of the step
    bool merged = false;
    std::vector<ContactSample> sample;
  };
  bool may_touch(int i, int j) const;
  void place(const StepContext& context);
  void find(Pair& pair, const Pose& a, const Pose& b, PressureSurface& surface) const;
  void add(const StepContext& context, FrozenContact& contact, int pair);
  // hydroelastic_arrivals.cpp
  void move(const StepContext& context, const std::vector<double>* z);
  Vec3d velocity(int shape, const Vec3d& x, const std::vector<double>& z) const;
  double travel(const Pair& pair) const;
  bool clears(Pair& pair, double way, PressureSurface& surface) const;
  bool look_ahead(const std::vector<double>& z);
  bool deepens(Pair& pair, PressureSurface& surface) const;
  void arrive(Pair& pair, const std::vector<double>& z, PressureSurface& surface) const;

  std::vector<CarriedShape> shapes_;
  std::vector<std::array<int, 2>> excluded_;  // sorted
  int most_samples_, patch_cells_;
  BroadPhase broad_phase_;
  std::vector<Pair> pair_;
  int revisions_ = 0;
  double h_ = 0;
  // Scratch.
  std::vector<Pose> pose_, after_;  // at the start of the step, and after a motion
  std::vector<Aabb> box_, swept_;
  std::vector<std::array<int, 2>> pairs_;
  std::vector<char> changed_;  // by pair
  CarriedPlaces places_[2];    // of a pair's samples, by side
};

/// Hydroelastic contact: surfaces of equal pressure under the laws of frozen contact.
class HydroelasticContact final : public FrozenContact {
 public:
  explicit HydroelasticContact(const std::vector<CarriedShape>& shapes,
                               const PointContactOptions& law = {},
                               std::vector<std::array<int, 2>> excluded = {});
};

}  // namespace haptos
