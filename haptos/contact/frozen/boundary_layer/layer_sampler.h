// Where surfaces with boundary layers touch: the sampler of boundary-layer contact
// (frozen_contact.h has the laws, geometry/layer/layer_contacts.h finds the samples).
//
// sample() places every shape where the step starts, finds pairs whose boxes may meet within the
// step (broad phase), and the samples of each. What is only near is a contact that is not closed:
// the law pushes where it would overlap by the end of the step.
//
// Depth is not bounded by the law. From half of R on contact gets stiffer the deeper it is, as
//
//   (1 / (2 (1 - depth / R)))^3,   at most 1e6,
//
// with the depth of the end of the step at the speed of its start, so that the cores of bodies that
// come fast, or on a corner, stay apart.
//
// Which surfaces meet, and with which normals, is only known where the step starts. So revise()
// follows the motion that was solved: where two shapes come nearer to each other than half of R on
// their way, contacts of that moment are added, and the step is solved again, up to three times.
// Pairs that move by less than a quarter of R against each other are not looked at: they cannot.
//
// What is only near where the step starts may act though the surfaces never meet: a body that flies
// past an edge would be braked by it. So what acts from afar has to be near in the end of the
// motion, along its normal. Where it is not it is dropped, and a pair that did not touch is
// followed on its way instead, until it touches (layer_passing.cpp).
//
// A pair that moves by less than a five-thousandth of R against each other has the samples of where
// it was found first, carried along (still_pairs.h): what rests costs no search. A pair with
// nothing near is not looked at again before it could have come near.
//
// An overlap that no motion made, at the start of a run or of bodies that were put into each other,
// is parted at parting_speed: the law sees a gap that is larger by what is left of it. Cores that
// cross are counted, and parted where both have an inside.
//
// Limits: places of samples move with the step's motion only to first order.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "haptos/contact/frozen/boundary_layer/pair_table.h"
#include "haptos/contact/frozen/boundary_layer/still_pairs.h"
#include "haptos/contact/frozen/frozen_contact.h"
#include "haptos/geometry/layer/layer_contacts.h"
#include "haptos/geometry/layer/layer_shape.h"
#include "haptos/geometry/layer/reduction.h"
#include "haptos/geometry/query/broad_phase.h"

namespace haptos {

/// A shape with a layer, or one that may meet such a shape, on a link or in the world.
struct LayeredShape : FrozenSurface {
  LayerShape core;
  Pose frame;        ///< of the shape in the link's frame, or in the world
  double layer = 0;  ///< width [m]

  double width() const { return layer + core.radius; }
};

class LayerSampler final : public ContactSampler {
 public:
  /// @param excluded  pairs of shapes that never touch, beside those of one link, of the world, and
  ///        those without a layer on either side
  /// @param most_samples  of a pair of shapes, from which on they are merged (reduction.h); 0:
  /// never
  LayerSampler(std::vector<LayeredShape> shapes, std::vector<std::array<int, 2>> excluded,
               int most_samples = 0);

  const char* name() const override { return "boundary-layer contact"; }
  void sample(const StepContext& context, FrozenContact& contact) override;
  bool revise(const StepContext& context, const std::vector<double>& z,
              FrozenContact& contact) override;
  void remember(ContactHistory& next) const override;
  int crossing() const override { return crossing_; }
  int crossed() const override { return crossed_; }
  int merged() const override;

 private:
  /// Part of R that a pair moves against each other before it is looked at.
  static constexpr double kMoves = 0.25;

  bool may_touch(int i, int j) const;
  LayerSurface surface(int i, const Pose& pose, double part = 1) const {
    const LayeredShape& s = shapes_[static_cast<std::size_t>(i)];
    return {s.core.soup.get(), pose, part * s.width()};
  }
  struct Found;
  void place(double h, double free_time);
  void find_samples(const StepContext& context, double pushed);
  void place_still(const StepContext& context, int i, int j, double moves, double reach,
                   Found& found) const;
  Pose seen(int i, int j) const;
  double moved(int i, int j, const Pose& from) const;
  bool is_far(int i, int j, double reach, FarPlace& far, LayerContacts& contacts) const;
  FeaturePair key(int i, int j, std::int32_t note) const;
  double parting_of(const StepContext& context, int i, int j, bool crossed) const;
  Vec3d side_of(const StepContext& context, int i, int j, bool crossed);
  void part(const LayerSurface& a, const LayerSurface& b, const Vec3d& away, double depth);
  void stiffen(const LayeredShape& a, const LayeredShape& b, double h, double whole);
  void add(const StepContext& context, std::size_t k, FrozenContact& contact);
  // layer_passing.cpp
  bool drop_passers(const StepContext& context, FrozenContact& contact);
  bool ends_near(int pair, const ContactSample& s);
  bool would_touch(const StepContext& context, int pair);
  // layer_arrivals.cpp
  void move_on(const StepContext& context, const std::vector<double>& z, std::vector<Pose>& end);
  double travel(int i, int j) const;
  double travelled(int i, int j) const { return std::min(travel(i, j), travel(j, i)); }
  Pose on_the_way(int i, double t) const;
  bool look_along(int i, int j, double part, double& t);
  bool crosses_from(int i, int j, double t);
  bool arrive(int i, int j, double part, double t);
  bool arrivals(const StepContext& context, FrozenContact& contact, bool last);

  std::vector<LayeredShape> shapes_;
  std::vector<std::array<int, 2>> excluded_;  // sorted
  BroadPhase broad_phase_;
  LayerContacts contacts_;
  SampleReduction reduction_;
  int most_samples_;
  // Scratch.
  std::vector<Pose> pose_;
  std::vector<Aabb> box_;
  std::vector<std::array<int, 2>> pairs_;
  struct Found {
    std::vector<ContactSample> samples;
    bool crossed = false;
    bool far = false, still = false;
    bool known = false;  // still where it was before
    StillPlace place;    // that samples are carried from, of what is still
    StillSamples* carried = nullptr;
    FarPlace* gone = nullptr;
  };
  PairTable<StillSamples> still_;
  PairTable<FarPlace> far_;
  std::vector<Found> found_;   // by pair
  std::vector<double> reach_;  // of its samples [m]
  std::vector<ContactSample> samples_;
  std::vector<Pose> solved_, free_;  // at the end of the step: by the solution, by its start
  const std::vector<Pose>* after_ = &solved_;
  // Of each pair: whether it touched at the start, or would, or has been found not to, or met after
  // all.
  enum class Stand : std::uint8_t { kTouches, kAhead, kPasses, kMeets };
  std::vector<Stand> stand_;
  std::vector<char> passes_, merged_;
  std::vector<ContactSample> ends_;  // of the pair that was looked at last, in the end
  int ends_of_ = -1;
  // What is left to part [m], and on which side of the other one a body was.
  std::vector<std::pair<FeaturePair, ContactMemory>> notes_;
  int revisions_ = 0, arrived_ = 0, crossing_ = 0, crossed_ = 0;
};

/// Boundary-layer contact: shapes' layers under the laws of frozen contact.
class LayerContact final : public FrozenContact {
 public:
  explicit LayerContact(const std::vector<LayeredShape>& shapes,
                        const PointContactOptions& law = {},
                        std::vector<std::array<int, 2>> excluded = {})
      : FrozenContact(
            {shapes.begin(), shapes.end()}, law,
            std::make_unique<LayerSampler>(shapes, std::move(excluded), law.most_samples)) {}
};

}  // namespace haptos
