// What pads of model hydroelastic remember from step to step: forces on nodes of their coats, their
// friction, pressures of probes. Displacements of a coat, images and pressures follow from them.
#pragma once

#include <utility>
#include <vector>

#include "haptos/base/math/math.h"
#include "haptos/system/coat/coat_compliance.h"
#include "haptos/system/contact_history.h"

namespace haptos {

/// The forces that a pad's coat was left with: nodes, rising, and what is on each in the pad's
/// frame [N].
struct CoatForces {
  std::vector<int> node;
  std::vector<Vec3d> force, friction;  ///< friction: the part of it along the surface
  std::vector<char> slips;
  std::vector<double> stiffer;  ///< by what factor squeezing made what presses more

  /// The forces that bend the pad, which is linear.
  std::vector<Vec3d> bending() const;
};
CoatForces coat_forces(const ContactHistory& history, int pad);

/// The pressure of each probe of a pad's coat, those that press [N].
void read_pressure(const ContactHistory& history, int pad, std::vector<double>& pressed);

/// How far the nodes of a pad's coat were left displaced, in the pad's frame [m]; empty: not at
/// all.
std::vector<Vec3d> coat_displacement(const ContactHistory& history, int pad,
                                     const CoatCompliance& coat);

/// Notes of one pad, to be kept.
class CoatNotes {
 public:
  void clear() { all_.clear(); }
  void add_node(int pad, int node, const Vec3d& force, const Vec3d& friction, bool slips,
                double stiffer);
  void add_pressure(int pad, const std::vector<double>& pressed);
  void remember(ContactHistory& next) const;

 private:
  std::vector<std::pair<FeaturePair, ContactMemory>> all_;
};

}  // namespace haptos
