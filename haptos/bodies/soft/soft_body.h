// A soft body's nodes as a Body: three unknowns per free vertex, lumped mass.
//
// Vertices glued to a prescribed body own no unknowns: they are driven points of that body, whose
// forces are read from the gradient (sim/step), so glue is exact and two-way.
#pragma once

#include "haptos/bodies/body.h"
#include "haptos/scene/parts/loads.h"

namespace haptos {

class SoftNodes final : public Body {
 public:
  /// @param points  point of every vertex of the (refined) mesh
  /// @param driven  1 where the vertex is glued
  /// @param acceleration  body force per mass beside gravity [m/s2]
  SoftNodes(const BodySlots& slots, std::vector<int> points, std::vector<char> driven,
            std::vector<double> mass, std::vector<Vec3d> start, const Vec3d& velocity,
            double mass_damping, History<Vec3d> acceleration = {});

  std::vector<int> block_sizes() const override { return std::vector<int>(free_.size(), 3); }
  int q_count() const override { return 3 * static_cast<int>(free_.size()); }
  void initialize(State& state) const override;
  void begin_step(const State& state, const BodyStep& step) override;
  void add_stiffness(double b, std::vector<double>& inertia) const override;
  void advance(const std::vector<double>& z, const BodyStep& step, State& state) override;

  /// Masses are `by` times those of the description, from the next step on. Returns whether that is
  /// new.
  bool scale_mass(double by);
  /// The square of the lowest natural frequency, of what is as stiff and heavy as described
  /// [1/s2], and by how much it is stiffer.
  void set_slowest(double slowest) { slowest_ = slowest; }
  void set_stiffer(double by) { stiffer_ = by; }
  /// What frozen contact is to know of it: the diagonal of its stiffness per vertex [N/m].
  void set_stiffness(std::vector<double> stiffness) { stiffness_ = std::move(stiffness); }

  const std::vector<int>& points() const { return points_; }
  const std::vector<double>& mass() const { return mass_; }
  const std::vector<char>& driven() const { return driven_; }

 private:
  std::vector<int> points_, free_;  // free_: vertices with unknowns, in block order
  std::vector<char> driven_;
  std::vector<double> mass_, stiffness_;
  std::vector<double> described_;  // masses, once they have been scaled
  double heavier_ = 1, stiffer_ = 1, slowest_ = 0;
  std::vector<Vec3d> start_;
  Vec3d velocity_;
  double mass_damping_;
  History<Vec3d> acceleration_;
};

}  // namespace haptos
