// Where soft bodies with a pressure inside touch shapes: the sampler of hydroelastic contact of
// bodies of tetrahedra (frozen_contact.h has the laws, geometry/pressure/tet_pressure.h finds the
// surface of equal pressure in a body that has deformed).
//
// Of each tetrahedron that the surface runs through, sample() makes three contacts that its corners
// move by their weights. With the area A, the pressure p and its slope g across the surface one has
//
//   stiffness A g,   gap -p / g,
//
// so that it pushes with A p where the step starts and answers to what moves in it. The stiffness
// is that of the surfaces, whatever the step.
//
// A soft surface gives way by more than it overlaps: tetrahedra that the surface only comes to in
// the step, or in which it then pushes more than twice as hard as their contacts do, are given
// those that they have where the motion ends, of the start of the step and of the solved one
// (revise()). They are told as places and gaps at the start of the step, and push once their gap is
// closed. What meets on the way and is apart at its end is looked for as of rigid bodies with a
// pressure (hydroelastic_sampler.h).
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "haptos/contact/frozen/carried_shape.h"
#include "haptos/contact/frozen/frozen_contact.h"
#include "haptos/geometry/pressure/tet_pressure.h"

namespace haptos {

/// A soft body with what its contact is made of; `hydroelastic` is its pressure by depth.
struct PressedBody : FrozenSurface {
  std::shared_ptr<const RestDepth> depth;
  std::vector<int> points;  ///< of its vertices
};

class SoftPressureSampler final : public ContactSampler {
 public:
  /// @param excluded  pairs (shape, body) that never touch
  SoftPressureSampler(std::vector<CarriedShape> shapes, std::vector<PressedBody> bodies,
                      const std::vector<std::array<int, 2>>& excluded);

  const char* name() const override { return "hydroelastic contact of soft bodies"; }
  void sample(const StepContext& context, FrozenContact& contact) override;
  bool revise(const StepContext& context, const std::vector<double>& z,
              FrozenContact& contact) override;

 private:
  struct Pair {
    int shape = 0, body = 0;
    double depth = 0;       // that its patches know of [m]
    std::vector<int> cell;  // of each sample, rising: three of a tetrahedron
    std::vector<ContactSample> sample;
    std::vector<std::array<Points::Part, 4>> part;
  };
  // Its vertices where the step starts, and how they move in it.
  struct Moved {
    std::vector<Vec3d> start, way;
    Aabb box;             // of the start
    double farthest = 0;  // way [m]
  };
  void place(const StepContext& context);
  void move(const StepContext& context, const std::vector<double>* z);
  double travel(const Pair& pair) const;
  bool near(const Pair& pair, double way) const;
  bool look_ahead(Pair& pair);
  bool take_up(Pair& pair, const Pair& then) const;
  Vec3d way_of(const Pair& pair, std::size_t sample) const;
  Vec3d way_of(int shape, const Vec3d& x) const;
  double series(const Pair& pair) const;
  double force(const Pair& pair, std::size_t sample) const;
  void find(Pair& pair, double t);
  void add(const StepContext& context, FrozenContact& contact, int pair);

  std::vector<CarriedShape> shapes_;
  std::vector<PressedBody> bodies_;
  std::vector<Pair> pairs_;
  int revisions_ = 0;
  // Scratch.
  std::vector<Pose> pose_, after_;  // of the shapes at the start of the step, and after a motion
  std::vector<Moved> moved_;
  std::vector<Vec3d> x_;
  std::vector<SamplePlace> places_;
  TetPressure surface_;
  CarriedPlaces carried_;
};

/// Its surfaces are those of the shapes, then those of the bodies.
class SoftPressureContact final : public FrozenContact {
 public:
  SoftPressureContact(const std::vector<CarriedShape>& shapes,
                      const std::vector<PressedBody>& bodies,
                      const std::vector<std::array<int, 2>>& excluded,
                      const PointContactOptions& law);
};

}  // namespace haptos
