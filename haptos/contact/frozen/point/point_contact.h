// Where shapes that links carry touch each other and shapes that stand in the world: the sampler of
// point contact (frozen_contact.h has the laws).
//
// sample() places every shape where the step starts, finds pairs that may meet (broad phase), and
// samples where they face each other (geometry/collide).
//
// Which pairs have contacts (approach.cpp, seams.cpp): those that overlap when the step starts, and
// those that touch in it. A pair that is apart has none until the shapes, moved by velocities that
// were solved without it, touch; revise() then makes contacts from where and when they do, and the
// step is solved again. (Where the free motion of the step leads to a touch, they are there from
// the start, and are taken away again if the solved motion passes by.) A body that rests on a
// surface has sunk into it: what does not stand out of that surface beside it is not in its way.
// An overlap of the start of a run is parted at parting_speed: until then the law sees a gap that
// is larger by what is left of it.
//
// A pair is a candidate when its gap is at most 2 h (s_a + s_b) + e + 1 mm, s the largest speeds of
// the shapes' boxes at the start of the step. e is for what moves otherwise than at the start: at
// most 4 h (s_max + h 20 m/s2), s_max the largest speed in the environment, which may strike it,
// and at most half of the smaller half thickness of the two. A pair that is missed is found
// overlapping at the next step.
#pragma once

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "haptos/contact/frozen/frozen_contact.h"
#include "haptos/geometry/collide/touch.h"
#include "haptos/geometry/query/broad_phase.h"

namespace haptos {

/// A shape on a link, or in the world.
struct PointShape : FrozenSurface {
  PointShape(CollisionShape s, const Pose& f, const Link* on = nullptr)
      : shape(std::move(s)), frame(f) {
    link = on;
  }
  CollisionShape shape;
  Pose frame;        ///< of the shape in the link's frame, or in the world
  double layer = 0;  ///< width of its boundary layer: a pair that has one is not point contact [m]
};

/// Whether an overlap at the start of a run [m] is more than contact makes of itself, so that the
/// two are parted: above a hundredth of the smaller half thickness.
inline bool parts_overlap(const CollisionShape& a, const CollisionShape& b, double depth) {
  return depth > 0.01 * std::min(a.half_thickness(), b.half_thickness());
}

class PointSampler final : public ContactSampler {
 public:
  /// @param law  its parting_speed
  /// @param excluded  pairs of shapes that never touch, beside those of one link and of the world
  /// @throws InputError where two shapes would meet without any compliance
  PointSampler(std::vector<PointShape> shapes, const PointContactOptions& law,
               std::vector<std::array<int, 2>> excluded);

  const char* name() const override { return "point contact"; }
  void sample(const StepContext& context, FrozenContact& contact) override;
  bool revise(const StepContext& context, const std::vector<double>& z,
              FrozenContact& contact) override;
  void commit(const FrozenContact& contact) override;
  void remember(ContactHistory& next) const override;

 private:
  // Two shapes that may meet in the step.
  struct NearPair {
    enum Stand : std::uint8_t {
      kApart,     // no contact, unless the solved motion makes them touch
      kTouches,   // from the start
      kForeseen,  // would touch if nothing held them
      kArrived,   // touches on a motion that was solved without it
      kHidden,    // behind the surface that one of them rests on
    };
    int shape[2];
    int first, count;  // of samples_
    int deepest;
    double gap;      // of the deepest sample; negative where the shapes overlap [m]
    double parting;  // overlap that is left from the start of the run [m]
    Stand stand;
  };
  // What the next step is to know of a pair beside anchors.
  struct Note {
    FeaturePair key;
    Vec3d n;
    double parting;
  };
  void make_fields() const;
  bool may_touch(int i, int j) const;
  double surprise(const PointShape& s) const;
  // Contacts of a pair, from its samples.
  void add_pair(const StepContext& context, int pair);

  // What turns touches with other points in the middle of the step (rolling.cpp).
  bool find_rolling(const StepContext& context, int pair);

  // Which pairs touch in the step (approach.cpp).
  void find_touching(const StepContext& context);
  void foresee(const StepContext& context);
  double parting_of(const StepContext& context, const NearPair& p) const;
  bool lifted(const StepContext& context, const NearPair& p) const;
  double horizon(const NearPair& p, const ShapePath& a, const ShapePath& b) const;
  bool arrives(const NearPair& p, const std::vector<double>& z, double& t, double& sinks);
  bool arrive(const StepContext& context, int pair, const std::vector<double>& z, double t);
  bool still_touches(const NearPair& p, const std::vector<double>& z);
  bool drop_passers(const std::vector<double>& z);
  const ShapePath& path(int shape, const std::vector<double>& z);
  void forget_paths() { std::fill(path_known_.begin(), path_known_.end(), char{0}); }
  static double size_of(const CollisionShape& s);  // infinite for a half-space
  double touch_tolerance(const NearPair& p) const;
  FeaturePair note_key(const NearPair& p, int kind) const;
  void keep_notes();
  // Which contacts are hidden behind the surface that a body rests on (seams.cpp).
  struct Rest {
    int link, pair;
    Vec3d n;               // of the flat surface that bears the link
    double height, depth;  // of that surface along n; of the overlap [m]
  };
  void list_rests();
  const Rest* hidden(const NearPair& p, const ContactSample* s, int count, int& side,
                     double& rise) const;
  bool hides(const Rest& rest, const NearPair& p, int side, const ContactSample* s, int count,
             double& rise) const;
  void clear_seams();
  void clear_triangles(NearPair& p);
  void turn_to(const Rest& rest, int side, double rise, NearPair& p);

  std::vector<PointShape> shapes_;
  double parting_speed_;
  std::vector<std::array<int, 2>> excluded_;  // sorted
  BroadPhase broad_phase_;
  FrozenContact* contact_ = nullptr;  // of the call under way
  double h_ = 1, free_time_ = 0;      // of the step
  // Scratch.
  std::vector<Vec3d> rolls_;
  std::vector<char> dropped_;
  std::vector<Pose> pose_;
  std::vector<Aabb> box_, reach_;
  std::vector<double> speed_;
  std::vector<double> fastest_;  // speed, per environment
  std::vector<std::array<int, 2>> pairs_;
  std::vector<ContactSample> samples_, touching_;
  std::vector<NearPair> near_;
  std::vector<Note> notes_;
  std::vector<const Link*> link_;  // that carry shapes
  std::vector<int> link_of_;       // of each shape; -1: the world
  std::vector<Rest> rests_;        // by link
  std::vector<ShapePath> path_;    // of each shape, at the velocities last asked for
  std::vector<char> path_known_;
  std::vector<std::pair<double, int>> arrivals_;
  std::vector<double> earliest_;  // arrival, per link
  int revisions_ = 0;
};

/// Point contact: the shapes' sampler under the laws of frozen contact.
class PointContact final : public FrozenContact {
 public:
  /// As FrozenContact and PointSampler.
  explicit PointContact(const std::vector<PointShape>& shapes, const PointContactOptions& law = {},
                        std::vector<std::array<int, 2>> excluded = {})
      : FrozenContact({shapes.begin(), shapes.end()}, law,
                      std::make_unique<PointSampler>(shapes, law, std::move(excluded))) {}
};

}  // namespace haptos
