// Fewer samples that do what many did: for pairs of rough surfaces, which touch in thousands of
// places.
//
// Samples that push alike are merged. Directions are parted among 32 axes (the corners of an
// icosahedron and of a dodecahedron, the first of them turned to where all of it pushes), each
// sample among those within 37 degrees with weights that change continuously. Of each axis, with f
// = area times stiffening times depth of its samples:
//
//   normal   the mean of the samples' own, by f; together they push with the same force
//   where    the corners of the hull of the samples, across that normal, and its middle; of more
//            than 32 corners those that reach farthest in 32 directions
//   shares   as even as can be (of all shares the ones with the largest entropy) so that the middle
//            of the force, and so the torque across the normal, stays to the last digit
//   middle   takes as much of it as leaves the same grip against turning about the normal
//   depth    the mean by area; area and depth together keep the force and the stiffness
//
// The deepest sample of all stays as it is. So do the nearest ones of what does not touch yet, a
// quarter as many as there may be: they may push within the step. The rest keeps the corners of the
// hull and the nearest of each axis, with the area of all.
//
// What changes: torque along the normal of an axis where its samples' normals twist (none where
// they are parallel), stiffness against tilting, and the limit of friction of samples whose normals
// differ (by the cosine).
#pragma once

#include <vector>

#include "haptos/geometry/collide/collide.h"

namespace haptos {

/// Merges samples of one pair. Holds memory to work in: one for each thread.
class SampleReduction {
 public:
  /// Merges what touches where that is more than `most`, and what is near likewise. The result may
  /// have more than `most` samples: nothing is left out.
  /// @param samples  of one pair, as LayerContacts finds them
  /// @param most     0: never
  /// @return whether what touches was merged
  bool reduce(std::vector<ContactSample>& samples, int most);

 private:
  struct Member {
    int sample;
    double weight;  // the part of the sample that is merged here
  };
  struct Merged {
    Vec3d n, middle;      // unit; where the force acts
    double force, depth;  // force per unit of stiffness [m3], depth [m]
    int axis;
  };
  void merge_touching(std::vector<ContactSample>& out);
  void keep_nearest(int count, std::vector<ContactSample>& out);
  void merge_near(std::vector<ContactSample>& out);
  void turn_axes(const Vec3d& push, double sum);
  void part(const Vec3d& n, int sample);
  void merge(int axis, std::vector<ContactSample>& out);
  void place_on(const Vec3d& n, const Vec3d& middle, const std::vector<ContactSample>& samples,
                const std::vector<Member>& members);
  void find_priors(double depth, const std::vector<Member>& members);
  void keep_extreme();
  bool share_out();
  void emit(const Merged& m, const Vec3d& x, double force, const ContactSample& from,
            std::vector<ContactSample>& out) const;

  std::vector<ContactSample> touching_, near_;
  std::vector<double> gaps_;
  std::vector<Member> members_[32];
  Mat3d frame_ = Mat3d::identity();  // turns the axes
  double whole_ = 0;                 // area of what touches, times its stiffening
  // Of one axis.
  std::vector<Vec2d> place_;
  std::vector<int> order_, hull_;
  std::vector<double> prior_, share_;
};

}  // namespace haptos
